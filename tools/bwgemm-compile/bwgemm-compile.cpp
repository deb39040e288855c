//===- bwgemm-compile.cpp - From linalg to a shared library ---------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Options.h"
#include "Report.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <iostream>

/// Where LLVM gives up, it means to end the process; it shall end like after
/// any other error.
static void endAfterFatalError(void *, const char *reason, bool) {
  bwgemm::compile::error(std::string("LLVM cannot compile this program: ") +
                         reason);
  llvm::sys::RunInterruptHandlers();
  std::_Exit(2);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(endAfterFatalError);
  int status = 0;
  if (auto options = bwgemm::compile::parseOptions(argc, argv, status))
    status = bwgemm::compile::compile(*options);
  // All files are closed. Taking down LLVM's tables costs milliseconds and
  // serves nobody.
  std::cout.flush();
  llvm::outs().flush();
  std::_Exit(status);
}
