// SPDX-License-Identifier: Apache-2.0
// What all ranks of a job make alike, from the same files and the same words.
#pragma once

#include <memory>
#include <string>

#ifdef TRUNKLINE_SIMULATED
/// The place for something of that name, in the program that has loaded all ranks (simulate/common.hpp).
extern "C" std::shared_ptr<const void>* trunkline_simulate_common(const char* name);
#endif

namespace trunkline::runtime {

/// What `make` returns. A rank is a process, and makes its own. In a simulation thousands of ranks are one process: the
/// first one makes it for all. `name()` tells it from everything else that is made alike. `T` has nothing of a rank.
/// Its pointers into the first one's copy of this library, such as virtual functions, serve all: no rank compares them
/// with addresses of its own.
template <typename T, typename Name, typename Make>
std::shared_ptr<const T> shared_in_simulation([[maybe_unused]] const Name& name, const Make& make) {
#ifdef TRUNKLINE_SIMULATED
  std::shared_ptr<const void>& known = *trunkline_simulate_common(name().c_str());
  if (known == nullptr) known = std::make_shared<const T>(make());
  return std::static_pointer_cast<const T>(known);
#else
  return std::make_shared<const T>(make());
#endif
}

}  // namespace trunkline::runtime
