//===- DescribeModule.cpp - The description of a module -------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeEpilogue.h"
#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Target/Description.h"
#include "bwgemm/Target/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_DESCRIBEMODULE
#include "bwgemm/Target/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;
namespace json = llvm::json;

std::string bwgemm::getPtxSymbol(unsigned index) {
  return index == 0 ? "bwgemm_ptx" : "bwgemm_ptx_" + std::to_string(index);
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

/// -1 stands for what is only known when the function is called.
static json::Value toJson(int64_t extentOrStride) {
  return ShapedType::isDynamic(extentOrStride) ? -1 : extentOrStride;
}

static json::Array toJson(ArrayRef<int64_t> extentsOrStrides) {
  json::Array array;
  for (int64_t value : extentsOrStrides)
    array.push_back(toJson(value));
  return array;
}

static json::Object describeType(Type type) {
  json::Object object;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    object["element_type"] = toString(type);
    object["scalar"] = true;
    return object;
  }
  object["element_type"] = toString(memref.getElementType());
  object["shape"] = toJson(memref.getShape());
  if (memref.getLayout().isIdentity())
    return object;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (succeeded(memref.getStridesAndOffset(strides, offset))) {
    object["strides"] = toJson(strides);
    object["offset"] = toJson(offset);
  }
  return object;
}

//===----------------------------------------------------------------------===//
// Functions before lowering
//===----------------------------------------------------------------------===//

namespace {
struct Access {
  bool read = false, write = false;
};
} // namespace

/// Adds what the users of `value`, views of it included, do to its memory.
static void findAccess(Value value, Access &access) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isMemoryEffectFree(user)) {
      if (isa<ViewLikeOpInterface>(user) || isa<memref::CastOp>(user))
        findAccess(user->getResult(0), access);
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects) {
      access.read = access.write = true;
      continue;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      Value on = instance.getValue();
      if (on && on != value)
        continue;
      access.read |= isa<MemoryEffects::Read>(instance.getEffect());
      access.write |= isa<MemoryEffects::Write>(instance.getEffect());
    }
  }
}

static StringRef getName(Access access) {
  if (access.read && access.write)
    return "read_write";
  if (access.write)
    return "write";
  return "read";
}

/// Looks through casts, which leave the buffer as it is.
static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

namespace {
/// Describes the operations of one function.
class OperationDescriber {
public:
  explicit OperationDescriber(func::FuncOp function) : function(function) {}

  json::Array run() {
    json::Array operations;
    std::string blocker = findBlocker();
    function.walk(
        [&](GemmOp gemm) { operations.push_back(describe(gemm, blocker)); });
    return operations;
  }

private:
  /// The name of an op other than gemm that writes memory, or "".
  std::string findBlocker() {
    std::string name;
    function.walk([&](Operation *op) {
      if (op == function || isa<GemmOp, memref::AllocOp, memref::DeallocOp>(op))
        return;
      bool harmless =
          op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op);
      if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
        harmless |= !effects.hasEffect<MemoryEffects::Write>();
      else
        harmless |= op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      if (!harmless && name.empty())
        name = op->getName().getStringRef().str();
    });
    return name;
  }

  json::Object describeOperand(Value operand, StringRef name,
                               std::string &reason) {
    Value source = skipCasts(operand);
    auto argument = dyn_cast<BlockArgument>(source);
    if (argument && argument.getOwner() == &function.getBody().front())
      return json::Object{{"arg", argument.getArgNumber()}};
    if (reason.empty())
      reason =
          ("operand " + name + " is not an argument of the function").str();
    auto [entry, isNew] = values.insert({source, values.size()});
    return json::Object{{"value", entry->second}};
  }

  /// What adds up the products, where its schedule is known.
  static StringRef getMultiplier(GemmOp gemm) {
    auto name = gemm->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
        "bwgemm.target");
    const TargetInfo *target = name ? TargetInfo::find(name) : nullptr;
    if (!target || !gemm.getSchedule())
      return "";
    Preset preset = gemm.getSchedule()->getPreset();
    if (preset == Preset::Naive)
      return "fma";
    if (usesMmaSync(preset))
      return "mma.sync";
    return target->hasWgmma ? "wgmma" : "tcgen05";
  }

  json::Object describe(GemmOp gemm, StringRef blocker) {
    std::string reason;
    json::Object a = describeOperand(gemm.getA(), "A", reason);
    json::Object b = describeOperand(gemm.getB(), "B", reason);
    json::Object d = describeOperand(gemm.getD(), "D", reason);
    a["transposed"] = gemm.getTransposeA();
    b["transposed"] = gemm.getTransposeB();
    if (gemm.getUnsignedA())
      a["unsigned"] = true;
    if (gemm.getUnsignedB())
      b["unsigned"] = true;
    std::optional<json::Object> epilogue;
    if (gemm.hasEpilogue())
      epilogue = describeEpilogue(gemm, [&](Value operand, StringRef name) {
        return describeOperand(operand, name, reason);
      });
    if (reason.empty() && gemm->getParentOp() != function)
      reason = "it stands inside of " +
               gemm->getParentOp()->getName().getStringRef().str();
    if (reason.empty() && !blocker.empty())
      reason = ("the function also runs " + blocker).str();
    json::Object object{{"op", "gemm"},
                        {"a", std::move(a)},
                        {"b", std::move(b)},
                        {"d", std::move(d)},
                        {"accumulate", gemm.getAccumulate()}};
    if (epilogue)
      object["epilogue"] = std::move(*epilogue);
    if (StringRef name = getMultiplier(gemm); !name.empty())
      object["multiplied_by"] = name;
    if (gemm.getSchedule() &&
        gemm.getSchedule()->getPrecision() == Precision::Tf32)
      object["precision"] = "tf32";
    if (gemm.getSchedule() &&
        gemm.getSchedule()->getAccumulator() == Accumulator::F16) {
      object["accumulator"] = "f16";
      if (int64_t block = gemm.getSchedule()->getPromote())
        object["promote"] = block;
    }
    if (!reason.empty()) {
      object["checkable"] = false;
      object["reason"] = reason;
    }
    return object;
  }

  func::FuncOp function;
  llvm::MapVector<Value, int64_t> values;
};
} // namespace

static json::Object describeFunction(func::FuncOp function) {
  json::Object object;
  object["name"] = function.getName();
  json::Array arguments;
  for (BlockArgument argument : function.getArguments()) {
    json::Object entry = describeType(argument.getType());
    if (isa<BaseMemRefType>(argument.getType())) {
      Access access;
      findAccess(argument, access);
      entry["access"] = getName(access);
    }
    arguments.push_back(std::move(entry));
  }
  object["arguments"] = std::move(arguments);
  if (function.getNumResults()) {
    json::Array results;
    for (Type type : function.getResultTypes())
      results.push_back(describeType(type));
    object["results"] = std::move(results);
  }
  std::string schedule, fallback;
  function.walk([&](GemmOp gemm) {
    if (!gemm.getSchedule() || !schedule.empty())
      return;
    schedule = gemm.getScheduleAttr().getSpec();
    if (gemm.getFallback())
      fallback = gemm.getFallbackAttr().getSpec();
  });
  if (!schedule.empty())
    object["schedule"] = schedule;
  if (!fallback.empty())
    object["fallback"] = fallback;
  object["operations"] = OperationDescriber(function).run();
  return object;
}

//===----------------------------------------------------------------------===//
// Kernels after lowering
//===----------------------------------------------------------------------===//

/// Returns the constant that an extent or a size of a launch is.
static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

static json::Object describeLaunch(gpu::LaunchFuncOp launch) {
  json::Object object;
  object["name"] = launch.getKernelName().getValue();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  auto x = getConstant(block.x), y = getConstant(block.y),
       z = getConstant(block.z);
  if (x && y && z)
    object["block"] = json::Array{*x, *y, *z};
  Value shared = launch.getDynamicSharedMemorySize();
  if (!shared)
    object["shared_bytes"] = 0;
  else if (auto bytes = getConstant(shared))
    object["shared_bytes"] = *bytes;
  return object;
}

/// Registers and spills of `kernel`, where ptxas reported them.
static void addAssemblerFacts(gpu::BinaryOp binary, json::Object &kernel) {
  StringRef name = kernel.getString("name").value_or("");
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    DictionaryAttr properties = object.getProperties();
    auto table = properties ? properties.getAs<DictionaryAttr>("ptxas")
                            : DictionaryAttr();
    auto facts = table ? table.getAs<DictionaryAttr>(name) : DictionaryAttr();
    if (!facts)
      continue;
    for (NamedAttribute fact : facts)
      if (auto number = dyn_cast<IntegerAttr>(fact.getValue()))
        kernel[fact.getName().getValue()] = number.getInt();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class DescribeModulePass
    : public bwgemm::impl::DescribeModuleBase<DescribeModulePass> {
public:
  using DescribeModuleBase::DescribeModuleBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    json::Object description;
    if (auto previous = module->getAttrOfType<StringAttr>(kDescriptionAttr)) {
      llvm::Expected<json::Value> parsed = json::parse(previous.getValue());
      json::Object *object = parsed ? parsed->getAsObject() : nullptr;
      if (!object) {
        llvm::consumeError(parsed.takeError());
        emitError(module.getLoc())
            << "expects " << kDescriptionAttr << " to hold a JSON object";
        return signalPassFailure();
      }
      description = std::move(*object);
    }
    description["bwgemm"] = kDescriptionVersion;
    description["ptx_symbol"] = getPtxSymbol(0);
    if (auto target = module->getAttrOfType<StringAttr>("bwgemm.target"))
      description["target"] = target.getValue();

    json::Array functions;
    if (json::Array *previous = description.getArray("functions"))
      functions = std::move(*previous);
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isDeclaration())
        update(function, functions);
    description["functions"] = std::move(functions);

    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(description));
    module->setAttr(kDescriptionAttr, StringAttr::get(&getContext(), text));
  }

private:
  /// Brings the entry of `function` in `functions` up to date.
  void update(func::FuncOp function, json::Array &functions) {
    json::Object *entry = nullptr;
    for (json::Value &value : functions)
      if (json::Object *object = value.getAsObject())
        if (object->getString("name") == function.getName())
          entry = object;
    bool hasGemms = false;
    function.walk([&](GemmOp) { hasGemms = true; });
    if (!entry) {
      functions.push_back(describeFunction(function));
      entry = functions.back().getAsObject();
    } else if (hasGemms) {
      *entry = describeFunction(function);
    }
    json::Array kernels;
    function.walk([&](gpu::LaunchFuncOp launch) {
      json::Object kernel = describeLaunch(launch);
      addModuleFacts(launch, kernel);
      kernels.push_back(std::move(kernel));
    });
    if (!kernels.empty())
      (*entry)["kernels"] = std::move(kernels);
  }

  void addModuleFacts(gpu::LaunchFuncOp launch, json::Object &kernel) {
    unsigned index = 0;
    for (Operation &op : getOperation().getOps()) {
      if (!isa<gpu::GPUModuleOp, gpu::BinaryOp>(op))
        continue;
      if (SymbolTable::getSymbolName(&op) == launch.getKernelModuleName()) {
        if (index != 0)
          kernel["ptx_symbol"] = getPtxSymbol(index);
        if (auto binary = dyn_cast<gpu::BinaryOp>(op))
          addAssemblerFacts(binary, kernel);
        return;
      }
      ++index;
    }
  }
};
} // namespace
