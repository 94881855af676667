// SPDX-License-Identifier: Apache-2.0
// Whatever is in a cluster file: it is read, and then written and read back as the same network, or it is refused.
#include <cstdint>
#include <cstdlib>

#include "network/file/cluster_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const Cluster cluster = parse_cluster({reinterpret_cast<const char*>(data), size}, "fuzz");
    const Cluster again = parse_cluster(write_cluster(cluster), "again");
    if (again.fingerprint() != cluster.fingerprint() || again.name() != cluster.name() ||
        again.description() != cluster.description()) {
      std::abort();
    }
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") {
      std::abort();  // refused without a reason, or what we wrote ourselves cannot be read
    }
  }
  return 0;
}
