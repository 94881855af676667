// SPDX-License-Identifier: Apache-2.0
// Memory for what a rank does before the first message of a call. A rank that cannot find out what the others run can
// neither take part nor tell them that it does not: they would wait for it for ever. So some memory is kept for that.
#pragma once

#include <cstddef>
#include <new>

namespace trunkline::runtime {

/// Keeps memory enough to lay plans for `ranks` ranks. Where there is none, later calls try again.
void hold_reserve(std::size_t ranks) noexcept;

/// Holds it again where it has been used.
void renew_reserve() noexcept;

/// Gives it back: the next request for memory may have it.
void release_reserve() noexcept;

/// Ends the job: this rank cannot go on, and the others would wait for it.
[[noreturn]] void end_for_want_of_memory();

/// What `make` returns. Where it throws std::bad_alloc it is called once more with the reserve; where that is not
/// enough the job ends. Other exceptions go on. `make` calls nothing of the program's.
template <typename Make>
auto with_reserve(const Make& make) {
  renew_reserve();
  try {
    return make();
  } catch (const std::bad_alloc&) {
    release_reserve();
  }
  try {
    return make();
  } catch (const std::bad_alloc&) {
    end_for_want_of_memory();
  }
}

}  // namespace trunkline::runtime
