//===- Extension.h - State that an instruction family adds ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_EXTENSION_H
#define BWGEMM_EMULATOR_MACHINE_EXTENSION_H

#include <memory>
#include <utility>
#include <vector>

namespace bwgemm::emulator {

/// Holds at most one object of each type that a family asks for, made on
/// first use. A family keeps its own state of a warp, a CTA or a cluster
/// here, so that those classes do not know every family.
class Extensions {
public:
  /// The object of type T; value-initialised the first time.
  template <class T> T &get() {
    const void *key = &Key<T>::tag;
    for (auto &[entryKey, object] : objects)
      if (entryKey == key)
        return *static_cast<T *>(object.get());
    auto made = std::make_shared<T>();
    T &result = *made;
    objects.emplace_back(key, std::move(made));
    return result;
  }
  void clear() { objects.clear(); }

private:
  template <class T> struct Key {
    static inline char tag = 0;
  };
  std::vector<std::pair<const void *, std::shared_ptr<void>>> objects;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_EXTENSION_H
