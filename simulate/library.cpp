// SPDX-License-Identifier: Apache-2.0
// Whose native algorithms the simulated ranks have: the choice of `auto` depends on it.
#include <cstdlib>
#include <string_view>

#include "startup/native_library.hpp"

namespace trunkline::runtime {
namespace {

/// Not a setting of the library's: SIMULATED_LIBRARY is between the command and its simulation.
NativeLibrary named_library() {
  const char* const name = std::getenv("SIMULATED_LIBRARY");
  return name != nullptr && std::string_view(name) == "openmpi" ? NativeLibrary::openmpi : NativeLibrary::mpich;
}

}  // namespace

const NativeLibrary native_library = named_library();

}  // namespace trunkline::runtime
