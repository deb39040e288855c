//===- Session.h - A function on a device -----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_SESSION_H
#define BWGEMM_TOOLS_RUNNER_SESSION_H

#include "Compile.h"
#include "Library.h"
#include "Options.h"
#include "Run.h"

#include "bwgemm-runtime/CublasLt.h"
#include "bwgemm-runtime/Npy.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bwgemm::runner {

/// A function of a compiled library with its arguments: loaded, called once and
/// checked, and then there to be called again.
class Session {
public:
  /// What happens is noted in `result`; both are referred to.
  Session(const Options &options, RunResult &result);
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Opens the library, makes inputs, opens the device, calls, checks and
  /// writes results. False if that is the end: what happened is in the result.
  bool run();

  /// As run(), with the operands of `first`, which has run and was right, and
  /// whose function takes the same arguments. Only results are copied and
  /// judged: those with the same bits as the first one's are right.
  bool runLike(Session &first);

  /// What a hang calls with its message before it ends the process, in place of
  /// printing the result.
  void onHang(std::function<void(const std::string &)> handler) {
    hangHandler = std::move(handler);
  }

  /// Calls the function once more. Returns milliseconds; negative after an
  /// error, which is in the result.
  double callOnce(const std::vector<void *> &arguments);

  /// Puts one execution into a stream. Returns an error text.
  std::string enqueue(const std::vector<void *> &arguments,
                      runtime::CUstream stream) const;

  /// Reports a hang, "hang: WHAT after SECONDS s", and ends the process, as
  /// nothing else can.
  [[noreturn]] void expire(const char *what, double seconds);

  const runtime::DriverApi &driver() const { return *theDriver; }
  const FunctionInfo &function() const { return *theFunction; }
  const std::vector<Operand> &arguments() const { return operands; }
  /// Null unless the options name a baseline.
  const runtime::CublasLt *baseline() const { return cublas.get(); }

private:
  bool fail(const std::string &message, Status status = Status::BadInput);
  bool openLibrary();
  bool chooseFunction();
  bool readInputs();
  bool prepareOutput();
  bool prepareOperands();
  bool openDevice();
  bool call();
  bool judge(const FunctionInfo &wanted);
  bool callLike(Session &first);
  bool repeat();
  bool writeOutputs();
  void readReport(double &milliseconds);

  const Options &options;
  RunResult &result;
  TemporaryFolder folder;
  Library library;
  const FunctionInfo *theFunction = nullptr;
  std::vector<std::unique_ptr<runtime::NpyArray>> files;
  std::vector<Operand> operands;
  const runtime::DriverApi *theDriver = nullptr;
  runtime::PrimaryContext context;
  std::unique_ptr<runtime::CublasLt> cublas;
  std::vector<DeviceOperand> buffers;
  std::vector<void *> descriptors;
  /// Of sessions that ran on these operands.
  std::vector<std::vector<unsigned char>> otherResults;
  std::function<void(const std::string &)> hangHandler;
};

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_SESSION_H
