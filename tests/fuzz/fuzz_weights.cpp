// SPDX-License-Identifier: Apache-2.0
// Whatever is in a file of weights: it is read as a graph of its hosts, or it is refused with a reason.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "text/fault.hpp"
#include "weighted_graph/weights_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const WeightedNetwork read = parse_weights({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{100'000}, ~std::uint64_t{0}}) {
      try {
        if (read.weighed(bytes).size() != read.hosts.size()) std::abort();
      } catch (const std::invalid_argument&) {
        if (bytes == 0) std::abort();  // longer messages may take longer than any weight may
      }
    }
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") std::abort();
  }
  return 0;
}
