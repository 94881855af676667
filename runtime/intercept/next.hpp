// SPDX-License-Identifier: Apache-2.0
// What a program would have called without this library: a tool's function, where one that is preloaded after this
// library stands in for it too, else MPI's own.
#pragma once

#include <dlfcn.h>

#include "transport/watchdog.hpp"

namespace trunkline::runtime {

/// `Own`: MPI's function by its second name, which is meant where the loader finds no other behind this library: under
/// Python MPI comes in by dlopen(RTLD_LOCAL).
template <auto* Own>
[[nodiscard]] decltype(Own) next_or_own(const char* name) {
  if constexpr (simulated) return Own;  // where no library is preloaded
  static const auto next = reinterpret_cast<decltype(Own)>(dlsym(RTLD_NEXT, name));
  return next != nullptr ? next : Own;
}

}  // namespace trunkline::runtime

/// A function of MPI's as the program would have called it: NEXT(Bcast)(...).
#define NEXT(function) (next_or_own<&PMPI_##function>("MPI_" #function))
