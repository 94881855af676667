// SPDX-License-Identifier: Apache-2.0
// Words of a BlockSchedule on one rank: messages without data, which say that others have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "execute/rounds/local_blocks.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// They have a stream of their own, and go past the blocks: neither waits for the other one's turn.
class Words {
 public:
  static constexpr unsigned stream = 1;

  /// Both must outlive the object. `blocks`: of the message.
  Words(Transport& transport, const LocalBlocks& local, std::uint64_t blocks);

  /// Posts the first receives; others follow as words come, since an MPI library looks through all of them for each
  /// message. Throws MpiError.
  void start() { post_behind(0); }

  /// Whom the next word is for, where all blocks have come that are received before that round; none: no word is due.
  [[nodiscard]] std::optional<int> due(std::uint64_t before) const;
  /// Sends that one, or leaves it out. Throws MpiError.
  void send_next(bool is_left_out);

  /// Whether the word of that round has come; no_round: there is none.
  [[nodiscard]] bool has(std::uint64_t round) const;
  /// Of one that has not: what to wait for. Throws MpiError.
  [[nodiscard]] Pending& awaited(std::uint64_t round);
  /// Of those that have not, where some are missing: the first one.
  [[nodiscard]] Pending& first_missing();
  /// What was awaited last is over. Throws MpiError.
  void came();

  [[nodiscard]] bool are_missing() const;
  [[nodiscard]] bool needs(int rank) const;
  void add_peers(std::vector<int>& peers) const;
  [[nodiscard]] std::span<Pending> sends() { return sends_; }
  /// Those that were sent to it are awaited no more.
  void leave_out(int rank) noexcept;
  /// After an error: the library may still use them, which have no memory that anything else is in.
  void let_go() noexcept;

 private:
  struct Received {
    int peer;
    std::uint64_t round;
    Pending pending{};
    bool has_come = false;
  };
  struct Sent {
    int peer;
    std::uint64_t needs;  ///< round
  };

  static constexpr std::size_t most_posted = 64;  ///< before the first that is missing

  [[nodiscard]] Pending& await(std::size_t number);
  void post_behind(std::size_t number);

  Transport& transport_;
  std::vector<Received> received_;  ///< by round, ascending
  std::size_t posted_ = 0;          ///< the first ones
  std::size_t missing_ = 0;         ///< the first one that has not come
  std::vector<Sent> to_send_;       ///< the same
  std::vector<Pending> sends_;      ///< of these
  std::size_t sent_ = 0;
  std::size_t last_awaited_ = 0;
};

}  // namespace trunkline::runtime
