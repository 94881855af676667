// SPDX-License-Identifier: Apache-2.0
// Rounds that are listed transfer by transfer, as people draw them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/rounds/rounds.hpp"

namespace trunkline {

/// Blocks in a row from one rank to another. None: a word. It says that all that was sent to its sender before has
/// come, and its receiver does not send its transfer that begins with block `first` without it.
struct Transfer {
  Rank from = 0;
  Rank to = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  bool reduces = false;
  bool replaces = false;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct RoundList {
  std::uint64_t blocks = 1;  ///< that the message is cut into
  std::uint64_t lead = 0;    ///< so many transfers more than it has received a rank may have sent; 0: any number
  std::vector<std::vector<Transfer>> rounds{};

  friend bool operator==(const RoundList&, const RoundList&) = default;
};

/// The same as a plan's rounds. Throws InvalidPlan, naming the round and the ranks, where a rank or a block is not
/// there, or a rank sends twice or receives twice in a round; whether it reaches everybody check_rounds() says.
[[nodiscard]] Rounds listed_rounds(Rank ranks, Rank root, const RoundList& list);

/// The list of what all ranks do with a message of `blocks` blocks, in the first `most` rounds. Throws
/// std::invalid_argument where the rounds are of another number; none: theirs, which must be fixed.
[[nodiscard]] RoundList list_of(const Rounds& rounds, std::optional<std::uint64_t> blocks = {},
                                std::uint64_t most = no_round);

}  // namespace trunkline
