// SPDX-License-Identifier: Apache-2.0
// runtime-threads TURNS PLANS SEED: every algorithm of the registry, for every collective that it serves, on 2 to 13
// ranks, so many times each, and so many random rounds of every collective; lengths, segments, windows, elements, roots
// and late ranks are random. Ranks are threads of this one process, and messages go between them: the library's
// executors and plans without a network. Checks every byte. Then one rank takes each call for another length, and the
// call must not end as if all were well. Prints what went wrong; exit status 0 or 1, and 2 where a call hangs.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "checked_calls.hpp"
#include "network/file/cluster_file.hpp"
#include "random_rounds.hpp"
#include "thread_transport.hpp"
#include "trial.hpp"

namespace trunkline::runtime {
namespace {

using testing::ElementKind;
using testing::Trial;

constexpr std::array<Rank, 7> rank_counts{2, 3, 4, 5, 7, 8, 13};
/// Of more, plans that lead to an end are hard to find by chance; of the last two they take as long as all others.
constexpr Rank most_of_random_rounds = 7;
constexpr int of_most_ranks = 4;  ///< every fourth plan
constexpr auto longest_call = std::chrono::seconds(60);
/// Ranks that wait look again and again: on a busy machine a call that hangs is told by what it takes of processors. Of
/// long messages in short segments one takes 42 s of them.
constexpr double most_processor_s = 100.0;
constexpr auto longest_of_all = std::chrono::seconds(600);

/// Ends the process where a call takes too long: a thread that waits for ever cannot be stopped.
class Watch {
 public:
  explicit Watch(const std::string& what) : what_(what), watcher_([this] { run(); }) {}
  ~Watch() {
    is_over_ = true;
    watcher_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void next() { ++calls_; }

 private:
  static bool has_hung(std::chrono::steady_clock::duration took, double processor_s) {
    return took > longest_of_all || (took > longest_call && processor_s > most_processor_s);
  }

  void run() {
    std::uint64_t seen = 0;
    auto since = std::chrono::steady_clock::now();
    std::clock_t before = std::clock();
    while (!is_over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const auto now = std::chrono::steady_clock::now();
      if (calls_ != seen) {
        seen = calls_;
        since = now;
        before = std::clock();
      } else if (has_hung(now - since, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC)) {
        std::fprintf(stderr, "a call hangs: %s\n", what_.c_str());
        std::_Exit(2);
      }
    }
  }

  const std::string& what_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> calls_{0};
  std::thread watcher_;
};

class Calls {
 public:
  /// Whether all ranks got what they should, and nothing was left over.
  bool run(const Trial& trial, const std::string& name) {
    ThreadsNetwork network(static_cast<int>(trial.ranks));
    const std::vector<std::string> faults =
        faults_of(network, trial, name, [&](Rank) -> const Trial& { return trial; });
    bool is_right = network.left_over() == 0;
    if (!is_right) std::fprintf(stderr, "%s: messages are left over\n", now_.c_str());
    for (Rank rank = 0; rank < trial.ranks; ++rank) {
      if (faults[rank].empty()) continue;
      is_right = false;
      std::fprintf(stderr, "%s: rank %u: %s\n", now_.c_str(), rank, faults[rank].c_str());
    }
    if (!is_right) std::fprintf(stderr, "%s\n", text_of(trial).c_str());
    return is_right;
  }

  /// Whether a rank finds out that `odd`, which has one element less than all others, sends or awaits something else.
  bool run_at_odds(const Trial& trial, Rank odd, const std::string& name) {
    Trial other = trial;
    for (MPI_Count& share : other.shares) --share;
    ThreadsNetwork network(static_cast<int>(trial.ranks));
    const auto seen_by = [&](Rank rank) -> const Trial& { return rank == odd ? other : trial; };
    const std::vector<std::string> faults = faults_of(network, trial, name + " at odds", seen_by);
    const bool is_found = std::ranges::find(faults, mpi_fault(MPI_ERR_TRUNCATE)) != faults.end();
    if (!is_found) std::fprintf(stderr, "%s: no rank has found it out\n%s\n", now_.c_str(), text_of(trial).c_str());
    return is_found;
  }

 private:
  template <class SeenBy>
  std::vector<std::string> faults_of(ThreadsNetwork& network, const Trial& trial, const std::string& name,
                                     const SeenBy& seen_by) {
    now_ = name + " on " + std::to_string(trial.ranks) + " ranks";
    watch_.next();
    std::vector<int> members(trial.ranks);
    std::iota(members.begin(), members.end(), 0);
    std::vector<std::string> faults(trial.ranks);
    std::vector<std::thread> threads;
    for (Rank rank = 0; rank < trial.ranks; ++rank) {
      threads.emplace_back([&, rank] { faults[rank] = fault_of(network, seen_by(rank), members, rank); });
    }
    for (std::thread& one : threads) one.join();
    return faults;
  }

  static std::string mpi_fault(int code) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    return "MPI error " + std::to_string(error_class);
  }

  std::string fault_of(ThreadsNetwork& network, const Trial& trial, const std::vector<int>& members, Rank rank) {
    ThreadsTransport transport(network, static_cast<int>(rank));
    try {
      const auto part = local_part(trial.plan, rank, members);
      testing::Runner runner(transport, trial, kinds_[trial.kind], rank, *part);
      return runner.run() ? "" : "wrong result";
    } catch (const MpiError& error) {
      transport.give_up(error.code);
      return mpi_fault(error.code);
    } catch (const GivenUp& other) {
      return "given up by rank " + std::to_string(other.rank);
    } catch (const std::exception& error) {
      transport.give_up(MPI_ERR_OTHER);
      return error.what();
    }
  }

  std::string now_ = "none";
  Watch watch_{now_};
  std::vector<ElementKind> kinds_ = testing::element_kinds();
};

/// As many hosts as the most ranks, on two switches far apart, so that trees by sites have two roots that exchange.
Cluster two_switches() {
  return parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts:\n  - {hosts: 'h[0-6]', switch: s0}\n  - {hosts: 'h[7-12]', switch: s1}\n"
      "links:\n  - {between: [s0, s1], latency: 5ms}\n",
      "two.yaml");
}

/// How many calls went wrong, of how many.
std::pair<int, int> run(int turns, int plans, unsigned seed) {
  const Cluster cluster = two_switches();
  Calls calls;
  std::mt19937 random(seed);
  int wrong = 0;
  int all = 0;
  const auto call = [&](Trial trial, Plan plan, const std::string& name) {
    trial.plan = std::move(plan);
    ++all;
    if (!calls.run(trial, name)) ++wrong;
  };
  for (int turn = 0; turn < turns; ++turn) {
    for (const Rank ranks : rank_counts) {
      Placement placement(ranks);
      for (HostIndex& host : placement) host = static_cast<HostIndex>(testing::below(random, cluster.hosts().size()));
      for (const Algorithm& one : algorithms()) {
        if (one.is_native()) continue;
        const Trial trial = testing::random_trial(one.collective, ranks, all, random);
        call(trial, lay(one.collective, one.name, &cluster, placement, trial.root),
             std::string(facts_of(one.collective).name) + " by " + std::string(one.name));
      }
    }
    // Whole hosts of several ranks, block by block or dealt: what goes in lanes needs them.
    for (const Rank lanes : {2U, 3U, 4U}) {
      const auto hosts = static_cast<Rank>(2 + testing::below(random, 2));
      const bool is_dealt = testing::below(random, 2) == 0;
      Placement placement;
      for (Rank rank = 0; rank < lanes * hosts; ++rank) {
        placement.push_back(6 * (2 - (is_dealt ? rank % hosts : rank / lanes)));  // one at least on each switch
      }
      for (const Algorithm& one : algorithms()) {
        if (one.name.find("lane-") == std::string_view::npos && !one.name.starts_with("packed-")) continue;
        const Trial trial = testing::random_trial(one.collective, lanes * hosts, all, random);
        call(trial, lay(one.collective, one.name, &cluster, placement, trial.root),
             std::string(facts_of(one.collective).name) + " by " + std::string(one.name) + " on hosts of " +
                 std::to_string(lanes));
      }
    }
  }
  for (const Rank ranks : {Rank{2}, Rank{4}, Rank{7}}) {
    Placement placement(ranks);
    std::iota(placement.begin(), placement.end(), HostIndex{0});
    for (const Algorithm& one : algorithms()) {
      if (one.is_native() || one.collective == Collective::barrier) continue;
      Trial trial = testing::at_odds(testing::random_trial(one.collective, ranks, all, random));
      const auto odd = static_cast<Rank>(testing::below(random, ranks));
      trial.plan = lay(one.collective, one.name, &cluster, placement, trial.root);
      ++all;
      const std::string name = std::string(facts_of(one.collective).name) + " by " + std::string(one.name);
      if (!calls.run_at_odds(trial, odd, name)) ++wrong;
    }
  }
  for (int number = 0; number < plans; ++number) {
    for (const CollectiveFacts& facts : collectives()) {
      for (Rank ranks = 2; ranks <= most_of_random_rounds; ++ranks) {
        if (ranks + 2 > most_of_random_rounds && number % of_most_ranks != 0) continue;
        const Trial trial = testing::random_trial(facts.collective, ranks, all, random);
        call(trial, testing::random_plan(facts.collective, ranks, trial.root, random),
             std::string(facts.name) + " by random rounds");
      }
    }
  }
  return {wrong, all};
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  return trunkline::testing::checked_calls(argc, argv, 4, [argv] {
    return trunkline::runtime::run(std::atoi(argv[1]), std::atoi(argv[2]), static_cast<unsigned>(std::atoi(argv[3])));
  });
}
