// SPDX-License-Identifier: Apache-2.0
// How the tags of our messages are made of what they belong to: a communicator of the program, one of its collective
// calls, one of the call's trees, and what the sender takes the call for.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace trunkline::runtime {

/// Sizes in bits, for an MPI library whose largest tag is `tag_ub`; MPI promises at least 32767.
///
///     communicator | turn | claim | tree
///
/// - tree: one call's messages between two ranks may go down several trees, each in an order of its own.
/// - claim: a digest of message, segment, algorithm and root. Where ranks disagree on them, their messages do not
/// match,
///   and that can be told from a rank that is late. No bits where tags are short.
/// - turn: the number of the call on its communicator. MPI's order would do without it, but what an erroneous call left
///   behind must not be taken for part of the next one.
class TagLayout {
 public:
  explicit constexpr TagLayout(int tag_ub) {
    const int all = std::bit_width(static_cast<unsigned>(tag_ub) + 1U) - 1;
    const bool is_short = all < 27;
    claim_bits_ = is_short ? 0 : 3;
    id_bits_ = is_short ? std::min(8, all - 9) : 11;
    turn_bits_ = all - tree_bits - claim_bits_ - id_bits_;
  }

  /// Trees of one plan that can be told apart.
  static constexpr unsigned trees = 15;

  /// Communicators that can be told apart at a time.
  [[nodiscard]] constexpr unsigned ids() const { return 1U << static_cast<unsigned>(id_bits_); }
  [[nodiscard]] constexpr unsigned claims() const { return 1U << static_cast<unsigned>(claim_bits_); }
  [[nodiscard]] constexpr std::uint64_t turns() const { return std::uint64_t{1} << static_cast<unsigned>(turn_bits_); }

  /// Whether all members have to meet before this call: a message of a call so far ahead that its turn has the same
  /// bits would be mistaken for one of this call under another claim. They meet twice in each round of bits.
  [[nodiscard]] constexpr bool meet_before(std::uint64_t turn) const {
    return claim_bits_ > 0 && turn > 0 && turn % (turns() / 2) == 0;
  }

  /// `id` below ids(), `tree` below trees; of `turn` and `claim` the low bits count.
  [[nodiscard]] constexpr int tag(unsigned id, std::uint64_t turn, std::uint64_t claim, unsigned tree) const {
    std::uint64_t tag = id;
    tag = tag << static_cast<unsigned>(turn_bits_) | (turn & (turns() - 1));
    tag = tag << static_cast<unsigned>(claim_bits_) | (claim & (claims() - 1));
    return static_cast<int>(tag << static_cast<unsigned>(tree_bits) | tree);
  }

  /// Of the word that a call has failed somewhere (trouble.hpp).
  [[nodiscard]] constexpr int notice(unsigned id, std::uint64_t turn) const { return tag(id, turn, 0, trees); }

 private:
  static constexpr int tree_bits = 4;
  int claim_bits_ = 0;
  int turn_bits_ = 0;
  int id_bits_ = 0;
};

}  // namespace trunkline::runtime
