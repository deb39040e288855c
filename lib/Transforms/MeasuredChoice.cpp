//===- MeasuredChoice.cpp - A schedule by what was measured ---------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Epilogue.h"
#include "bwgemm/Transforms/ResourcePlan.h"
#include "bwgemm/Transforms/ScheduleDatabase.h"
#include "bwgemm/Transforms/ScheduleSearch.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace mlir::bwgemm;

double bwgemm::getDistance(const DatabaseEntry &entry, int64_t m, int64_t n,
                           int64_t k) {
  double sum = 0;
  for (auto [lhs, rhs] :
       {std::pair(entry.m, m), std::pair(entry.n, n), std::pair(entry.k, k)}) {
    double ratio = std::log2(double(lhs) / double(rhs));
    sum += ratio * ratio;
  }
  return std::sqrt(sum);
}

bool bwgemm::asksDatabase(const ScheduleSpec &spec) {
  ScheduleSpec others = spec;
  others.pdl.reset();
  // namesFields lets stages=1 pass, which every schedule may have.
  return spec.preset == Preset::Auto && !others.namesFields() && !spec.stages;
}

/// The name that problems have for an element type.
static std::string getTypeName(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  if (type.isUnsignedInteger())
    return "u" + std::to_string(type.getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {

/// What becomes of sums. Elementwise ops are told apart by what they cost for
/// each element: schedules that are fast with some are so with others.
enum class Ending { None, Accumulate, Elementwise, Approximations, Functions };

/// One look into a database.
class Lookup {
public:
  Lookup(GemmOp gemm, const TargetInfo &target, const ScheduleSpec &spec,
         const ScheduleDatabase &database)
      : gemm(gemm), target(target), spec(spec), database(database) {}

  MeasuredChoice run();

private:
  bool readSizes();
  void findNearest();
  void check();
  bool isPlain() const;
  /// The entry is of the product alone, and the gemm has elementwise ops.
  bool isBare() {
    return choice.entry->epilogue == "none" && gemm.hasEpilogue();
  }
  /// "entry 3, 4096x4096x4096 bf16-bf16 nt,".
  std::string getEntryText() const {
    return "entry " + std::to_string(choice.entry->number) + ", " +
           choice.entry->getProblemText() + ",";
  }

  GemmOp gemm;
  const TargetInfo &target;
  const ScheduleSpec &spec;
  const ScheduleDatabase &database;
  int64_t m = 0, n = 0, k = 0;
  MeasuredChoice choice;
};

} // namespace

/// False if a size is not known, or zero.
bool Lookup::readSizes() {
  MemRefType a = gemm.getAType(), b = gemm.getBType(), d = gemm.getDType();
  auto known = [](int64_t lhs, int64_t rhs) {
    return ShapedType::isDynamic(lhs) ? rhs : lhs;
  };
  m = known(d.getDimSize(d.getRank() - 2), a.getDimSize(gemm.getMDimOfA()));
  n = known(d.getDimSize(d.getRank() - 1), b.getDimSize(gemm.getNDimOfB()));
  k = known(a.getDimSize(gemm.getKDimOfA()), b.getDimSize(gemm.getKDimOfB()));
  // What is not known is negative.
  return m > 0 && n > 0 && k > 0;
}

/// Whether kernels for two element types differ in nothing but the name.
static bool isLike(StringRef lhs, StringRef rhs) {
  auto isHalf = [](StringRef type) { return type == "f16" || type == "bf16"; };
  return lhs == rhs || (isHalf(lhs) && isHalf(rhs));
}

/// That of an entry, which has the name that problems have; nothing for a name
/// that this compiler does not know.
static std::optional<Ending> parseEnding(StringRef name) {
  return llvm::StringSwitch<std::optional<Ending>>(name)
      .Case("none", Ending::None)
      .Case("accumulate", Ending::Accumulate)
      .Cases({"bias", "bias_relu"}, Ending::Elementwise)
      .Case("bias_gelu_approx", Ending::Approximations)
      .Case("bias_gelu", Ending::Functions)
      .Default(std::nullopt);
}

static Ending getEnding(GemmOp gemm) {
  if (!gemm.hasEpilogue())
    return gemm.getAccumulate() ? Ending::Accumulate : Ending::None;
  if (computesFunctions(gemm.getEpilogue()))
    return Ending::Functions;
  bool approximates =
      llvm::any_of(gemm.getEpilogue().getOps(),
                   [](Operation &op) { return isApproximateOp(&op); });
  return approximates ? Ending::Approximations : Ending::Elementwise;
}

static StringRef getText(Ending ending) {
  switch (ending) {
  case Ending::None:
    return "";
  case Ending::Accumulate:
    return " accumulate";
  case Ending::Elementwise:
    return " with elementwise ops";
  case Ending::Approximations:
    return " with approximations of functions";
  case Ending::Functions:
    return " with functions";
  }
  llvm_unreachable("unknown ending");
}

void Lookup::findNearest() {
  std::string operands = getTypeName(gemm.getAType().getElementType());
  std::string result = getTypeName(gemm.getDType().getElementType());
  std::string transposes = gemm.getTransposeA() ? "t" : "n";
  transposes += gemm.getTransposeB() ? "t" : "n";
  Ending ending = getEnding(gemm);
  for (const DatabaseEntry &entry : database.getEntries()) {
    if (entry.target != target.name || !isLike(entry.operands, operands) ||
        !isLike(entry.result, result) || entry.transposes != transposes)
      continue;
    // That of the product alone serves those with elementwise ops behind it.
    std::optional<Ending> measured = parseEnding(entry.epilogue);
    bool isSame = measured == ending;
    if (!isSame && !(measured == Ending::None && gemm.hasEpilogue()))
      continue;
    double distance = getDistance(entry, m, n, k);
    bool isOfKind =
        entry.operands == operands && entry.result == result && isSame;
    if (!choice.entry || std::pair(distance, !isOfKind) <
                             std::pair(choice.distance, !choice.isOfKind)) {
      choice.entry = &entry;
      choice.distance = distance;
      choice.isOfKind = isOfKind;
    }
  }
  if (!choice.entry)
    choice.reason = ("no entry for " + target.name + ", " + operands + "-" +
                     result + " " + transposes + getText(ending).str())
                        .str();
}

/// Whether the operands lie as bwgemm-tune has them.
bool Lookup::isPlain() const {
  return GemmOp(gemm).getAType().getLayout().isIdentity() &&
         GemmOp(gemm).getBType().getLayout().isIdentity() &&
         GemmOp(gemm).getDType().getLayout().isIdentity();
}

void Lookup::check() {
  auto format = [](const char *pattern, double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(pattern, value);
    return text;
  };
  if (choice.distance > kNearDistance) {
    choice.reason = getEntryText() + " comes closest, but is " +
                    format("%.2f", choice.distance) + " away";
    return;
  }
  ScheduleSpec wanted = choice.entry->spec;
  if (spec.pdl)
    wanted.pdl = spec.pdl;
  // How results leave depends on the ops behind: on none for an entry of the
  // product alone, and on operands that others may have, too.
  auto leaveStoreOpen = [&] {
    wanted.store.reset();
    wanted.staging.reset();
    wanted.stages.reset();
  };
  if (isBare())
    leaveStoreOpen();
  Candidate measured = tryCandidate(gemm, target, wanted);
  if (!measured.schedule && gemm.hasEpilogue() && !isBare()) {
    leaveStoreOpen();
    measured = tryCandidate(gemm, target, wanted);
  }
  if (!measured.schedule) {
    choice.reason = getEntryText() + " does not fit: " + measured.refusal;
    choice.isUnfit = choice.distance == 0 && choice.isOfKind &&
                     !gemm.hasEpilogue() && isPlain();
    return;
  }
  // All elements of a thread's registers have code of their own: on an H200
  // GELU behind 256 x 200 did not stay in the instruction cache, and cost a
  // third of the speed.
  if (isBare() && computesFunctions(gemm.getEpilogue()) &&
      planWarpgroups(measured.schedule.getFields()).blocks > 1) {
    choice.reason = getEntryText() +
                    " has two blocks of 64 rows for each warpgroup, for which "
                    "the code of exp, log, tanh or erf becomes too long";
    return;
  }
  if (choice.distance > 0 || isBare()) {
    Candidate model = tryCandidate(gemm, target, spec);
    bool isOther =
        !model.schedule || usesMmaSync(model.schedule.getPreset()) !=
                               usesMmaSync(measured.schedule.getPreset());
    // There is no prediction for mma.sync.
    double slowdown =
        usesMmaSync(measured.schedule.getPreset()) || isOther
            ? 1
            : measured.prediction.microseconds / model.prediction.microseconds;
    if (isOther || slowdown > kNearSlowdown) {
      choice.reason =
          getEntryText() +
          (isOther ? " has another kind of kernel"
                   : " is predicted to take " +
                         format("%.1f %% more", (slowdown - 1) * 100)) +
          " than what the model takes";
      return;
    }
  }
  choice.schedule = measured.schedule;
}

MeasuredChoice Lookup::run() {
  if (!asksDatabase(spec))
    choice.reason = "fields are named beside auto";
  else if (!readSizes())
    choice.reason = "sizes are not known before the run";
  else
    findNearest();
  if (choice.entry)
    check();
  return choice;
}

MeasuredChoice bwgemm::findMeasured(GemmOp gemm, const TargetInfo &target,
                                    const ScheduleSpec &spec,
                                    const ScheduleDatabase &database) {
  return Lookup(gemm, target, spec, database).run();
}
