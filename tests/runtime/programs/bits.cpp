// SPDX-License-Identifier: Apache-2.0
// runtime-bits TURNS SEED: every allreduce algorithm of the registry, on 2 to 13 ranks that are threads of this
// process, so many times each with every kind of operand: sums, products and extremes of floating numbers of unlike
// magnitude, of 0 and -0, of infinities and of NaNs that tell whose they are. Whatever a result is, it must have the
// same bits on all ranks. Operands and results lie at other places of a cache line on each. Prints what went wrong;
// exit status 0 or 1.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "allreduces.hpp"
#include "checked_calls.hpp"
#include "network/file/cluster_file.hpp"
#include "random_rounds.hpp"

namespace trunkline::runtime {
namespace {

using testing::below;
using testing::Bytes;
using testing::Call;

constexpr unsigned longest_run_s = 540;
constexpr std::array<Rank, 6> rank_counts{2, 3, 4, 6, 8, 13};

/// What operands are made of.
enum class Values { magnitudes, zeros, any };
constexpr std::array<const char*, 3> names_of_values{"numbers of unlike magnitude", "0 and -0", "NaNs and infinities"};

template <class Float, class Word>
Float value(Values values, Rank rank, std::mt19937& random) {
  const auto number = static_cast<Float>(below(random, 1U << 20)) - Float{5e5};
  const Float scaled = std::ldexp(number, static_cast<int>(below(random, 40)) - 20);
  if (values == Values::magnitudes) return scaled;
  const Float zero = below(random, 2) == 0 ? Float{0} : -Float{0};
  if (values == Values::zeros) return zero;
  const Word quiet = std::bit_cast<Word>(std::numeric_limits<Float>::quiet_NaN());
  const Word sign = below(random, 2) == 0 ? Word{0} : Word{1} << (8 * sizeof(Word) - 1);
  const std::array<Float, 5> choices{scaled, zero, std::numeric_limits<Float>::infinity(),
                                     -std::numeric_limits<Float>::infinity(),
                                     std::bit_cast<Float>(static_cast<Word>(quiet | sign | (rank + 1)))};
  return choices[below(random, choices.size())];
}

template <class Float, class Word>
Bytes operand(Values values, std::size_t count, Rank rank, std::mt19937& random) {
  std::vector<Float> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(value<Float, Word>(values, rank, random));
  Bytes bytes(count * sizeof(Float));
  std::memcpy(bytes.data(), all.data(), bytes.size());
  return bytes;
}

struct Case {
  const char* name;
  testing::Elements elements;
  Bytes (*operand)(Values values, std::size_t count, Rank rank, std::mt19937& random);
};

std::vector<Case> all_cases() {
  const auto of = [](MPI_Datatype type, MPI_Op operation, std::size_t bytes) {
    return testing::Elements{.type = type, .operation = operation, .bytes = bytes, .order = OperandOrder::any};
  };
  return {{"sums of doubles", of(MPI_DOUBLE, MPI_SUM, sizeof(double)), operand<double, std::uint64_t>},
          {"products of floats", of(MPI_FLOAT, MPI_PROD, sizeof(float)), operand<float, std::uint32_t>},
          {"maxima of doubles", of(MPI_DOUBLE, MPI_MAX, sizeof(double)), operand<double, std::uint64_t>},
          {"minima of floats", of(MPI_FLOAT, MPI_MIN, sizeof(float)), operand<float, std::uint32_t>}};
}

/// Hosts for all ranks, on two switches far apart, so that trees by sites have two roots that exchange.
Cluster two_switches() {
  return parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts:\n  - {hosts: 'h[0-6]', switch: s0}\n  - {hosts: 'h[7-12]', switch: s1}\n"
      "links:\n  - {between: [s0, s1], latency: 5ms}\n",
      "two.yaml");
}

/// What went wrong; empty: nothing.
std::string wrong(Call& call, const Case& one, Values values, Rank ranks, std::mt19937& random) {
  constexpr std::size_t counts[] = {1, 5, 40, 700};
  call.elements = one.elements;
  call.count = counts[below(random, std::size(counts))];
  call.pace.segment_bytes = std::max(std::uint64_t{8} << below(random, 9), call.count);
  const std::uint64_t in_flight = std::uint64_t{1} << below(random, 15);
  call.pace.in_flight = {.bytes = in_flight, .delay_bytes = in_flight, .hops_for_each_lead = 1.0};
  std::vector<Bytes> own;
  for (Rank rank = 0; rank < ranks; ++rank) own.push_back(one.operand(values, call.count, rank, random));
  const std::vector<bool> in_place(ranks, below(random, 2) == 0);
  const std::vector<Bytes> results = testing::results_of(call, own, in_place, 1);
  if (results.empty()) return "a rank failed";
  for (Rank rank = 1; rank < ranks; ++rank) {
    if (results[rank] == results.front()) continue;
    const auto differs = std::ranges::mismatch(results[rank], results.front()).in1 - results[rank].begin();
    return "rank " + std::to_string(rank) + " has other bits than rank 0 in element " +
           std::to_string(differs / static_cast<std::ptrdiff_t>(one.elements.bytes)) + " of " +
           std::to_string(call.count) + (in_place.front() ? ", in place" : "") + ", segments of " +
           std::to_string(call.pace.segment_bytes);
  }
  return "";
}

/// How many calls went wrong, of how many.
std::pair<int, int> run(int turns, unsigned seed) {
  const Cluster cluster = two_switches();
  std::mt19937 random(seed);
  int bad = 0;
  int all = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.is_native() || algorithm.collective != Collective::allreduce) continue;
    for (int turn = 0; turn < turns; ++turn) {
      for (const Rank ranks : rank_counts) {
        Placement placement(ranks);
        for (HostIndex& host : placement) host = static_cast<HostIndex>(below(random, cluster.hosts().size()));
        Call call{.plan = lay(Collective::allreduce, algorithm.name, &cluster, placement, 0),
                  .elements = {},
                  .count = 0,
                  .pace = {},
                  .late = -1,
                  .reproducible = false};
        for (const Case& one : all_cases()) {
          for (const Values values : {Values::magnitudes, Values::zeros, Values::any}) {
            ++all;
            const std::string found = wrong(call, one, values, ranks, random);
            if (found.empty()) continue;
            ++bad;
            std::fprintf(stderr, "%s of %s by %s on %u ranks: %s\n", one.name,
                         names_of_values.at(static_cast<std::size_t>(values)), std::string(algorithm.name).c_str(),
                         ranks, found.c_str());
          }
        }
      }
    }
  }
  return {bad, all};
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  return trunkline::testing::checked_calls(argc, argv, 3, [argv] {
    alarm(trunkline::runtime::longest_run_s);  // a call that hangs ends the program
    return trunkline::runtime::run(std::atoi(argv[1]), static_cast<unsigned>(std::atoi(argv[2])));
  });
}
