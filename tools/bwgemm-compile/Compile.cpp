//===- Compile.cpp - From a file to what was asked for --------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Header.h"
#include "HostCode.h"
#include "Linker.h"
#include "Output.h"
#include "Report.h"

#include "bwgemm/InitAll.h"
#include "bwgemm/Target/Description.h"
#include "bwgemm/Target/ExplainSchedule.h"
#include "bwgemm/Target/Ptxas.h"
#include "bwgemm/Transforms/Passes.h"
#include "bwgemm/Transforms/ScheduleDatabase.h"
#include "bwgemm/Transforms/ScheduleSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace bwgemm::compile;
using namespace llvm;

namespace {

/// Measures the pass that makes PTX, which is where LLVM's time goes.
class SerializeTimer : public mlir::PassInstrumentation {
public:
  explicit SerializeTimer(double &milliseconds) : milliseconds(milliseconds) {}
  void runBeforePass(mlir::Pass *, mlir::Operation *) override {
    begin = std::chrono::steady_clock::now();
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    if (pass->getArgument() == "bwgemm-serialize")
      milliseconds += std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - begin)
                          .count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point begin;
};

/// One run of the program.
class Compilation {
public:
  explicit Compilation(const Options &options)
      : options(options), lower(options.lower),
        context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED),
        diagnostics(sources, &context, errs()) {
    context.printOpOnDiagnostic(false);
  }

  bool run() {
    if (options.explainSchedule)
      return parse() && explain();
    if (options.listSchedules)
      return parse() && list();
    if (!prepareOutput() || !choosePtxas() || !parse() || !lowerModule())
      return false;
    bool done = emit();
    if (done && options.time)
      times.print();
    return done;
  }

private:
  static const mlir::DialectRegistry &makeRegistry() {
    static mlir::DialectRegistry registry;
    mlir::bwgemm::registerRequiredDialects(registry);
    return registry;
  }

  bool prepareOutput();
  bool choosePtxas();
  bool parse();
  bool explain();
  bool list();
  bool lowerModule();
  bool readDescription();
  bool emit();
  bool emitKernels();
  bool emitHost();
  bool link(Module &host);

  const Options &options;
  mlir::bwgemm::LowerOptions lower;
  StageTimes times;
  SourceMgr sources;
  mlir::MLIRContext context;
  mlir::SourceMgrDiagnosticHandler diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  OutputFile library, header;
  std::vector<KernelBinary> binaries;
  std::string description;
  std::vector<std::string> functions;
};

} // namespace

/// Makes the library's and its header's files before any work, so that a
/// misspelt folder is not found out about at the end.
bool Compilation::prepareOutput() {
  for (StringRef output :
       {StringRef(options.output), StringRef(options.header)})
    if (!output.empty() && sys::fs::is_regular_file(output) &&
        sys::fs::equivalent(output, options.input)) {
      error("cannot write '" + output.str() +
            "': it is the input; name another file");
      return false;
    }
  if (options.emit != Emit::SharedLibrary)
    return true;
  std::string headerPath = options.header;
  if (headerPath.empty()) {
    SmallString<128> path(options.output);
    sys::path::replace_extension(path, ".h");
    headerPath = std::string(path);
  }
  if (headerPath == options.output) {
    error("library and C header would both be '" + headerPath +
          "'; name the header with --header=FILE");
    return false;
  }
  if (!library.create(options.output, /*executable=*/true))
    return false;
  // A header beside a device is nobody's wish.
  if (options.header.empty() && library.isSpecialFile())
    return true;
  return header.create(headerPath);
}

/// Text does not depend on whether there is a ptxas: it never holds cubins.
bool Compilation::choosePtxas() {
  if (options.isText())
    lower.ptxas = "none";
  if (lower.ptxas == "none")
    return true;
  std::string problem;
  auto found = mlir::bwgemm::findPtxas(lower.ptxas, problem);
  if (!problem.empty()) {
    error(problem);
    return false;
  }
  if (found) {
    lower.ptxas = *found;
    if (options.verbose)
      say("using " + *found);
    return true;
  }
  std::string how = (mlir::bwgemm::kHowToGetPtxas + " with --ptxas").str();
  if (options.emit == Emit::Cubin) {
    error("--emit=cubin needs ptxas, which was not found; " + how);
    return false;
  }
  note("no ptxas found: the library carries PTX only, which a GPU's driver "
       "compiles when it is loaded; for a cubin " +
       how);
  lower.ptxas = "none";
  return true;
}

bool Compilation::parse() {
  auto buffer = MemoryBuffer::getFileOrSTDIN(options.input);
  if (!buffer) {
    error("cannot read '" + options.input +
          "': " + buffer.getError().message());
    return false;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return false;
  times.finish("parse");
  bool anything = !module->getOps<mlir::func::FuncOp>().empty();
  if (!anything)
    error("'" + options.input +
          "' has no function; expected func.func with a linalg.matmul");
  return anything;
}

/// Prints what was chosen and why, and compiles nothing.
bool Compilation::explain() {
  mlir::PassManager manager(&context);
  mlir::bwgemm::buildGemmPipeline(manager);
  mlir::bwgemm::AssignScheduleOptions assign;
  assign.target = options.lower.target;
  assign.schedule = options.lower.schedule;
  assign.database = options.lower.database;
  manager.addPass(mlir::bwgemm::createAssignSchedule(assign));
  // The pass opens both as well, and reports what is wrong with them.
  std::string unused;
  auto wanted =
      mlir::bwgemm::ScheduleSpec::parse(options.lower.schedule, unused);
  auto database =
      mlir::bwgemm::ScheduleDatabase::open(options.lower.database, unused);
  if (failed(manager.run(*module)) || !database)
    return false;
  if (mlir::bwgemm::explainSchedules(
          *module, *mlir::bwgemm::TargetInfo::find(options.lower.target),
          *wanted, *database, outs()))
    return true;
  error("'" + options.input +
        "' has no matrix product to explain: expected a linalg.matmul with "
        "elements in a function");
  return false;
}

/// Prints the schedules that are worth measuring, and compiles nothing.
bool Compilation::list() {
  mlir::PassManager manager(&context);
  mlir::bwgemm::buildGemmPipeline(manager);
  if (failed(manager.run(*module)))
    return false;
  std::vector<mlir::bwgemm::GemmOp> gemms;
  module->walk([&](mlir::bwgemm::GemmOp gemm) { gemms.push_back(gemm); });
  if (gemms.size() != 1) {
    error("--list-schedules expects one matrix product with elements, but '" +
          options.input + "' has " + std::to_string(gemms.size()));
    return false;
  }
  const auto &target = *mlir::bwgemm::TargetInfo::find(options.lower.target);
  std::string unused;
  auto wanted =
      *mlir::bwgemm::ScheduleSpec::parse(options.lower.schedule, unused);
  auto candidates = mlir::bwgemm::listSchedules(gemms.front(), target, wanted);
  for (const mlir::bwgemm::Candidate &candidate : candidates)
    outs() << candidate.schedule.getSpec() << '\n';
  if (!candidates.empty())
    return true;
  error("no schedule fits: " +
        mlir::bwgemm::tryCandidate(gemms.front(), target, wanted).refusal);
  return false;
}

bool Compilation::lowerModule() {
  double serialize = 0;
  mlir::PassManager manager(&context);
  if (options.time)
    manager.addInstrumentation(std::make_unique<SerializeTimer>(serialize));
  mlir::bwgemm::buildLowerPipeline(manager, lower);
  if (!options.printAfter.empty()) {
    bool all = options.printAfter == "all";
    manager.enableIRPrinting(
        /*shouldPrintBeforePass=*/nullptr,
        [this, all](mlir::Pass *pass, mlir::Operation *) {
          return all || pass->getArgument() == options.printAfter;
        },
        /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/all,
        /*printAfterOnlyOnFailure=*/false, errs());
  }
  if (failed(manager.run(*module)))
    return false;
  if (options.time) {
    double ptxas = mlir::bwgemm::getPtxasMilliseconds();
    times.addPart("kernels to PTX (LLVM)", serialize - ptxas);
    times.addPart("PTX to cubin (ptxas)", ptxas);
  }
  times.finish("passes");
  binaries = getBinaries(*module);
  return readDescription();
}

/// Takes the description and the names of the functions that it lists.
bool Compilation::readDescription() {
  auto attribute = module->getOperation()->getAttrOfType<mlir::StringAttr>(
      mlir::bwgemm::kDescriptionAttr);
  description = attribute ? attribute.getValue().str() : "{}";
  Expected<json::Value> parsed = json::parse(description);
  if (!parsed) {
    error("the description is not JSON: " + toString(parsed.takeError()));
    return false;
  }
  const json::Object *root = parsed->getAsObject();
  const json::Array *entries = root ? root->getArray("functions") : nullptr;
  bool anyOperation = false;
  if (entries) {
    for (const json::Value &entry : *entries) {
      const json::Object *function = entry.getAsObject();
      functions.push_back(function->getString("name").value_or("").str());
      const json::Array *operations = function->getArray("operations");
      anyOperation |= operations && !operations->empty();
    }
  }
  if (functions.empty()) {
    error("'" + options.input +
          "' has no public function with a body: nothing to export");
    return false;
  }
  bool wantsKernels = options.emit == Emit::PTX || options.emit == Emit::Cubin;
  if (!anyOperation && !wantsKernels)
    note("'" + options.input + "' has no matrix multiplication");
  return true;
}

bool Compilation::emit() {
  switch (options.emit) {
  case Emit::PTX:
  case Emit::Cubin:
    return emitKernels();
  case Emit::LLVM:
  case Emit::SharedLibrary:
    return emitHost();
  case Emit::MLIR: {
    std::string text;
    raw_string_ostream(text) << *module << '\n';
    return writeOutput(options.output, text);
  }
  }
  return false;
}

bool Compilation::emitKernels() {
  const char *what = options.emit == Emit::PTX ? "ptx" : "cubin";
  if (binaries.empty()) {
    error("there are no kernels: expected a linalg.matmul in a function");
    return false;
  }
  if (binaries.size() != 1) {
    error("--emit=" + std::string(what) + " expects one kernel module, but '" +
          options.input + "' has " + std::to_string(binaries.size()) +
          "; --emit=so takes any number");
    return false;
  }
  const KernelBinary &binary = binaries.front();
  bool done = writeOutput(
      options.output, options.emit == Emit::PTX ? binary.ptx : binary.cubin);
  times.finish("output");
  return done;
}

bool Compilation::emitHost() {
  LLVMContext llvmContext;
  std::unique_ptr<Module> host = translateHostCode(
      *module, binaries, description, getLibraryPath("libbwgemm-emulator.so"),
      functions, llvmContext);
  if (!host)
    return false;
  times.finish("host code to LLVM IR");
  if (options.emit == Emit::SharedLibrary)
    return link(*host);
  std::string text;
  raw_string_ostream(text) << *host;
  return writeOutput(options.output, text);
}

bool Compilation::link(Module &host) {
  SmallVector<char, 0> object;
  std::vector<std::string> exported = getExportedFunctions(host);
  if (!makeObject(host, object))
    return false;
  times.finish("host code to machine code");
  if (!linkLibrary(object, library.temporaryPath(), exported, options.verbose))
    return false;
  times.finish("link");
  std::string text =
      makeHeader(sys::path::filename(options.output), description);
  bool hasHeader = header.isCreated();
  if (hasHeader && !header.write(text))
    return false;
  if (!library.keep() || (hasHeader && !header.keep()))
    return false;
  if (options.verbose)
    say("wrote " + options.output + (hasHeader ? " and its header" : ""));
  return true;
}

int bwgemm::compile::compile(const Options &options) {
  return Compilation(options).run() ? 0 : 2;
}
