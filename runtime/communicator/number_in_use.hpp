// SPDX-License-Identifier: Apache-2.0
// The number by which our messages know a communicator of the program, and the turns of its calls; in use for as long
// as the communicator or a call of it needs them: the program may free a communicator while calls on it are under way.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/mpi/ids.hpp"
#include "transport/mpi/tags.hpp"

namespace trunkline::runtime {

class NumberInUse {
 public:
  /// `ids` must outlive the object.
  NumberInUse(Ids& ids, unsigned number) : ids_(ids), number_(number) {}
  /// One whose calls have failed is not given back: what they left behind must not be taken for messages of another
  /// communicator.
  ~NumberInUse() {
    if (number_ != Ids::of_world && !has_failed_) ids_.release(number_);
  }
  NumberInUse(const NumberInUse&) = delete;
  NumberInUse& operator=(const NumberInUse&) = delete;

  [[nodiscard]] unsigned number() const noexcept { return number_; }

  struct Turn {
    std::uint64_t turn = 0;  ///< how many calls have begun before
    bool meets = false;      ///< all members meet before it (TagLayout)
  };

  /// Begins a call: once for each, by all ranks.
  [[nodiscard]] Turn next_turn(const TagLayout& tags) noexcept {
    const std::uint64_t turn = turns_++;
    return {.turn = turn, .meets = tags.meet_before(turn)};
  }

  /// Calls have been started that do not block.
  void has_started() noexcept { has_started_ = true; }
  [[nodiscard]] bool have_any_started() const noexcept { return has_started_; }

  /// The program has freed its communicator: nothing is asked of that any more. Any thread.
  void communicator_is_freed() noexcept { is_freed_ = true; }
  [[nodiscard]] bool is_communicator_freed() const noexcept { return is_freed_; }

  /// A call has left messages that no rank takes. Any thread.
  void fails() noexcept { has_failed_ = true; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  Ids& ids_;
  unsigned number_;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> is_freed_ = false;
  std::uint64_t turns_ = 0;
  bool has_started_ = false;
};

}  // namespace trunkline::runtime
