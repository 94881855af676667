// SPDX-License-Identifier: Apache-2.0
// What a decision costs by whether its size was seen before: sizes that come back, others in every call, and the first
// of all. Prints JSON, nanoseconds of the processor, medians of batches that take turns. Argument: the folder of
// clusters.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "decide/decision.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "network/with_speeds.hpp"

namespace {

using namespace trunkline;

constexpr int batches = 21;
constexpr std::size_t sizes = 2000;

/// So many different sizes from 512 bytes to 16 MiB, as many in each doubling.
std::vector<std::uint64_t> random_sizes(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < sizes; ++i) {
    const std::uint64_t doubling = std::uint64_t{512} << (i % 15);
    all.push_back(doubling + random() % doubling);
  }
  std::ranges::shuffle(all, random);
  return all;
}

double nanoseconds_each(Decider& decider, const std::vector<std::uint64_t>& asked) {
  timespec begin{};
  timespec end{};
  std::uint64_t segments = 0;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (const std::uint64_t bytes : asked) {
    segments += decider.decide(bytes, OperandOrder::any, {}, false).segment_bytes;
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  const double all =
      1e9 * static_cast<double>(end.tv_sec - begin.tv_sec) + static_cast<double>(end.tv_nsec - begin.tv_nsec);
  return segments == 1 ? 0.0 : all / static_cast<double>(asked.size());  // what is decided is used
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const char* separator = "[";
  for (const char* const name : {"cyclic", "paper-1", "leaf-spine"}) {
    const Cluster cluster = scaled(read_cluster(std::string(argv[1]) + "/" + name + ".yaml"), 1e9);
    const Knowledge knowledge{.hosts = host_costs_of("mpich", ""), .cluster = cluster};
    const Placement placement = block_placement(cluster, 1);
    for (const Collective collective :
         {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather}) {
      std::vector<double> cold;
      std::vector<double> unseen;
      std::vector<double> seen;
      Decider warm(knowledge, collective, placement, 0);
      nanoseconds_each(warm, random_sizes(0));
      for (unsigned batch = 1; batch <= batches; ++batch) {
        Decider fresh(knowledge, collective, placement, 0);
        static_cast<void>(fresh.decide(512, OperandOrder::any, {}, false));  // lays the plans
        const std::vector<std::uint64_t> asked = random_sizes(batch);
        cold.push_back(nanoseconds_each(fresh, asked));
        unseen.push_back(nanoseconds_each(warm, asked));
        seen.push_back(nanoseconds_each(warm, asked));
      }
      std::printf("%s\n {\"cluster\": \"%s\", \"collective\": \"%s\", \"first_2000_sizes_ns\": %.0f, ", separator, name,
                  std::string(facts_of(collective).name).c_str(), median(cold));
      std::printf("\"size_not_seen_ns\": %.0f, \"size_seen_ns\": %.0f}", median(unseen), median(seen));
      separator = ",";
    }
  }
  std::printf("\n]\n");
}
