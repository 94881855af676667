// SPDX-License-Identifier: Apache-2.0
// What this process puts into its trace. There is one only where the ranks were told to trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "execute/events.hpp"
#include "trace/ring.hpp"

namespace trunkline::runtime {

class Recorder {
 public:
  /// `ring`: null where there is none: then what would have been put in is counted. `stem`: what the names of the
  /// job's files begin with, folder and all.
  Recorder(std::unique_ptr<Ring> ring, std::string stem) : ring_(std::move(ring)), stem_(std::move(stem)) {}

  [[nodiscard]] Ring* ring() noexcept { return ring_.get(); }
  [[nodiscard]] const std::string& stem() const noexcept { return stem_; }
  [[nodiscard]] std::uint64_t next_call() noexcept { return calls_.fetch_add(1, std::memory_order_relaxed); }

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
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
};

/// One call of the program, from its entry to its exit: listens to its executor. Where there is no recorder, free.
class TracedCall final : public EventSink {
 public:
  /// The call is entered.
  explicit TracedCall(Recorder* recorder) : recorder_(recorder), entered_(recorder != nullptr ? monotonic_ns() : 0) {}

  [[nodiscard]] bool is_on() const noexcept { return recorder_ != nullptr; }

  /// What it is going to run is known. Returns whether the file has no other call of this kind yet.
  bool begin(const CallKind& kind, std::uint64_t turn);

  void take(const Event& event) noexcept override;

  /// The call is left; nothing where it has not begun.
  void end(bool failed) noexcept;

 private:
  Recorder* recorder_;
  std::uint64_t entered_;
  std::uint64_t number_ = 0;
  bool has_begun_ = false;
};

}  // namespace trunkline::runtime
