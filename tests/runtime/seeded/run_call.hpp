// SPDX-License-Identifier: Apache-2.0
// Runs drawn calls under a schedule, with the library's executors, and says what went wrong.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "drawn_call.hpp"
#include "execute/local_part.hpp"
#include "transport.hpp"

namespace trunkline::testing {

/// What came of a call.
struct Outcome {
  std::string wrong{};      ///< empty: nothing
  std::string call{};       ///< where something is wrong: which one it was
  std::uint64_t trace = 0;  ///< of every step, alike where the schedule is
  bool has_struck = false;  ///< a planted fault
};

class Runs {
 public:
  Runs() : fibers_(most_ranks), kinds_(element_kinds()) {
    kinds_.push_back(kind_of_maps(Maps::combine));
    turned_ = kind_of_maps(combine_turned);
  }
  ~Runs() {
    kinds_.push_back(std::move(turned_));
    release(kinds_);
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  [[nodiscard]] Outcome run(std::uint32_t seed, Planted planted) {
    std::mt19937 random(seed);
    const DrawnCall call = Draw(seed, random).make();
    Fault fault(planted, random);
    return run(call, planted, fault, random);
  }

 private:
  static constexpr std::size_t most_ranks = 32;
  /// Of simulated time. Ranks of a multicast ask again after less.
  static constexpr double patience_s = 30.0;

  /// What ranks of one call need while it runs.
  struct Scene {
    const DrawnCall& call;
    const ElementKind& kind;
    Schedule& schedule;
    SeededNetwork& network;
    std::vector<std::string> wrong;
    bool has_failed = false;
  };

  /// Where it strikes, the operands change places.
  static void combine_turned(void* in, void* inout, int* count, MPI_Datatype* type) {
    if (!striking_->strikes(Planted::swapped_operands)) return Maps::combine(in, inout, count, type);
    for (int i = 0; i < 2 * *count; i += 2) {
      int* const to = static_cast<int*>(inout) + i;
      Maps::follow(to, static_cast<int*>(in) + i, to);
    }
  }

  Outcome run(const DrawnCall& call, Planted planted, Fault& fault, std::mt19937& random) {
    Schedule schedule(fibers_, random);
    const int ranks = static_cast<int>(call.trial.ranks);
    SeededNetwork network(ranks, call.longest_way_s, schedule, fault);
    std::optional<Air> air;
    if (call.has_datagrams) {
      air.emplace(call.weather, call.payload_bytes, call.burst, call.eager_packets, static_cast<unsigned>(random()));
      schedule.tell(air->now);
    }
    striking_ = &fault;
    const bool is_turned = planted == Planted::swapped_operands && call.trial.kind == maps_kind;
    Scene scene{.call = call,
                .kind = is_turned ? turned_ : kinds_[call.trial.kind],
                .schedule = schedule,
                .network = network,
                .wrong = std::vector<std::string>(call.trial.ranks)};
    std::vector<int> members(call.trial.ranks);
    std::iota(members.begin(), members.end(), 0);
    std::vector<std::unique_ptr<SeededTransport>> transports;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::optional<unsigned> fails_after = rank == call.fails ? std::optional(call.fails_after) : std::nullopt;
      transports.push_back(
          std::make_unique<SeededTransport>(network, rank, call.host, air ? &*air : nullptr, fails_after));
      SeededTransport& own = *transports.back();
      schedule.add_rank(call.enters_at[static_cast<std::size_t>(rank)],
                        [&scene, &members, &own, rank] { run_rank(scene, members, own, static_cast<Rank>(rank)); });
    }
    const bool is_over = schedule.run(patience_s);
    Outcome outcome{.wrong = is_over ? fault_of(scene) : "stuck:" + network.waiting(),
                    .trace = schedule.trace(),
                    .has_struck = fault.has_struck()};
    if (!outcome.wrong.empty()) outcome.call = call.text() + "\n" + text_of(call.trial);
    return outcome;
  }

  static void run_rank(Scene& scene, const std::vector<int>& members, SeededTransport& transport, Rank rank) {
    std::string& wrong = scene.wrong[rank];
    const bool may_fail = static_cast<int>(rank) == scene.call.fails;
    try {
      const std::vector<HostIndex> hosts(scene.call.host.begin(), scene.call.host.end());
      const auto part = runtime::local_part(scene.call.trial.plan, rank, members, hosts);
      const auto drive = [&scene, rank](const Running& execution) { return driven(scene, rank, *execution); };
      Runner runner(transport, scene.call.trial, scene.kind, rank, *part, scene.call.by_arrival, drive);
      if (!runner.run()) wrong = "wrong result";
    } catch (const MpiError& error) {
      scene.has_failed = true;
      if (!may_fail) wrong = "MPI error " + std::to_string(error.code);
      transport.give_up(error.code);
    } catch (const GivenUp& other) {
      if (!scene.has_failed) wrong = "rank " + std::to_string(other.rank) + " is said to have given up, and none has";
    } catch (const std::exception& error) {
      scene.has_failed = true;
      wrong = error.what();
      transport.give_up(MPI_ERR_OTHER);
    }
  }

  static bool driven(Scene& scene, Rank rank, runtime::Execution& execution) {
    if (!scene.call.steps[rank]) return execution.run() == MPI_SUCCESS;
    while (!execution.step()) scene.schedule.pause(scene.schedule.any_time(100e-6));
    return execution.code() == MPI_SUCCESS;
  }

  static std::string fault_of(const Scene& scene) {
    std::string text;
    for (std::size_t rank = 0; rank < scene.wrong.size(); ++rank) {
      if (!scene.wrong[rank].empty()) text += "\n  rank " + std::to_string(rank) + ": " + scene.wrong[rank];
    }
    if (!text.empty() || scene.has_failed) return text;
    const std::string left = scene.network.left_over();
    return left.empty() ? "" : "left over:" + left;
  }

  inline static Fault* striking_ = nullptr;  ///< of the call that runs

  std::vector<Fiber> fibers_;
  std::vector<ElementKind> kinds_;
  ElementKind turned_{};
};

}  // namespace trunkline::testing
