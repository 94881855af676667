// SPDX-License-Identifier: Apache-2.0
// The rounds of a plan from which all that is known of their loads follows.
#pragma once

#include <cstdint>
#include <vector>

#include "kinds/rounds/rounds.hpp"

namespace trunkline {

struct RoundSample {
  struct Sent {
    Rank from;  ///< position
    Rank to;
    std::uint64_t blocks;
    bool reduces;  ///< the receiver adds them to its own
  };
  std::uint64_t round = 0;
  std::uint64_t times = 1;     ///< rounds that it stands for
  std::uint64_t reducing = 0;  ///< of them, those in which receivers add what comes to their own
  bool follows = true;         ///< nobody waits for what comes in the round before: both go on together
  std::vector<Sent> sent{};
};

struct RoundSamples {
  bool any_blocks = false;   ///< a period in the middle: after the first blocks, before the last ones
  std::uint64_t blocks = 0;  ///< that the message was cut into
  std::uint64_t lanes = 1;   ///< rings one beside the other, where a sample stands for several rounds
  std::uint64_t parts = 1;   ///< of the message, one behind the other
  std::vector<RoundSample> rounds{};
  std::vector<RoundSample> of_one_block{};  ///< with any blocks: the rounds of a message that is a single one
};

/// Replays all ranks, of rounds that are alike the first one.
[[nodiscard]] RoundSamples sample_rounds(const Rounds& rounds);

}  // namespace trunkline
