//===- Session.cpp - A function on a device ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Compile.h"
#include "Progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace bwgemm::runner {

using namespace bwgemm::runtime;
using nlohmann::json;

/// Seconds after which a call on a GPU counts as hung.
static constexpr double defaultGpuTimeout = 30;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Session::Session(const Options &options, RunResult &result)
    : options(options), result(result) {}

bool Session::run() {
  return openLibrary() && chooseFunction() && readInputs() && prepareOutput() &&
         prepareOperands() && openDevice() && call() && judge(*theFunction) &&
         repeat() && writeOutputs() && result.status == Status::Right;
}

bool Session::fail(const std::string &message, Status status) {
  result.status = status;
  result.message = message;
  return false;
}

bool Session::openLibrary() {
  std::string path = options.input, error;
  bool isSource = path.size() > 5 && path.rfind(".mlir") != std::string::npos;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return fail(path + ": there is no such file");
  if (isSource && (path.rfind(".mlir") == path.size() - 5 ||
                   path.rfind(".mlirbc") == path.size() - 7)) {
    if (error = folder.create(); !error.empty())
      return fail(error);
    std::string output = folder.path() + "/library.so";
    ProgressLine progress("compiling");
    if (error = compile(path, output, options.target, options.schedule);
        !error.empty())
      return fail(error);
    path = output;
  }
  if (!library.open(path, error))
    return fail(error);
  result.target = library.description().target;
  return true;
}

bool Session::chooseFunction() {
  std::string error;
  theFunction = library.description().find(options.function, error);
  if (!theFunction)
    return fail(error);
  result.function = theFunction->name;
  result.schedule = theFunction->schedule;
  result.fallback = theFunction->fallback;
  if (!theFunction->notCallable.empty())
    return fail("function '" + theFunction->name +
                "' cannot be called: " + theFunction->notCallable);
  if (theFunction->arguments.size() > Library::maxArguments)
    return fail("function '" + theFunction->name + "' has " +
                std::to_string(theFunction->arguments.size()) +
                " arguments; this program can pass at most " +
                std::to_string(Library::maxArguments));
  return library.hasFunction(theFunction->name, error) || fail(error);
}

/// Loads the files of --input and fixes all shapes.
bool Session::readInputs() {
  std::vector<size_t> read;
  for (size_t i = 0; i < theFunction->arguments.size(); ++i)
    if (theFunction->arguments[i].read)
      read.push_back(i);
  if (!options.inputs.empty() && options.inputs.size() != read.size()) {
    std::string list;
    for (size_t i : read)
      list += (list.empty() ? "" : ", ") + std::to_string(i) + " (" +
              theFunction->arguments[i].text() + ")";
    return fail("--input: expected " + std::to_string(read.size()) +
                (read.size() == 1 ? " file" : " files") +
                " for the arguments that are read, " + list + ", got " +
                std::to_string(options.inputs.size()));
  }
  files.resize(theFunction->arguments.size());
  std::vector<Shape> fileShapes(theFunction->arguments.size());
  std::string error;
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const std::string &path = options.inputs[i];
    if (path.empty())
      continue;
    const ArgumentInfo &argument = theFunction->arguments[read[i]];
    files[read[i]] = std::make_unique<NpyArray>();
    if (!loadNpy(path, argument.type, argument.shape, *files[read[i]], error))
      return fail("--input for argument " + std::to_string(read[i]) + ": " +
                  error);
    fileShapes[read[i]] = files[read[i]]->shape;
  }
  if (!resolveShapes(*theFunction, options.shapes, fileShapes, result.shapes,
                     error))
    return fail(error);
  for (size_t i = 0; i < files.size(); ++i)
    if (files[i] && files[i]->shape != result.shapes[i])
      return fail("--input for argument " + std::to_string(i) +
                  ": expected shape " + formatShape(result.shapes[i]) +
                  ", got " + formatShape(files[i]->shape));
  for (size_t i = 0; i < result.shapes.size(); ++i)
    result.arguments.push_back(
        std::string(name(theFunction->arguments[i].type)) + " " +
        formatShape(result.shapes[i]));
  for (const OperationInfo &operation : theFunction->operations)
    if (operation.notCheckable.empty())
      result.operations.push_back(sizesOf(operation, result.shapes));
  return true;
}

/// Before anything is computed: a long run should not end in this error.
bool Session::prepareOutput() {
  if (options.outputFolder.empty())
    return true;
  std::error_code failure;
  std::filesystem::create_directories(options.outputFolder, failure);
  if (!std::filesystem::is_directory(options.outputFolder))
    return fail("--output: " + options.outputFolder +
                ": cannot be made a folder" +
                (failure ? ": " + failure.message() : ""));
  if (access(options.outputFolder.c_str(), W_OK | X_OK) != 0)
    return fail("--output: " + options.outputFolder +
                ": there is no permission to write here");
  return true;
}

bool Session::prepareOperands() {
  // Two images, and a dense copy while one is filled.
  double needed = 0;
  for (size_t i = 0; i < result.shapes.size(); ++i) {
    double bytes = double(sizeInBytes(theFunction->arguments[i].type));
    for (int64_t extent : result.shapes[i])
      bytes *= double(extent);
    needed += 3 * bytes;
  }
  double memory =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (needed > memory)
    return fail("the arguments need about " +
                std::to_string(int64_t(needed / 0x1p30)) +
                " GiB of host memory, and there are " +
                std::to_string(int64_t(memory / 0x1p30)));
  ProgressLine progress("making inputs");
  for (size_t i = 0; i < result.shapes.size(); ++i) {
    operands.emplace_back();
    std::string error =
        prepare(operands.back(), theFunction->arguments[i], i, result.shapes[i],
                files[i].get(), options.contents);
    if (!error.empty())
      return fail(error);
    files[i].reset();
  }
  return true;
}

bool Session::openDevice() {
  // The emulator reads its options when it is opened; later ones win.
  const char *given = std::getenv("BWGEMM_EMULATOR");
  std::string settings;
  auto add = [&](const std::string &setting) {
    if (!setting.empty())
      settings += (settings.empty() ? "" : ",") + setting;
  };
  add(result.target.empty() ? "" : "arch=" + result.target);
  add(given ? given : "");
  add(options.hazards ? "hazards=on" : "");
  setenv("BWGEMM_EMULATOR", settings.c_str(), 1);
  DriverChoice choice = options.device;
  choice.target = result.target;
  std::string error;
  theDriver = loadDriver(choice, error);
  if (!theDriver)
    return fail(error);
  result.device = theDriver->describe();
  result.emulated = theDriver->emulated;
  if (!options.baseline.empty() && theDriver->emulated)
    return fail("--baseline=cublas needs a GPU; this is the " + result.device);
  // The library opens a driver by itself; it shall be the same one.
  bool real = theDriver->library == "libcuda.so.1";
  setenv("BWGEMM_DRIVER", real ? "cuda" : theDriver->library.c_str(), 1);
  if (error = context.create(*theDriver); !error.empty())
    return fail(error);
  if (!options.baseline.empty()) {
    cublas = CublasLt::open(*theDriver, error);
    if (!cublas)
      return fail("--baseline=cublas: " + error);
  }
  buffers.resize(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (error = buffers[i].create(*theDriver, operands[i]); !error.empty())
      return fail(operands[i].text() + ": " + error);
    descriptors.push_back(buffers[i].descriptor());
  }
  return true;
}

/// Calls the function once. Returns milliseconds; negative after an error,
/// which is in `result`.
double Session::callOnce(const std::vector<void *> &arguments) {
  double timeout = options.timeout >= 0  ? options.timeout
                   : theDriver->emulated ? 0
                                         : defaultGpuTimeout;
  Watchdog watchdog(timeout,
                    [&] { expire("the call has not returned", timeout); });
  if (theDriver->emulatorResetReport)
    theDriver->emulatorResetReport();
  double start = now();
  CallError error = library.call(theFunction->name, arguments);
  double milliseconds = 1e3 * (now() - start);
  CUresult state = theDriver->cuCtxSynchronize();
  readReport(milliseconds);
  // A hazard is reported as an error, but the results are there.
  bool hazardOnly = theDriver->emulated && result.fault.is_null() &&
                    !result.hazards.empty() && state == CUDA_SUCCESS;
  if (error.status && !hazardOnly) {
    bool fault = error.status == int(Status::Fault) || !result.fault.is_null();
    fail(error.message, fault ? Status::Fault : Status::BadInput);
    return -1;
  }
  if (state != CUDA_SUCCESS) {
    fail(theDriver->check(state, "waiting for the device"),
         isLaunchFault(state) ? Status::Fault : Status::BadInput);
    return -1;
  }
  return milliseconds;
}

void Session::expire(const char *what, double seconds) {
  result.status = Status::Fault;
  char text[96];
  std::snprintf(text, sizeof text, "hang: %s after %g s", what, seconds);
  result.message = text;
  result.wallSeconds = seconds;
  if (hangHandler)
    hangHandler(result.message);
  else if (options.json)
    printJson(result);
  else
    printText(result);
  std::fflush(stdout);
  _exit(int(Status::Fault));
}

/// Takes over what the emulator says of the last call; `milliseconds`
/// becomes the time for which it executed kernels.
void Session::readReport(double &milliseconds) {
  if (!theDriver->emulatorReport)
    return;
  json report = json::parse(theDriver->emulatorReport(), nullptr, false);
  if (!report.is_object())
    return;
  milliseconds = 1e3 * report.value("total_seconds", 0.0);
  result.launches = report.value("launches", uint64_t(0));
  result.hazards = report.value("hazards", json::array());
  result.fault = report.value("fault", json());
  result.counters = report.value("counters", json::object());
}

bool Session::call() {
  {
    ProgressLine progress(theDriver->emulated ? "emulating" : "running");
    result.callMilliseconds = callOnce(descriptors);
  }
  if (result.status != Status::Right) {
    result.callMilliseconds = 0;
    return false;
  }
  result.called = true;
  for (size_t i = 0; i < operands.size(); ++i)
    if (std::string error = buffers[i].fetch(operands[i]); !error.empty())
      return fail(operands[i].text() + ": " + error);
  return true;
}

/// Judges results by what `wanted` says that they are.
bool Session::judge(const FunctionInfo &wanted) {
  for (const Operand &operand : operands)
    if (std::string error = checkGuards(operand); !error.empty())
      result.guardErrors.push_back(error);
  ProgressLine progress("checking");
  result.check =
      checkResults(wanted, operands, options.check, options.contents.seed,
                   [&](double done) { progress.update(done); });
  if (!result.check.notChecked.empty() && options.checkRequired)
    return fail("the result cannot be checked: " + result.check.notChecked);
  if (result.check.wrong || !result.guardErrors.empty())
    result.status = Status::Wrong;
  if (!result.hazards.empty())
    result.status = Status::Fault;
  return true;
}

/// Calls again, from the same contents, and compares bits: a race may leave
/// numbers that are right within their bound, but not the same ones.
bool Session::repeat() {
  if (options.repeat == 1 || result.status != Status::Right)
    return true;
  ProgressLine progress("repeating");
  std::vector<std::vector<unsigned char>> first(operands.size());
  // What the first call found, on the device.
  std::vector<DeviceOperand> found(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].info.written)
      if (std::string error = found[i].create(*theDriver, operands[i]);
          !error.empty())
        return fail(operands[i].text() + ": " + error);
  for (unsigned call = 2; call <= options.repeat; ++call) {
    progress.update(double(call - 1) / options.repeat);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].info.written)
        continue;
      std::swap(first[i], operands[i].after);
      if (std::string error = buffers[i].reset(found[i]); !error.empty())
        return fail(operands[i].text() + ": " + error);
    }
    if (callOnce(descriptors) < 0)
      return false;
    if (!result.hazards.empty()) {
      result.status = Status::Fault;
      return false;
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].info.written)
        continue;
      if (std::string error = buffers[i].fetch(operands[i]); !error.empty())
        return fail(operands[i].text() + ": " + error);
      std::swap(first[i], operands[i].after);
      if (std::memcmp(first[i].data(), operands[i].after.data(),
                      first[i].size()) == 0)
        continue;
      auto differ = std::mismatch(first[i].begin(), first[i].end(),
                                  operands[i].after.begin());
      result.status = Status::Wrong;
      result.unsteady =
          "call " + std::to_string(call) + " of " +
          std::to_string(options.repeat) +
          " gave other bits than the first: " + operands[i].text() +
          " from byte " + std::to_string(differ.first - first[i].begin()) +
          " of its buffer on";
      return true;
    }
    result.repeated = call;
  }
  return true;
}

bool Session::writeOutputs() {
  if (options.outputFolder.empty())
    return true;
  for (const Operand &operand : operands) {
    if (!operand.info.written)
      continue;
    std::string path =
        options.outputFolder + "/arg" + std::to_string(operand.index) + ".npy";
    std::string error;
    if (!saveNpy(path, operand.info.type, operand.shape,
                 operand.gather(operand.after).data(), error))
      return fail("--output: " + error);
    result.outputs.push_back(path);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// On another session's operands
//===----------------------------------------------------------------------===//

bool Session::runLike(Session &first) {
  if (!openLibrary() || !chooseFunction() || !readInputs())
    return false;
  bool isAlike = result.shapes.size() == first.operands.size();
  for (size_t i = 0; isAlike && i < result.shapes.size(); ++i)
    isAlike =
        result.shapes[i] == first.operands[i].shape &&
        theFunction->arguments[i].type == first.operands[i].info.type &&
        theFunction->arguments[i].written == first.operands[i].info.written;
  if (!isAlike)
    return fail("function '" + theFunction->name +
                "' does not take the arguments of the one before");
  theDriver = first.theDriver;
  result.device = theDriver->describe();
  result.emulated = theDriver->emulated;
  // They are the first one's again when this is done.
  std::swap(operands, first.operands);
  std::swap(buffers, first.buffers);
  bool right = callLike(first);
  std::swap(operands, first.operands);
  std::swap(buffers, first.buffers);
  return right;
}

/// Calls with the operands of `first`, which are this session's for the time,
/// and leaves its results in them.
bool Session::callLike(Session &first) {
  // What `first` has been judged by, and memory for results in turn: that of
  // large ones takes longer to allocate than to fill.
  std::vector<std::vector<unsigned char>> &checked = first.otherResults;
  checked.resize(operands.size());
  std::string error;
  for (size_t i = 0; i < operands.size() && error.empty(); ++i)
    if (operands[i].info.written)
      error = buffers[i].reset(operands[i]);
  if (!error.empty())
    return fail(error);
  result.callMilliseconds = callOnce(first.descriptors);
  if (result.status != Status::Right)
    return false;
  result.called = true;
  auto exchange = [&] {
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].info.written)
        std::swap(checked[i], operands[i].after);
  };
  exchange();
  bool isSame = result.hazards.empty();
  for (size_t i = 0; i < operands.size() && error.empty(); ++i)
    if (operands[i].info.written) {
      error = buffers[i].fetch(operands[i]);
      isSame = isSame && operands[i].after == checked[i];
    }
  bool right = error.empty() ? isSame || (judge(*first.theFunction) &&
                                          result.status == Status::Right)
                             : fail(error);
  exchange();
  return right;
}

std::string Session::enqueue(const std::vector<void *> &arguments,
                             CUstream stream) const {
  CallError error = library.enqueue(theFunction->name, arguments, stream);
  return error.message;
}

} // namespace bwgemm::runner
