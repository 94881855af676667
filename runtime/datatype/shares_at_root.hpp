// SPDX-License-Identifier: Apache-2.0
// The shares of a gather or a scatter on one rank, as the program gave them.
#pragma once

#include <cstdint>

#include "datatype/message.hpp"

namespace trunkline::runtime {

struct RootShares {
  Message* all = nullptr;  ///< at the root: a share of each rank of the communicator, in its order; else null
  Message* own = nullptr;  ///< this rank's; null: at the root, it is where it belongs
  std::uint64_t share_bytes = 0;
  bool gathers = false;  ///< to the root; else from it
};

}  // namespace trunkline::runtime
