// SPDX-License-Identifier: Apache-2.0
// A copy of the ranks' library for each rank, so that each has its own variables, in little memory.
#pragma once

#include <string>

namespace trunkline::simulate {

/// Loads one more copy of the library that this code is in, and returns the address of `entry` in it. Its code, the
/// same in all copies, takes memory once: those pages are mapped from the library's own file. What a rank may change is
/// its own. `number` tells copies apart; the folder of temporary files holds the copy for a moment. Nothing unloads it.
/// Throws std::runtime_error.
[[nodiscard]] void* entry_of_copy(const char* entry, int number);

}  // namespace trunkline::simulate
