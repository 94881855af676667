// SPDX-License-Identifier: Apache-2.0
// Runs drawn calls under a schedule, with the library's executors, and says what went wrong: one by itself, or some
// that are under way at once.
#pragma once

#include <algorithm>
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

/// What came of a run.
struct Outcome {
  std::string wrong{};      ///< empty: nothing
  std::string call{};       ///< where something is wrong: which calls they were
  std::uint64_t calls = 1;  ///< that were under way at once
  std::uint64_t trace = 0;  ///< of every step, alike where the schedule is
  bool has_struck = false;  ///< a planted fault
};

/// What ranks of one call need while it runs. A call of fewer ranks than another one is of the first of them.
struct Scene {
  /// All but `drawn` must outlive the object.
  Scene(DrawnCall drawn, const ElementKind& elements, Schedule& schedule, Fault& fault, std::uint32_t seed)
      : call(std::move(drawn)),
        kind(elements),
        network(ranks(), call.longest_way_s, schedule, fault),
        members(call.trial.ranks),
        wrong(call.trial.ranks) {
    if (call.has_datagrams) {
      air.emplace(call.weather, call.payload_bytes, call.burst, call.eager_packets, seed);
      schedule.tell(air->now);
    }
    std::iota(members.begin(), members.end(), 0);
    for (int rank = 0; rank < ranks(); ++rank) {
      const std::optional<unsigned> fails_after = rank == call.fails ? std::optional(call.fails_after) : std::nullopt;
      transports.push_back(
          std::make_unique<SeededTransport>(network, rank, call.host, air ? &*air : nullptr, fails_after));
    }
  }

  [[nodiscard]] int ranks() const { return static_cast<int>(call.trial.ranks); }

  /// Once all is over; empty: nothing.
  [[nodiscard]] std::string fault() const {
    std::string text;
    for (std::size_t rank = 0; rank < wrong.size(); ++rank) {
      if (!wrong[rank].empty()) text += "\n  rank " + std::to_string(rank) + ": " + wrong[rank];
    }
    if (!text.empty() || has_failed) return text;
    const std::string left = network.left_over();
    return left.empty() ? "" : "left over:" + left;
  }

  DrawnCall call;
  const ElementKind& kind;
  SeededNetwork network;
  std::optional<Air> air{};
  std::vector<int> members;
  std::vector<std::unique_ptr<SeededTransport>> transports{};
  std::vector<std::string> wrong;
  bool has_failed = false;
};

/// One rank's part in some calls, as of a program that does not block: it starts them in order, makes steps of any of
/// those under way, and they end in any order.
class RankOfCalls {
 public:
  RankOfCalls(std::vector<std::unique_ptr<Scene>>& scenes, Schedule& schedule, Rank rank)
      : scenes_(scenes), schedule_(schedule), rank_(rank) {}

  void run() {
    while (next_ < scenes_.size()) run_next();
  }

 private:
  struct UnderWay {
    runtime::Execution& execution;
    bool is_over = false;
    std::exception_ptr thrown{};
  };

  /// The next call, and those that are started meanwhile.
  void run_next() {
    Scene& scene = *scenes_[next_++];
    if (rank_ >= scene.call.trial.ranks) return;
    std::string& wrong = scene.wrong[rank_];
    SeededTransport& transport = *scene.transports[rank_];
    const bool may_fail = static_cast<int>(rank_) == scene.call.fails;
    try {
      const std::vector<HostIndex> hosts(scene.call.host.begin(), scene.call.host.end());
      const auto part = runtime::local_part(scene.call.trial.plan, rank_, scene.members, hosts);
      const auto drive = [this, &scene](const Running& execution) {
        return scenes_.size() == 1 ? alone(scene, *execution) : beside_others(*execution);
      };
      Runner runner(transport, scene.call.trial, scene.kind, rank_, *part, scene.call.by_arrival, drive);
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

  [[nodiscard]] bool alone(const Scene& scene, runtime::Execution& execution) {
    if (!scene.call.steps[rank_]) return execution.run() == MPI_SUCCESS;
    while (!execution.step()) rest();
    return execution.code() == MPI_SUCCESS;
  }

  /// Those that are started within are over when this one is.
  [[nodiscard]] bool beside_others(runtime::Execution& execution) {
    const std::size_t own = under_way_.size();
    under_way_.push_back({.execution = execution});
    while (!under_way_[own].is_over) {
      if (next_ < scenes_.size() && schedule_.chance(0.3)) run_next();
      step(schedule_.any_below(static_cast<std::uint32_t>(under_way_.size())));
      rest();
    }
    const std::exception_ptr thrown = under_way_[own].thrown;
    under_way_.pop_back();
    if (thrown) std::rethrow_exception(thrown);
    return execution.code() == MPI_SUCCESS;
  }

  /// What an outer call throws is its own.
  void step(std::size_t number) {
    UnderWay& one = under_way_[number];
    if (one.is_over) return;
    try {
      one.is_over = one.execution.step();
    } catch (...) {
      one.is_over = true;
      one.thrown = std::current_exception();
    }
  }

  void rest() { schedule_.pause(schedule_.any_time(100e-6)); }

  std::vector<std::unique_ptr<Scene>>& scenes_;
  Schedule& schedule_;
  Rank rank_;
  std::size_t next_ = 0;
  std::vector<UnderWay> under_way_{};
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
    std::vector<DrawnCall> calls{Draw(seed, random).make()};
    std::mt19937 others(seed + 3);  // of its own, and such that the seeds in CMakeLists.txt stay what they were
    for (std::uint64_t beside = chance(several, others) ? 1 + below(others, most_beside) : 0; beside > 0; --beside) {
      calls.push_back(Draw(seed + static_cast<std::uint32_t>(beside), others).make());
    }
    Fault fault(planted, random);
    Schedule schedule(fibers_, random);
    striking_ = &fault;
    std::vector<std::unique_ptr<Scene>> scenes;
    for (DrawnCall& call : calls) {
      const bool is_turned = planted == Planted::swapped_operands && call.trial.kind == maps_kind;
      const ElementKind& kind = is_turned ? turned_ : kinds_[call.trial.kind];
      const auto weather = call.has_datagrams ? static_cast<std::uint32_t>(random()) : 0;
      scenes.push_back(std::make_unique<Scene>(std::move(call), kind, schedule, fault, weather));
    }
    add_ranks(scenes, schedule);
    const bool is_over = schedule.run(patience_s);
    Outcome outcome{.calls = scenes.size(), .trace = schedule.trace(), .has_struck = fault.has_struck()};
    for (const auto& scene : scenes) {
      outcome.wrong += is_over ? scene->fault() : "stuck:" + scene->network.waiting();
    }
    if (!outcome.wrong.empty()) {
      for (const auto& scene : scenes) {
        if (!outcome.call.empty()) outcome.call += "\nbeside ";
        outcome.call += scene->call.text() + "\n" + text_of(scene->call.trial);
      }
    }
    return outcome;
  }

 private:
  static constexpr std::size_t most_ranks = 32;
  /// Of simulated time. Ranks of a multicast ask again after less.
  static constexpr double patience_s = 30.0;
  static constexpr double several = 0.25;
  static constexpr std::uint64_t most_beside = 3;

  /// Each enters when it does the first of its calls.
  static void add_ranks(std::vector<std::unique_ptr<Scene>>& scenes, Schedule& schedule) {
    int ranks = 0;
    for (const auto& scene : scenes) ranks = std::max(ranks, scene->ranks());
    for (int rank = 0; rank < ranks; ++rank) {
      const auto first = std::ranges::find_if(scenes, [rank](const auto& scene) { return rank < scene->ranks(); });
      schedule.add_rank((*first)->call.enters_at[static_cast<std::size_t>(rank)],
                        [&scenes, &schedule, rank] { RankOfCalls(scenes, schedule, static_cast<Rank>(rank)).run(); });
    }
  }

  /// Where it strikes, the operands change places.
  static void combine_turned(void* in, void* inout, int* count, MPI_Datatype* type) {
    if (!striking_->strikes(Planted::swapped_operands)) return Maps::combine(in, inout, count, type);
    for (int i = 0; i < 2 * *count; i += 2) {
      int* const to = static_cast<int*>(inout) + i;
      Maps::follow(to, static_cast<int*>(in) + i, to);
    }
  }

  inline static Fault* striking_ = nullptr;  ///< of the calls that run

  std::vector<Fiber> fibers_;
  std::vector<ElementKind> kinds_;
  ElementKind turned_{};
};

}  // namespace trunkline::testing
