// SPDX-License-Identifier: Apache-2.0
// The blocks of an alltoall on one rank, as the program gave them.
#pragma once

#include <cstdint>

#include "datatype/message.hpp"

namespace trunkline::runtime {

struct Exchanged {
  Message& sent;      ///< a block for each rank of the communicator, in its order
  Message& received;  ///< a block of each
  std::uint64_t block_bytes;
  bool in_place;  ///< what is sent was there before, so the rank's own block is where it belongs
};

}  // namespace trunkline::runtime
