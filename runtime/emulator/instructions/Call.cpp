//===- Call.cpp - call, ret, alloca, stacksave, stackrestore ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, chapter 7 (ABI) and control flow: call, ret; stack manipulation.
// machine/CallStack.h says where a call keeps what.
//
//===----------------------------------------------------------------------===//

#include "instructions/KernelDecoder.h"
#include "instructions/Lanes.h"
#include "machine/Cta.h"
#include "machine/Grid.h"

#include <algorithm>

namespace bwgemm::emulator {

/// Most that one lane may put aside in recursions. Together with the stack
/// this bounds how deep a recursion goes.
static constexpr size_t maxSavedBytes = 256 * 1024;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static uint32_t frameOf(const Warp &w, int32_t frameSlot, unsigned lane) {
  if (frameSlot < 0)
    return 0;
  Operand frame;
  frame.slot = static_cast<uint32_t>(frameSlot);
  return w.in<uint32_t>(frame)[lane];
}

static std::byte *framePlace(Warp &w, unsigned lane, uint32_t frame,
                             const CallValue &value) {
  return w.cta().localAt(w.id() * warpSize + lane,
                         uint64_t(frame) + value.offset, value.bytes);
}

/// Appends the bytes of a value to `out`. False if its place is gone, which
/// only a stack pointer that was restored wrongly brings about.
static bool gather(Warp &w, unsigned lane, int32_t frameSlot,
                   const CallValue &value, std::vector<std::byte> &out) {
  size_t at = out.size();
  out.resize(at + value.bytes);
  if (value.kind != CallValue::Kind::Frame) {
    uint64_t bits[2] = {0, 0};
    if (value.operand.width == 128) {
      bits[0] = w.in<uint64_t>(value.operand)[lane];
      bits[1] = w.in<uint64_t>(value.operand)[warpSize + lane];
    } else if (value.operand.width == 1) {
      bits[0] = w.predicate(value.operand) >> lane & 1;
    } else {
      bits[0] = w.value(value.operand, lane);
    }
    std::memcpy(&out[at], bits, std::min<size_t>(value.bytes, 16));
    return true;
  }
  const std::byte *place =
      framePlace(w, lane, frameOf(w, frameSlot, lane), value);
  if (place && value.bytes)
    std::memcpy(&out[at], place, value.bytes);
  return place != nullptr;
}

static bool scatter(Warp &w, unsigned lane, int32_t frameSlot,
                    const CallValue &value, const std::byte *bytes) {
  if (value.kind == CallValue::Kind::Register) {
    uint64_t bits[2] = {0, 0};
    std::memcpy(bits, bytes, std::min<size_t>(value.bytes, 16));
    if (value.operand.width == 128) {
      w.out<uint64_t>(value.operand)[lane] = bits[0];
      w.out<uint64_t>(value.operand)[warpSize + lane] = bits[1];
    } else if (value.operand.width == 1) {
      w.setPredicate(value.operand, bits[0] ? 1u << lane : 0, 1u << lane);
    } else {
      w.setValue(value.operand, lane, bits[0]);
    }
    return true;
  }
  std::byte *place = framePlace(w, lane, frameOf(w, frameSlot, lane), value);
  if (place && value.bytes)
    std::memcpy(place, bytes, value.bytes);
  return place != nullptr;
}

/// One lane's column of a function's registers.
static void saveColumn(Warp &w, unsigned lane, const DeviceFunction &f,
                       std::vector<std::byte> &saved) {
  size_t at = saved.size();
  saved.resize(at + f.savedBytes);
  for (const DeviceFunction::SavedRegister &r : f.registers) {
    const std::byte *column = w.file() + r.slot;
    if (r.bits == 1) {
      uint32_t line;
      std::memcpy(&line, column, 4);
      saved[at++] = std::byte(line >> lane & 1);
      continue;
    }
    unsigned bytes = std::min(r.bits / 8, 8u);
    for (unsigned plane = 0; plane < r.bits / 8; plane += bytes) {
      std::memcpy(&saved[at], column + plane * warpSize + lane * bytes, bytes);
      at += bytes;
    }
  }
}

static void restoreColumn(Warp &w, unsigned lane, const DeviceFunction &f,
                          std::vector<std::byte> &saved) {
  size_t at = saved.size() - f.savedBytes, end = at;
  for (const DeviceFunction::SavedRegister &r : f.registers) {
    std::byte *column = w.file() + r.slot;
    if (r.bits == 1) {
      uint32_t line;
      std::memcpy(&line, column, 4);
      line = (line & ~(1u << lane)) | uint32_t(saved[at++]) << lane;
      std::memcpy(column, &line, 4);
      continue;
    }
    unsigned bytes = std::min(r.bits / 8, 8u);
    for (unsigned plane = 0; plane < r.bits / 8; plane += bytes) {
      std::memcpy(column + plane * warpSize + lane * bytes, &saved[at], bytes);
      at += bytes;
    }
  }
  saved.resize(end);
}

//===----------------------------------------------------------------------===//
// call
//===----------------------------------------------------------------------===//

static CallStack::Lane &laneOf(Warp &w, unsigned lane) {
  CallStack::Lane &stack = w.extension<CallStack>().lanes[lane];
  if (stack.top == 0) {
    const Kernel &kernel = w.grid().kernel;
    stack.top = localBase + kernel.entryFrameBytes;
    stack.active.assign(kernel.functions.size(), 0);
  }
  return stack;
}

static Step badFrame(Warp &w, const Instruction &i, unsigned lane) {
  return w.trap(i, lane,
                "the arguments and results of a call must be in the caller's "
                "frame, which is no longer on the stack");
}

/// Step::Next if the lane has entered the function.
static Step enterFunction(Warp &w, const Instruction &i, const CallSite &site,
                          const DeviceFunction &f, unsigned lane,
                          uint32_t returnTo, std::vector<std::byte> &buffer) {
  CallStack::Lane &stack = laneOf(w, lane);
  uint64_t frame =
      (uint64_t(stack.top) + f.frameAlign - 1) & ~uint64_t(f.frameAlign - 1);
  uint64_t end = uint64_t(localBase) + w.cta().localBytesPerThread();
  bool saves = f.mayRecurse && stack.active[f.number] > 0;
  if (frame + frameCharge(f) > end ||
      (saves && stack.saved.size() + f.savedBytes > maxSavedBytes))
    return w.trap(i, lane,
                  "stack overflow: the call of '" + f.name + "' at depth " +
                      std::to_string(stack.calls.size() + 1) + " needs " +
                      std::to_string(frameCharge(f)) +
                      " bytes, and the thread has used " +
                      std::to_string(stack.top - localBase) + " of " +
                      std::to_string(end - localBase) +
                      " (the limit is CU_LIMIT_STACK_SIZE)");
  buffer.clear();
  for (const CallValue &argument : site.arguments)
    if (!gather(w, lane, site.frameSlot, argument, buffer))
      return badFrame(w, i, lane);
  if (saves)
    saveColumn(w, lane, f, stack.saved);
  stack.calls.push_back({&f, &i, returnTo, stack.top, saves});
  if (f.mayRecurse)
    ++stack.active[f.number];
  stack.top = static_cast<uint32_t>(frame + frameCharge(f));
  Operand pointer;
  pointer.slot = f.frameSlot;
  w.out<uint32_t>(pointer)[lane] = static_cast<uint32_t>(frame);
  size_t at = 0;
  for (const CallValue &param : f.params) {
    if (!scatter(w, lane, int32_t(f.frameSlot), param, buffer.data() + at))
      return badFrame(w, i, lane);
    at += param.bytes;
  }
  return Step::Next;
}

static Step callBuiltin(Warp &w, const Instruction &i, const CallSite &site,
                        const DeviceFunction &f, unsigned lane,
                        std::vector<std::byte> &buffer) {
  uint64_t arguments[8] = {}, result = 0;
  for (size_t n = 0; n < site.arguments.size() && n < 8; ++n) {
    buffer.clear();
    if (!gather(w, lane, site.frameSlot, site.arguments[n], buffer))
      return badFrame(w, i, lane);
    std::memcpy(&arguments[n], buffer.data(),
                std::min<size_t>(buffer.size(), 8));
  }
  if (f.builtin(w, i, lane, arguments, result) != Step::Next)
    return Step::Fault;
  for (const CallValue &value : site.results)
    if (!scatter(w, lane, site.frameSlot, value,
                 reinterpret_cast<const std::byte *>(&result)))
      return badFrame(w, i, lane);
  return Step::Next;
}

/// The function that a lane calls through a register; null after a trap.
static const DeviceFunction *findTarget(Warp &w, const Instruction &i,
                                        const CallSite &site, unsigned lane) {
  uint64_t address = w.value(i.operands[0], lane);
  bool listed = site.targets.empty() ||
                std::find(site.targets.begin(), site.targets.end(), address) !=
                    site.targets.end();
  for (const DeviceFunction &f : w.grid().kernel.functions) {
    if (f.address != address)
      continue;
    auto sameBytes = [](const CallValue &a, const CallValue &b) {
      return a.bytes == b.bytes;
    };
    bool fits =
        std::equal(f.params.begin(), f.params.end(), site.arguments.begin(),
                   site.arguments.end(), sameBytes) &&
        std::equal(f.results.begin(), f.results.end(), site.results.begin(),
                   site.results.end(), sameBytes);
    if (fits && listed)
      return &f;
    w.trap(i, lane,
           "indirect call of '" + f.name + "', " +
               (fits ? "which '.calltargets' does not list"
                     : "whose parameters differ from those of the call"),
           address);
    return nullptr;
  }
  w.trap(i, lane,
         address ? "indirect call of an address that is no function"
                 : "indirect call through a null pointer",
         address);
  return nullptr;
}

static Step call(Warp &w, const Instruction &i, LaneMask mask) {
  const auto &site = *static_cast<const CallSite *>(i.data);
  const Fragment running = w.fragment();
  std::vector<Fragment> parts;
  std::vector<std::byte> buffer;
  LaneMask stay = running.mask & ~mask;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const DeviceFunction *f =
        site.callee ? site.callee : findTarget(w, i, site, lane);
    if (!f)
      return Step::Fault;
    if (f->builtin) {
      if (callBuiltin(w, i, site, *f, lane, buffer) != Step::Next)
        return Step::Fault;
      stay |= 1u << lane;
      continue;
    }
    if (enterFunction(w, i, site, *f, lane, running.pc + 1, buffer) !=
        Step::Next)
      return Step::Fault;
    auto same = std::find_if(parts.begin(), parts.end(), [&](const auto &part) {
      return part.pc == f->entry;
    });
    if (same == parts.end()) {
      Fragment part;
      part.pc = f->entry;
      part.depth = running.depth + 1;
      same = parts.insert(parts.end(), part);
    }
    same->mask |= 1u << lane;
  }
  if (stay) {
    Fragment part;
    part.mask = stay;
    part.pc = running.pc + 1;
    part.depth = running.depth;
    parts.push_back(part);
  }
  return w.split(parts);
}

/// A CallValue in the caller for operand `written`, to fit `formal`.
static bool decodeValue(Decode &decode, const ast::Operand &written,
                        const CallValue &formal, bool isResult,
                        CallValue &value) {
  const char *what = isResult ? "result" : "argument";
  auto wrong = [&](const std::string &got) {
    return decode.errorAt(written.location,
                          std::string("expected ") +
                              (isResult ? "a result of " : "an argument of ") +
                              std::to_string(formal.bytes) + " bytes, got " +
                              got);
  };
  value.bytes = formal.bytes;
  if (written.kind == ast::Operand::Kind::Name && !written.minus &&
      !written.negated && !written.offset) {
    auto symbol = decode.symbol(written.name);
    if (!symbol)
      return decode.errorAt(written.location,
                            std::string("expected ") + what + " '" +
                                std::string(written.name) + "' to be declared");
    if (symbol->kind == Symbol::Kind::Variable && symbol->isCallParam) {
      if (symbol->bytes != formal.bytes)
        return wrong(std::to_string(symbol->bytes));
      value.kind = CallValue::Kind::Frame;
      value.offset = static_cast<uint32_t>(symbol->address);
      return true;
    }
    if (symbol->kind == Symbol::Kind::Register) {
      unsigned bits = bitWidth(symbol->type);
      // A 16-bit register may hold a parameter of one byte.
      bool fits =
          symbol->type == Type::Pred
              ? formal.bytes == 1
              : bits / 8 == formal.bytes || (bits == 16 && formal.bytes == 1);
      if (!fits)
        return wrong("a register of type " +
                     std::string(typeName(symbol->type)));
      value.kind = CallValue::Kind::Register;
      value.operand.kind = symbol->type == Type::Pred ? Operand::Kind::Predicate
                                                      : Operand::Kind::Register;
      value.operand.width =
          static_cast<uint8_t>(bits > 1 && bits < 16 ? 16 : bits);
      value.operand.slot = symbol->slot;
      return true;
    }
  }
  bool isNumber = written.kind == ast::Operand::Kind::Integer ||
                  written.kind == ast::Operand::Kind::Float32 ||
                  written.kind == ast::Operand::Kind::Float64;
  if (!isResult && isNumber && formal.bytes <= 8) {
    bool isFloat = written.kind != ast::Operand::Kind::Integer;
    if (isFloat && formal.bytes < 4)
      return wrong("a floating-point literal");
    bool isWide = formal.bytes == 8;
    Type type = isFloat ? (isWide ? Type::F64 : Type::F32)
                        : (isWide ? Type::B64 : Type::B32);
    value.kind = CallValue::Kind::Constant;
    return decode.resolveImmediate(written, type, value.operand);
  }
  return decode.errorAt(written.location,
                        isResult ? "expected a register or a .param variable "
                                   "as result of a call"
                                 : "expected a register, an immediate or a "
                                   ".param variable as argument of a call");
}

static bool decodeValues(Decode &decode, const ast::Operand *list,
                         const std::vector<CallValue> &formals, bool isResult,
                         std::vector<CallValue> &values) {
  size_t got = list ? list->elements.size() : 0;
  if (got != formals.size())
    return decode.errorAt(list ? list->location : decode.source.location,
                          "expected " + std::to_string(formals.size()) +
                              (isResult ? " results" : " arguments") +
                              " of the call, got " + std::to_string(got));
  for (size_t n = 0; n < got; ++n)
    if (!decodeValue(decode, list->elements[n], formals[n], isResult,
                     values.emplace_back()))
      return false;
  return true;
}

const CallSite *callSiteOf(const Instruction &i) {
  return i.handler == call ? static_cast<const CallSite *>(i.data) : nullptr;
}

/// The sizes of parameters in a prototype.
static bool decodeFormals(Decode &decode,
                          const std::vector<ast::Variable> &written,
                          std::vector<CallValue> &formals) {
  for (const ast::Variable &variable : written) {
    uint64_t bytes, align;
    if (!layOutVariable(variable, bytes, align) || variable.isUnsized ||
        bytes > maxFrameBytes)
      return decode.errorAt(variable.location,
                            "expected a parameter of a fundamental type and "
                            "known size in the call prototype");
    formals.emplace_back().bytes = static_cast<uint32_t>(bytes);
  }
  return true;
}

/// call{.uni} (results), function, (arguments){, prototype or targets};
static bool decodeCall(Decode &decode) {
  using Kind = ast::Operand::Kind;
  decode.take("uni");
  const std::vector<ast::Operand> &all = decode.source.operands;
  for (size_t n = 0; n < all.size(); ++n)
    decode.markUsed(n);
  size_t at = 0;
  const ast::Operand *results = nullptr, *arguments = nullptr;
  if (at < all.size() && all[at].kind == Kind::List)
    results = &all[at++];
  if (at == all.size() || all[at].kind != Kind::Name)
    return decode.error("expected a function or a register in '" +
                        decode.mnemonic() + "'");
  size_t targetAt = at++;
  if (at < all.size() && all[at].kind == Kind::List)
    arguments = &all[at++];
  const ast::Operand *shape = at < all.size() ? &all[at++] : nullptr;
  if (at != all.size())
    return decode.errorAt(all[at].location,
                          "unexpected operand of '" + decode.mnemonic() + "'");

  auto *site = decode.newData<CallSite>();
  decode.out.data = site;
  decode.out.handler = call;
  if (decode.function())
    site->frameSlot = static_cast<int32_t>(decode.function()->frameSlot);
  const ast::Operand &target = all[targetAt];
  auto symbol = decode.symbol(target.name);
  if (symbol && symbol->kind == Symbol::Kind::Function) {
    site->callee = decode.calledFunction(target.name);
    if (!site->callee)
      return decode.errorAt(target.location,
                            "expected a function, got the kernel '" +
                                std::string(target.name) +
                                "'; kernels that launch kernels are not "
                                "supported");
    decode.noteCall(site->callee);
    return decodeValues(decode, results, site->callee->results, true,
                        site->results) &&
           decodeValues(decode, arguments, site->callee->params, false,
                        site->arguments);
  }
  if (!symbol || symbol->kind != Symbol::Kind::Register)
    return decode.errorAt(target.location,
                          "expected a function or a register, got '" +
                              std::string(target.name) + "'" +
                              (symbol ? "" : ", which is not declared"));
  std::vector<CallValue> params, returned;
  auto described = shape && shape->kind == Kind::Name
                       ? decode.symbol(shape->name)
                       : std::nullopt;
  if (described && described->kind == Symbol::Kind::Prototype) {
    if (!decodeFormals(decode, described->prototype->params, params) ||
        !decodeFormals(decode, described->prototype->results, returned))
      return false;
  } else if (described && described->kind == Symbol::Kind::CallTargets) {
    for (std::string_view name : *described->targets) {
      const DeviceFunction *f = decode.calledFunction(name);
      if (!f)
        return decode.errorAt(shape->location, "expected functions in "
                                               "'.calltargets', got '" +
                                                   std::string(name) + "'");
      site->targets.push_back(f->address);
      params = f->params;
      returned = f->results;
    }
  } else {
    return decode.errorAt(shape ? shape->location : target.location,
                          "expected the label of a '.callprototype' or "
                          "'.calltargets' in a call through a register");
  }
  decode.noteCall(nullptr);
  return decode.sourceOperand(targetAt, Type::B64) &&
         decodeValues(decode, results, returned, true, site->results) &&
         decodeValues(decode, arguments, params, false, site->arguments);
}

//===----------------------------------------------------------------------===//
// ret
//===----------------------------------------------------------------------===//

static Step ret(Warp &w, const Instruction &i, LaneMask mask) {
  const Fragment running = w.fragment();
  std::vector<Fragment> parts;
  std::vector<std::byte> buffer;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    CallStack::Lane &stack = laneOf(w, lane);
    const CallStack::Call call = stack.calls.back();
    const DeviceFunction &f = *call.callee;
    const auto &site = *static_cast<const CallSite *>(call.site->data);
    if (f.noReturn)
      return w.trap(i, lane,
                    "'" + f.name + "' is declared .noreturn and returns");
    buffer.clear();
    for (const CallValue &result : f.results)
      if (!gather(w, lane, int32_t(f.frameSlot), result, buffer))
        return badFrame(w, i, lane);
    stack.calls.pop_back();
    stack.top = call.callerTop;
    if (f.mayRecurse)
      --stack.active[f.number];
    if (call.saved)
      restoreColumn(w, lane, f, stack.saved);
    size_t at = 0;
    for (const CallValue &result : site.results) {
      if (!scatter(w, lane, site.frameSlot, result, buffer.data() + at))
        return badFrame(w, i, lane);
      at += result.bytes;
    }
    auto same = std::find_if(parts.begin(), parts.end(), [&](const auto &part) {
      return part.pc == call.returnTo;
    });
    if (same == parts.end()) {
      Fragment part;
      part.pc = call.returnTo;
      part.depth = running.depth - 1;
      same = parts.insert(parts.end(), part);
    }
    same->mask |= 1u << lane;
  }
  if (LaneMask stay = running.mask & ~mask) {
    Fragment part;
    part.mask = stay;
    part.pc = running.pc + 1;
    part.depth = running.depth;
    parts.push_back(part);
  }
  return w.split(parts);
}

static Step exitKernel(Warp &w, const Instruction &, LaneMask mask) {
  return w.exit(mask);
}

static bool decodeRet(Decode &decode) {
  decode.take("uni");
  decode.flow = Flow::Exit;
  decode.out.handler = decode.function() ? ret : exitKernel;
  return decode.expectOperands(0, 0);
}

std::string describeCalls(Warp &warp, unsigned lane) {
  if (warp.grid().kernel.functions.empty())
    return "";
  const auto &calls = warp.extension<CallStack>().lanes[lane].calls;
  std::string text;
  // Of a deep recursion the innermost calls tell enough.
  constexpr size_t most = 8;
  for (size_t n = calls.size(); n-- > 0;) {
    if (calls.size() - n > most) {
      text += "\n  and " + std::to_string(n + 1) + " calls more";
      break;
    }
    text += "\n  in '" + calls[n].callee->name + "', called in line " +
            std::to_string(calls[n].site->line);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// The stack pointer
//===----------------------------------------------------------------------===//

/// alloca.type ptr, size{, align};
static Step allocaLocal(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    CallStack::Lane &stack = laneOf(w, lane);
    uint64_t size = w.value(i.operands[1], lane), align = i.extra;
    uint64_t end = uint64_t(localBase) + w.cta().localBytesPerThread();
    uint64_t at = (uint64_t(stack.top) + align - 1) & ~(align - 1);
    if (at > end || size > end - at)
      return w.trap(i, lane,
                    "stack overflow: alloca of " + std::to_string(size) +
                        " bytes, and the thread has used " +
                        std::to_string(stack.top - localBase) + " of " +
                        std::to_string(end - localBase) +
                        " (the limit is CU_LIMIT_STACK_SIZE)");
    stack.top = static_cast<uint32_t>((at + size + 7) & ~uint64_t(7));
    stack.top = static_cast<uint32_t>(std::min<uint64_t>(stack.top, end));
    w.setValue(i.operands[0], lane, at);
  }
  return Step::Next;
}

static bool addressType(Decode &decode, Type &type) {
  if (!decode.takeType(type))
    return false;
  return type == Type::U32 || type == Type::U64 ||
         decode.error("expected type u32 or u64 in '" + decode.mnemonic() +
                      "'");
}

static bool decodeAlloca(Decode &decode) {
  Type type;
  int64_t align = 8;
  if (!addressType(decode, type) || !decode.expectOperands(2, 3) ||
      !decode.destination(0, type) || !decode.sourceOperand(1, type) ||
      (decode.operandCount() == 3 && !decode.immediate(2, align)))
    return false;
  if (align <= 0 || align > (1 << 23) || (align & (align - 1)))
    return decode.error("expected an alignment that is a power of two of at "
                        "most 2^23, got " +
                        std::to_string(align));
  decode.noteDynamicStack();
  decode.out.extra = static_cast<uint64_t>(align);
  decode.out.handler = allocaLocal;
  return true;
}

static Step stacksave(Warp &w, const Instruction &i, LaneMask mask) {
  return setLanes(w, i.operands[0], mask,
                  [&](unsigned lane) { return laneOf(w, lane).top; });
}

/// Only what stacksave gave may be restored: between the end of the running
/// frame and the present top.
static Step stackrestore(Warp &w, const Instruction &i, LaneMask mask) {
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    CallStack::Lane &stack = laneOf(w, lane);
    uint64_t to = w.value(i.operands[0], lane);
    uint64_t least = localBase + w.grid().kernel.entryFrameBytes;
    if (!stack.calls.empty()) {
      const CallStack::Call &call = stack.calls.back();
      Operand frame;
      frame.slot = call.callee->frameSlot;
      least = uint64_t(w.in<uint32_t>(frame)[lane]) + frameCharge(*call.callee);
    }
    if (to < least || to > stack.top)
      return w.trap(i, lane,
                    "stackrestore of a value that stacksave did not give in "
                    "this call",
                    to);
    stack.top = static_cast<uint32_t>(to);
  }
  return Step::Next;
}

static bool decodeStackSave(Decode &decode) {
  Type type;
  decode.out.handler = stacksave;
  return addressType(decode, type) && decode.expectOperands(1, 1) &&
         decode.destination(0, type);
}

static bool decodeStackRestore(Decode &decode) {
  Type type;
  decode.out.handler = stackrestore;
  return addressType(decode, type) && decode.expectOperands(1, 1) &&
         decode.sourceOperand(0, type);
}

void registerCall(Registry &registry) {
  registry.add("call", decodeCall);
  registry.add("ret", decodeRet);
  registry.add("alloca", decodeAlloca);
  registry.add("stacksave", decodeStackSave);
  registry.add("stackrestore", decodeStackRestore);
}

} // namespace bwgemm::emulator
