// SPDX-License-Identifier: Apache-2.0
// Who goes on next: ranks are coroutines, of which one runs at a time, and time is a number. Everything that happens is
// an event at a time that the seed gave it, so a run with the same seed is the same run.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "fibers.hpp"

namespace trunkline::testing {

class Schedule {
 public:
  /// `fibers`: one for each rank at least. Both must outlive the object.
  Schedule(std::vector<Fiber>& fibers, std::mt19937& random) : fibers_(fibers), random_(random) {}

  [[nodiscard]] double now() const { return now_; }
  /// Who runs; -1: no rank does.
  [[nodiscard]] int running() const { return running_; }
  /// Of every step so far: who went on, and when.
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

  /// Another clock that shows the same time. It must outlive the run.
  void tell(double& clock) { clocks_.push_back(&clock); }

  /// Below `end`.
  [[nodiscard]] std::uint32_t any_below(std::uint32_t end) { return number() % end; }
  [[nodiscard]] bool chance(double probability) { return number() < probability * 0x1p32; }
  /// Seconds, up to `most`.
  [[nodiscard]] double any_time(double most) { return most * number() * 0x1p-32; }

  /// Before run(): ranks are numbered 0, 1, ... in the order of these calls.
  void add_rank(double enters_at, std::function<void()> work) {
    const int rank = static_cast<int>(ranks_.size());
    ranks_.emplace_back();
    fibers_[static_cast<std::size_t>(rank)].begin(std::move(work));
    at(enters_at, [this, rank] { go_on(rank); });
  }

  /// At that time, or now if it is over.
  void at(double when, std::function<void()> event) {
    events_.push({.at = std::max(when, now_), .tie = number(), .number = events_so_far_++, .event = std::move(event)});
  }

  /// Of the rank that runs: it goes on after `seconds`.
  void pause(double seconds) {
    const int rank = running_;
    at(now_ + seconds, [this, rank] { go_on(rank); });
    fibers_[static_cast<std::size_t>(rank)].leave();
  }

  /// Of the rank that runs: until it is woken.
  void wait() {
    const int rank = running_;
    ranks_[static_cast<std::size_t>(rank)].waits = true;
    fibers_[static_cast<std::size_t>(rank)].leave();
  }

  /// Something has happened that the rank may wait for.
  void wake(int rank) {
    Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (!one.waits) return;
    one.waits = false;
    at(now_ + any_time(longest_wake_s), [this, rank] { go_on(rank); });
  }

  /// The call has got on. Ranks that look in vain are stuck only where it does not.
  void gets_on() { got_on_ = now_; }

  /// Until nothing happens any more. False: some rank is not over, as all wait and nothing is under way, or as they
  /// have looked in vain for `patience` seconds.
  [[nodiscard]] bool run(double patience) {
    while (!events_.empty()) {
      Event next = std::move(const_cast<Event&>(events_.top()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      events_.pop();
      now_ = next.at;
      for (double* const clock : clocks_) *clock = now_;
      next.event();
      if (now_ - got_on_ > patience && !is_over()) return false;
    }
    return is_over();
  }

  [[nodiscard]] bool is_over() const { return over_ == ranks_.size(); }
  [[nodiscard]] bool is_over(int rank) const { return fibers_[static_cast<std::size_t>(rank)].is_over(); }
  [[nodiscard]] bool waits(int rank) const { return ranks_[static_cast<std::size_t>(rank)].waits; }

 private:
  static constexpr double longest_wake_s = 20e-6;

  struct Rank {
    bool waits = false;
  };
  struct Event {
    double at;
    std::uint32_t tie;  ///< who is first at the same time
    std::uint64_t number;
    std::function<void()> event;
    bool operator<(const Event& other) const {  // the greatest comes first
      if (at != other.at) return at > other.at;
      return tie != other.tie ? tie > other.tie : number > other.number;
    }
  };

  std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }

  void go_on(int rank) {
    trace_ = (trace_ ^ static_cast<std::uint64_t>(rank) ^ std::bit_cast<std::uint64_t>(now_)) * 0x9E3779B97F4A7C15U;
    trace_ ^= trace_ >> 29U;
    running_ = rank;
    Fiber& fiber = fibers_[static_cast<std::size_t>(rank)];
    fiber.resume();
    running_ = -1;
    if (!fiber.is_over()) return;
    ++over_;
    gets_on();
  }

  std::vector<Fiber>& fibers_;
  std::mt19937& random_;
  std::vector<Rank> ranks_;
  std::priority_queue<Event> events_;
  std::uint64_t events_so_far_ = 0;
  std::uint64_t trace_ = 0;
  std::size_t over_ = 0;
  double now_ = 0.0;
  double got_on_ = 0.0;
  std::vector<double*> clocks_{};
  int running_ = -1;
};

}  // namespace trunkline::testing
