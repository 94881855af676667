// SPDX-License-Identifier: Apache-2.0
// Simulated ranks have one memory: each writes what it says where all can read it. Exchanged by messages, each would
// have it all: of 10 000 ranks 5 GB.
#include "startup/records.hpp"

#include <cstring>

#include "common.hpp"
#include "rendezvous.hpp"

namespace trunkline::runtime {

std::shared_ptr<const std::vector<std::byte>> records_of_all(const void* mine, std::size_t bytes, int rank, int ranks) {
  std::shared_ptr<const void>& place = *trunkline_simulate_common("records of all ranks");
  if (place == nullptr) place = std::make_shared<std::vector<std::byte>>(bytes * static_cast<std::size_t>(ranks));
  auto all = std::static_pointer_cast<const std::vector<std::byte>>(place);
  std::memcpy(const_cast<std::byte*>(all->data()) + bytes * static_cast<std::size_t>(rank), mine, bytes);
  trunkline_simulate_meet(static_cast<unsigned>(ranks));
  return all;
}

}  // namespace trunkline::runtime
