// SPDX-License-Identifier: Apache-2.0
// What this process puts into its trace. There is one only where the ranks were told to trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "collective/collective.hpp"
#include "execute/events.hpp"
#include "trace/ring.hpp"

namespace trunkline::runtime {

/// What of all is traced; the same on all ranks, but for whether the rank is one of those.
struct Choice {
  bool this_rank = true;
  std::uint32_t collectives = ~std::uint32_t{0};  ///< a bit each, by their numbers
  bool starts = true;                             ///< else the program turns it on
  std::uint64_t from_ns = 0;                      ///< after `start_ns`
  std::uint64_t until_ns = ~std::uint64_t{0};
  std::uint64_t start_ns = 0;  ///< of the monotonic clock, when MPI_Init was done
};

class Recorder {
 public:
  /// `ring`: null where there is none: then what would have been put in is counted. `stem`: what the names of the
  /// job's files begin with, folder and all.
  Recorder(std::unique_ptr<Ring> ring, std::string stem, const Choice& choice = {})
      : ring_(std::move(ring)), stem_(std::move(stem)), choice_(choice), is_on_(choice.starts) {}

  /// Whether calls of that collective are traced now. Any thread.
  [[nodiscard]] bool takes(Collective collective) const noexcept {
    return is_on_.load(std::memory_order_relaxed) &&
           (choice_.collectives >> static_cast<unsigned>(collective) & 1U) != 0;
  }
  /// Whether calls that begin then are, by the monotonic clock. Any thread.
  [[nodiscard]] bool takes_at(std::uint64_t ns) const noexcept {
    const std::uint64_t after = ns - choice_.start_ns;
    return after >= choice_.from_ns && after < choice_.until_ns;
  }
  /// Whether any call of this rank may be traced.
  [[nodiscard]] bool is_for_this_rank() const noexcept { return choice_.this_rank; }

  /// Calls that begin from now on are traced, or are not. Returns whether they were before. Any thread.
  bool turn(bool on) noexcept { return is_on_.exchange(on, std::memory_order_relaxed); }

  /// Of calls on MPI_COMM_WORLD: the same on all ranks, since all make the same calls there in one order.
  [[nodiscard]] std::uint64_t next_on_world() noexcept { return on_world_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] Ring* ring() noexcept { return ring_.get(); }
  [[nodiscard]] const std::string& stem() const noexcept { return stem_; }

  /// A call goes by that is not traced.
  void leave_out() noexcept {
    if (!has_left_out_.load(std::memory_order_relaxed)) has_left_out_.store(true, std::memory_order_relaxed);
  }
  /// The number of a call that is traced. They follow each other, but where calls were left out in between: then one
  /// number is, however many they were, so that not even the low bits of two numbers in a row are the same.
  [[nodiscard]] std::uint64_t next_call() noexcept {
    const std::uint64_t left_out =
        has_left_out_.load(std::memory_order_relaxed) && has_left_out_.exchange(false, std::memory_order_relaxed) ? 1
                                                                                                                  : 0;
    return calls_.fetch_add(1 + left_out, std::memory_order_relaxed) + left_out;
  }

  void put(std::uint64_t ns, std::uint64_t call, std::uint64_t what) noexcept {
    if (ring_ != nullptr) {
      ring_->put(ns, call, what);
    } else {
      lost_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// Records for which there was no file.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  std::unique_ptr<Ring> ring_;
  std::string stem_;
  Choice choice_;
  std::atomic<bool> is_on_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<bool> has_left_out_ = false;
  std::atomic<std::uint64_t> on_world_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
};

/// One call of the program, from its entry to its exit: listens to its executor. Where there is no recorder, free.
class TracedCall final : public EventSink {
 public:
  /// The call is entered. `on_world`: it is on MPI_COMM_WORLD.
  TracedCall(Recorder* recorder, Collective collective, bool on_world) {
    if (recorder == nullptr || !recorder->is_for_this_rank()) return;
    if (on_world) on_world_ = recorder->next_on_world();
    if (recorder->takes(collective)) {
      entered_ = monotonic_ns();
      if (recorder->takes_at(entered_)) recorder_ = recorder;
    }
    if (!is_on()) recorder->leave_out();
  }

  [[nodiscard]] bool is_on() const noexcept { return recorder_ != nullptr; }

  /// Its number among those on MPI_COMM_WORLD; of others 0.
  [[nodiscard]] std::uint64_t on_world() const noexcept { return on_world_; }

  /// What it is going to run is known. Returns whether the file has no other call of this kind yet.
  bool begin(const CallKind& kind, std::uint64_t turn);

  void take(const Event& event) noexcept override;

  /// The call is left; nothing where it has not begun.
  void end(bool failed) noexcept;

 private:
  Recorder* recorder_ = nullptr;
  std::uint64_t entered_ = 0;
  std::uint64_t on_world_ = 0;
  std::uint64_t number_ = 0;
  bool has_begun_ = false;
};

}  // namespace trunkline::runtime
