// SPDX-License-Identifier: Apache-2.0
// How long ranks think about the first call of a collective: plans are laid, costed and compared. Prints JSON,
// milliseconds of the processor, the least of five. Arguments: a cluster file, ranks a host, link rate in Gbit/s.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

#include "decide/decision.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "network/with_speeds.hpp"

namespace {

using namespace trunkline;

constexpr int repetitions = 5;

double milliseconds(const Knowledge& knowledge, Collective collective, const Placement& placement,
                    std::uint64_t bytes) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    Decider decider(knowledge, collective, placement, 0);
    const std::clock_t begin = std::clock();
    static_cast<void>(decider.decide(bytes, OperandOrder::any, {}, false));
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s CLUSTER-FILE RANKS-PER-HOST GBIT\n", argv[0]);
    return 2;
  }
  const Cluster cluster = scaled(read_cluster(argv[1]), 1e9 * std::atof(argv[3]));
  const Placement placement = block_placement(cluster, static_cast<Rank>(std::atoi(argv[2])));
  const Knowledge knowledge{.hosts = host_costs_of("mpich", ""), .cluster = cluster};
  const char* separator = "[";
  for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce,
                                      Collective::allgather, Collective::reduce_scatter, Collective::barrier}) {
    std::printf("%s\n {\"collective\": \"%s\"", separator, std::string(facts_of(collective).name).c_str());
    for (const std::uint64_t bytes : std::array<std::uint64_t, 3>{8192, 65536, 1048576}) {
      std::printf(", \"%llu\": %.1f", static_cast<unsigned long long>(bytes),
                  milliseconds(knowledge, collective, placement, bytes));
    }
    std::printf("}");
    std::fflush(stdout);
    separator = ",";
  }
  std::printf("\n]\n");
}
