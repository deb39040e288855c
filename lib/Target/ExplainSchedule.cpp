//===- ExplainSchedule.cpp - Why a schedule was chosen --------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Target/ExplainSchedule.h"

#include "bwgemm/Transforms/ResourcePlan.h"
#include "bwgemm/Transforms/ScheduleSearch.h"
#include "bwgemm/Transforms/TmaAddressable.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Alternatives that are printed beside the best one of each other preset, and
/// reasons for which others do not fit.
constexpr unsigned kMostVariants = 5, kMostRefusals = 6;

/// Explains one gemm.
class Explanation {
public:
  Explanation(GemmOp gemm, const TargetInfo &target, const ScheduleSpec &wanted,
              const ScheduleDatabase &database, llvm::raw_ostream &out)
      : gemm(gemm), target(target), wanted(wanted), database(database),
        out(out), problem(getProblem(gemm)), schedule(*gemm.getSchedule()) {}

  void print(unsigned number);

private:
  void printProblem(unsigned number);
  void printMeasured();
  void printResources();
  void printPrediction();
  void printAlternatives();
  void printAlternative(const Candidate &candidate);
  void printRefusals(ArrayRef<Candidate> candidates);
  std::string why(const Prediction &other) const;

  GemmOp gemm;
  const TargetInfo &target;
  const ScheduleSpec &wanted;
  const ScheduleDatabase &database;
  llvm::raw_ostream &out;
  GemmProblem problem;
  ScheduleAttr schedule;
  Prediction chosen;
};

std::string describe(MemRefType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent))
      stream << "?x";
    else
      stream << extent << "x";
  }
  stream << type.getElementType();
  return text;
}

/// What a SPEC names.
std::string describe(const ScheduleSpec &spec) {
  std::string text = stringifyPreset(spec.preset).str();
  llvm::raw_string_ostream stream(text);
  if (spec.tile)
    stream << ",tile=" << (*spec.tile)[0] << "x" << (*spec.tile)[1] << "x"
           << (*spec.tile)[2];
  if (spec.ctaGroup)
    stream << ",cta_group=" << *spec.ctaGroup;
  if (spec.cluster)
    stream << ",cluster=" << (*spec.cluster)[0] << "x" << (*spec.cluster)[1];
  if (spec.stages)
    stream << ",stages=" << *spec.stages;
  if (spec.splitK)
    stream << ",split_k=" << *spec.splitK;
  return text;
}

std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(value < 10 ? "%.2f" : "%.1f", value);
  return text;
}

std::string count(int64_t value, StringRef what) {
  return (Twine(value) + " " + what + (value == 1 ? "" : "s")).str();
}

void Explanation::printProblem(unsigned number) {
  auto function = gemm->getParentOfType<FunctionOpInterface>();
  out << function.getName() << ", product " << number << ": "
      << describe(gemm.getDType()) << (gemm.getAccumulate() ? " += " : " = ")
      << describe(gemm.getAType())
      << (gemm.getTransposeA() ? " (transposed)" : "") << " * "
      << describe(gemm.getBType())
      << (gemm.getTransposeB() ? " (transposed)" : "") << ", for "
      << target.name << "\n";
  bool known = gemm.getAType().hasStaticShape() &&
               gemm.getBType().hasStaticShape() &&
               gemm.getDType().hasStaticShape();
  if (!known)
    out << "  sizes      M = " << problem.m << ", N = " << problem.n
        << ", K = " << problem.k << ": extents that are not known are taken as "
        << kAssumedExtent << "\n";
  out << "  schedule   " << schedule.getSpec() << "\n";
  if (gemm.getFallback())
    out << "  fallback   " << gemm.getFallbackAttr().getSpec()
        << ", where TMA cannot address A or B\n";
}

/// What the database has to do with the schedule, where it was asked.
void Explanation::printMeasured() {
  if (!asksDatabase(wanted) || database.getEntries().empty())
    return;
  MeasuredChoice choice = findMeasured(gemm, target, wanted, database);
  out << "  measured   ";
  if (!choice.schedule) {
    out << "no, by the cost model: " << choice.reason << " in "
        << database.getName() << "\n";
    return;
  }
  const DatabaseEntry &entry = *choice.entry;
  out << "entry " << entry.number << " of " << database.getName() << ": "
      << number(entry.microseconds) << " us on " << entry.device;
  if (choice.distance > 0 || !choice.isOfKind)
    out << ", for " << entry.getProblemText();
  if (choice.distance > 0)
    out << ", " << llvm::format("%.2f", choice.distance) << " away";
  out << "\n";
}

void Explanation::printResources() {
  if (schedule.getPreset() == Preset::Naive)
    return;
  Type stored = schedule.getSplitK() > 1 ? gemm.getSumType()
                                         : gemm.getDType().getElementType();
  ResourcePlan plan =
      planResources(schedule.getFields(), gemm.getAType().getElementType(),
                    stored, target.hasWgmma);
  out << "  takes      " << plan.getSharedBytes() << " of "
      << target.maxSharedBytes
      << " bytes of shared memory: " << count(plan.stages, "stage") << " of "
      << plan.slotBytes << ", " << plan.stagingBytes << " for the result, ";
  if (plan.answerBytes)
    out << plan.answerBytes << " for launch control, ";
  out << count(plan.mbarriers, "mbarrier") << "\n             ";
  if (plan.tensorColumns)
    out << plan.tensorColumns << " of " << kTensorMemoryColumns
        << " columns of tensor memory: "
        << count(plan.accumulators, "accumulator") << "\n             ";
  out << count(plan.threads, "thread");
  WarpgroupPlan warpgroups = planWarpgroups(schedule.getFields());
  bool hasWarpgroups = target.hasWgmma && !usesMmaSync(schedule.getPreset());
  if (hasWarpgroups && warpgroups.isReallocating()) {
    int64_t multiply = 32 * warpgroups.getWarps();
    out << ": " << multiply << " of up to " << warpgroups.getMultiplyRegisters()
        << " registers, " << plan.threads - multiply << " of "
        << warpgroups.getLoadRegisters() << "\n";
    return;
  }
  out << " of up to " << plan.getMostRegisters() << " registers\n";
}

void Explanation::printPrediction() {
  const Prediction &p = chosen;
  if (schedule.getPreset() != Preset::Naive)
    out << "  predicted  " << count(p.tiles, "tile") << " in "
        << count(p.waves, "wave") << ", each of " << count(p.steps, "step")
        << (p.stepCycles ? " of " + number(p.stepCycles) + " cycles" : "")
        << ", bound by " << stringifyBound(p.bound) << "\n             "
        << "main loop " << number(p.mainLoop) << " us, epilogue "
        << number(p.epilogue) << " us, adding parts of K "
        << number(p.reduction) << " us\n             ";
  else
    out << "  predicted  ";
  out << number(p.microseconds) << " us, " << number(p.teraflops)
      << " TFLOPS\n";
}

/// What makes another schedule slower.
std::string Explanation::why(const Prediction &other) const {
  double percent = (other.microseconds / chosen.microseconds - 1) * 100;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%+.1f %%", percent);
  double mainLoop = other.mainLoop - chosen.mainLoop;
  double epilogue = other.epilogue - chosen.epilogue;
  double reduction = other.reduction - chosen.reduction;
  if (other.microseconds < chosen.microseconds)
    return text;
  if (other.microseconds == chosen.microseconds)
    return text + ": the same, but it reads no less and is not simpler";
  if (reduction > std::max(mainLoop, epilogue))
    return text + ": adding parts takes " + number(other.reduction) + " us";
  if (epilogue > mainLoop)
    return text + ": an epilogue of " + number(other.epilogue) + " us";
  double work = other.waves * other.steps;
  if (work > chosen.waves * chosen.steps)
    return text + ": " + count(other.waves, "wave") + " of " +
           count(other.steps, "step");
  if (other.stepCycles > chosen.stepCycles)
    return text + ": " + number(other.stepCycles) + " cycles for a step (" +
           stringifyBound(other.bound).str() + ")";
  return text + ": " + number(mainLoop) + " us between and beside its steps";
}

void Explanation::printAlternative(const Candidate &candidate) {
  const Prediction &p = candidate.prediction;
  out << llvm::format("    %9s %9s  ", number(p.microseconds).c_str(),
                      number(p.teraflops).c_str())
      << candidate.schedule.getSpec() << "\n"
      << "                         " << why(p) << "\n";
}

void Explanation::printRefusals(ArrayRef<Candidate> candidates) {
  llvm::StringSet<> seen;
  for (const Candidate &candidate : candidates) {
    if (candidate.schedule || seen.size() == kMostRefusals ||
        !seen.insert(candidate.refusal).second)
      continue;
    if (seen.size() == 1)
      out << "  does not fit\n";
    out << "    " << describe(candidate.spec) << "\n      " << candidate.refusal
        << "\n";
  }
}

void Explanation::printAlternatives() {
  // Beside a schedule that was asked for, what `auto` would have taken.
  ScheduleSpec open;
  const ScheduleSpec &spec = wanted.preset == Preset::Auto ? wanted : open;
  std::vector<Candidate> candidates = searchSchedules(gemm, target, spec);
  ScheduleSpec naive;
  naive.preset = Preset::Naive;
  out << "  alternatives, by us and TFLOPS that are predicted\n";
  llvm::SmallSet<Preset, 8> presets;
  presets.insert(schedule.getPreset());
  unsigned variants = 0;
  for (const Candidate &candidate : candidates) {
    if (!candidate.schedule || candidate.schedule == schedule)
      continue;
    bool isFirst = presets.insert(candidate.schedule.getPreset()).second;
    if (!isFirst && variants == kMostVariants)
      continue;
    variants += !isFirst;
    printAlternative(candidate);
  }
  if (schedule.getPreset() != Preset::Naive)
    printAlternative(tryCandidate(gemm, target, naive));
  printRefusals(candidates);
}

void Explanation::print(unsigned number) {
  chosen = predict(target, problem, schedule.getFields());
  printProblem(number);
  if (llvm::is_contained(gemm.getAType().getShape(), 0) ||
      llvm::is_contained(gemm.getBType().getShape(), 0)) {
    out << "  predicted  no kernel runs: an extent is zero\n";
    return;
  }
  printMeasured();
  printResources();
  printPrediction();
  if (usesMmaSync(schedule.getPreset()))
    out << "             by a model of multistage, fitted to times on an "
           "H200\n";
  for (auto [type, name] :
       {std::pair(gemm.getAType(), "A"), std::pair(gemm.getBType(), "B")})
    if (std::optional<std::string> reason = whyNotTmaAddressable(type, name)) {
      out << "  TMA        not used: " << *reason << "\n";
      return;
    }
  if (target.hasTmaSchedules())
    printAlternatives();
  else
    out << "  TMA        not used: schedules with it are for "
        << TargetInfo::getTmaNames() << "\n";
}

} // namespace

unsigned bwgemm::explainSchedules(ModuleOp module, const TargetInfo &target,
                                  const ScheduleSpec &wanted,
                                  const ScheduleDatabase &database,
                                  llvm::raw_ostream &out) {
  unsigned gemms = 0;
  module.walk([&](FunctionOpInterface function) {
    unsigned number = 0;
    function.walk([&](GemmOp gemm) {
      if (gemms++)
        out << "\n";
      Explanation(gemm, target, wanted, database, out).print(++number);
    });
  });
  if (gemms)
    out << "\nTimes that are predicted are those of the cost model of "
           "docs/Schedules.md.\n";
  return gemms;
}
