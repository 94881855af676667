// SPDX-License-Identifier: Apache-2.0
// runtime-seeded --seed N --calls M [--plant FAULT]: the library's executors under a seeded scheduler. Calls run alone,
// or two to four of them at once, as those that do not block. Each run has a seed of its own, which draws all of it:
// the cluster, the plan of any collective and kind, the data, which ranks are late and which one fails, how long each
// message takes, which datagrams are lost, who goes on next, and in which order calls that are under way make steps.
// Ranks are coroutines, and time is a number: losses and long waits cost none. Checks every byte, that no rank is stuck
// and that nothing is left over. What went wrong is printed with the seed of its run: `--seed` with that one runs it
// again, step for step.
//
// --plant FAULT has a fault strike in each run that has a chance for it (`--list` names them). Then one is to find it:
// the first one that does is run again, and once without the fault.
#include <mpi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "run_call.hpp"

namespace trunkline::testing {
namespace {

struct Wishes {
  std::uint32_t seed = 1;
  std::uint64_t calls = 1;
  Planted planted = Planted::nothing;
  bool lists = false;
};

/// Of the `number`-th run: the first has the one that was asked for.
std::uint32_t seed_of_run(std::uint32_t seed, std::uint64_t number) {
  if (number == 0) return seed;
  std::uint64_t mixed = (std::uint64_t{seed} << 32U) + number;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<std::uint32_t>(mixed ^ (mixed >> 31U));
}

std::string name_of(Planted planted) {
  for (const PlantedFact& one : planted_facts) {
    if (one.fault == planted) return std::string(one.name);
  }
  return "";
}

void say(const Wishes& wishes, std::uint32_t seed, const Outcome& outcome) {
  const std::string plant = wishes.planted == Planted::nothing ? "" : " --plant " + name_of(wishes.planted);
  std::printf("%s\n%s\nReplay: runtime-seeded --seed %u --calls 1%s (trace %016" PRIx64 ")\n", outcome.wrong.c_str(),
              outcome.call.c_str(), seed, plant.c_str(), outcome.trace);
}

/// Exit status: whether any of them was wrong.
int run_all(const Wishes& wishes) {
  constexpr int most_said = 5;
  Runs runs;
  int wrong = 0;
  std::uint64_t trace = 0;
  std::uint64_t calls = 0;
  std::uint64_t beside_others = 0;
  for (std::uint64_t number = 0; calls < wishes.calls && wrong < most_said; ++number) {
    const std::uint32_t seed = seed_of_run(wishes.seed, number);
    const Outcome outcome = runs.run(seed, Planted::nothing);
    calls += outcome.calls;
    if (outcome.calls > 1) beside_others += outcome.calls;
    trace = trace * 31 + outcome.trace;
    if (outcome.wrong.empty()) continue;
    ++wrong;
    say(wishes, seed, outcome);
  }
  std::printf("%d of the runs of %" PRIu64 " calls, %" PRIu64 " of them beside others, went wrong (trace %016" PRIx64
              ")\n",
              wrong, calls, beside_others, trace);
  return wrong == 0 ? 0 : 1;
}

/// Exit status: 0 where a run has found the planted fault, and the same seed finds the same again, and it is right
/// without it.
int find_planted_fault(const Wishes& wishes) {
  Runs runs;
  std::uint64_t struck = 0;
  std::uint64_t calls = 0;
  for (std::uint64_t number = 0; calls < wishes.calls; ++number) {
    const std::uint32_t seed = seed_of_run(wishes.seed, number);
    const Outcome outcome = runs.run(seed, wishes.planted);
    calls += outcome.calls;
    if (outcome.has_struck) ++struck;
    if (outcome.wrong.empty()) continue;
    say(wishes, seed, outcome);
    const Outcome again = Runs().run(seed, wishes.planted);
    const bool is_replayed = again.wrong == outcome.wrong && again.trace == outcome.trace;
    const bool is_right_without = Runs().run(seed, Planted::nothing).wrong.empty();
    std::printf("Found in run %" PRIu64 ", where it struck for the %" PRIu64 ". time; %s; without it all is %s\n",
                number + 1, struck, is_replayed ? "replayed step for step" : "NOT the same again",
                is_right_without ? "right" : "WRONG");
    return outcome.has_struck && is_replayed && is_right_without ? 0 : 1;
  }
  std::printf("NOT found in %" PRIu64 " calls, where it struck %" PRIu64 " times\n", calls, struck);
  return 1;
}

/// Empty where a word is none of ours, or lacks its value.
std::optional<Wishes> wishes_of(int count, char** words) {
  Wishes wishes;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--list") {
      wishes.lists = true;
      continue;
    }
    if (++i == count) return {};
    if (word == "--seed") {
      wishes.seed = static_cast<std::uint32_t>(std::strtoul(words[i], nullptr, 10));
    } else if (word == "--calls") {
      wishes.calls = std::strtoull(words[i], nullptr, 10);
    } else if (word == "--plant") {
      const auto planted = find_planted(words[i]);
      if (!planted) return {};
      wishes.planted = *planted;
    } else {
      return {};
    }
  }
  return wishes;
}

int run(int count, char** words) {
  const std::optional<Wishes> wishes = wishes_of(count, words);
  if (!wishes) {
    std::fprintf(stderr, "usage: runtime-seeded [--seed N] [--calls M] [--plant FAULT] [--list]\n");
    return 2;
  }
  if (wishes->lists) {
    for (const PlantedFact& one : planted_facts) {
      std::printf("%-22s%s\n", std::string(one.name).c_str(), std::string(one.what).c_str());
    }
    return 0;
  }
  return wishes->planted == Planted::nothing ? run_all(*wishes) : find_planted_fault(*wishes);
}

}  // namespace
}  // namespace trunkline::testing

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int status = trunkline::testing::run(count, words);
  MPI_Finalize();
  return status;
}
