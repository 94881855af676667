// SPDX-License-Identifier: Apache-2.0
// How the tags of our messages are made of what they belong to: a communicator of the program, one of its collective
// calls, one of the call's trees, and what the sender takes the call for.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace trunkline::runtime {

/// For an MPI library whose largest tag is `tag_ub`; MPI promises at least 32767. From the highest bit:
///
///     communicator | turn | mark
///
/// - turn: the number of the call on its communicator. MPI's order would do without it, but what an erroneous call left
///   behind must not be taken for part of the next one.
/// - mark: claim and tree: one call's messages between two ranks may go down several trees, each in an order of its
/// own.
///   The claim is a digest of collective, message, segment, algorithm and root. Where ranks disagree on them, their
///   messages do not match, and that can be told from a rank that is late. Of calls with many trees fewer claims can be
///   told apart. Where tags are short there is no room for claims.
class TagLayout {
 public:
  explicit constexpr TagLayout(int tag_ub) {
    const int all = static_cast<int>(std::bit_width(static_cast<unsigned>(tag_ub) + 1U)) - 1;
    const bool is_short = all < 27;
    mark_bits_ = is_short ? 5 : 9;
    id_bits_ = is_short ? std::min(8, all - 10) : 11;
    turn_bits_ = all - mark_bits_ - id_bits_;
  }

  /// Trees of one plan that can be told apart.
  static constexpr unsigned trees = 30;

  /// Communicators that can be told apart at a time.
  [[nodiscard]] constexpr unsigned ids() const { return 1U << static_cast<unsigned>(id_bits_); }
  [[nodiscard]] constexpr std::uint64_t turns() const { return std::uint64_t{1} << static_cast<unsigned>(turn_bits_); }

  /// Claims that can be told apart in a call of so many trees; 0: none.
  [[nodiscard]] constexpr std::uint64_t claims(std::size_t of_trees) const {
    const std::uint64_t marks = std::uint64_t{1} << static_cast<unsigned>(mark_bits_);
    const std::uint64_t without = first_claim(of_trees) + 1;  // the last marks are notices
    const std::uint64_t in_all = marks / of_a_claim(of_trees);
    return in_all > without ? in_all - without : 0;
  }

  /// Whether all members have to meet before this call: a message of a call so far ahead that its turn has the same
  /// bits would be mistaken for one of this call under another claim. They meet twice in each round of bits.
  [[nodiscard]] constexpr bool meet_before(std::uint64_t turn) const { return turn > 0 && turn % (turns() / 2) == 0; }

  /// `id` below ids(), `tree` below `of_trees`, which is at most trees; of `turn` the low bits count.
  [[nodiscard]] constexpr int tag(unsigned id, std::uint64_t turn, std::uint64_t claim, std::size_t of_trees,
                                  unsigned tree) const {
    const std::uint64_t different = claims(of_trees);
    return join(id, turn,
                different == 0 ? tree : (first_claim(of_trees) + claim % different) * of_a_claim(of_trees) + tree);
  }

  /// Of the word that a call has failed somewhere (trouble.cpp).
  [[nodiscard]] constexpr int notice(unsigned id, std::uint64_t turn) const {
    return join(id, turn, (std::uint64_t{1} << static_cast<unsigned>(mark_bits_)) - 1);
  }

  /// Of the word that a rank makes no more calls (farewell.hpp).
  [[nodiscard]] constexpr int farewell() const { return join(0, 0, trees); }

  /// Of the word that a rank has come to a turn before which all members meet (communicator/gate.hpp). MPI's order
  /// tells it from a farewell, which comes after all calls.
  [[nodiscard]] constexpr int gate(unsigned id, std::uint64_t turn) const { return join(id, turn, trees); }

  /// Of the ping-pongs that compare clocks (trace/clocks.hpp).
  [[nodiscard]] constexpr int clocks() const { return join(0, 1, trees); }

 private:
  /// Marks of one claim: one for each tree.
  static constexpr std::uint64_t of_a_claim(std::size_t of_trees) {
    constexpr std::size_t least = 4;
    return std::bit_ceil(std::max(of_trees + 1, least));
  }
  /// The marks below are trees of calls without claims.
  static constexpr std::uint64_t first_claim(std::size_t of_trees) {
    return (trees + 2 + of_a_claim(of_trees) - 1) / of_a_claim(of_trees);
  }

  [[nodiscard]] constexpr int join(unsigned id, std::uint64_t turn, std::uint64_t mark) const {
    const std::uint64_t call = std::uint64_t{id} << static_cast<unsigned>(turn_bits_) | (turn & (turns() - 1));
    return static_cast<int>(call << static_cast<unsigned>(mark_bits_) | mark);
  }

  int mark_bits_ = 0;
  int turn_bits_ = 0;
  int id_bits_ = 0;
};

static_assert(TagLayout((1 << 28) - 1).ids() == 2048 && TagLayout((1 << 28) - 1).claims(2) == 119);
static_assert(TagLayout((1 << 28) - 1).claims(4) == 59 && TagLayout((1 << 28) - 1).claims(16) == 14);
static_assert(TagLayout((1 << 28) - 1).tag(2047, 255, 13, 16, 15) < TagLayout((1 << 28) - 1).notice(2047, 255));
static_assert(TagLayout(32767).ids() == 32 && TagLayout(32767).turns() == 32 && TagLayout(32767).claims(1) == 0);
static_assert(TagLayout(32767).farewell() > TagLayout(32767).tag(0, 0, 0, TagLayout::trees, TagLayout::trees - 1));
static_assert(TagLayout(32767).gate(0, TagLayout(32767).turns() / 2) != TagLayout(32767).clocks());
static_assert(TagLayout((1 << 28) - 1).farewell() < TagLayout((1 << 28) - 1).tag(0, 0, 0, 1, 0));
static_assert(TagLayout((1 << 28) - 1).tag(2047, 255, 118, 3, 2) < TagLayout((1 << 28) - 1).notice(2047, 255));

}  // namespace trunkline::runtime
