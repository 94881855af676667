// SPDX-License-Identifier: Apache-2.0
// The rounds of a plan from which all that is known of their loads follows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/rounds/rounds.hpp"

namespace trunkline {

inline constexpr std::size_t no_sample = ~std::size_t{0};

struct RoundSample {
  struct Sent {
    Rank from;  ///< position
    Rank to;
    std::uint64_t blocks;
    bool reduces;    ///< the receiver adds them to its own
    Rank times = 1;  ///< positions in a row that send alike, of a group to one group; within a group, of all groups
  };
  std::uint64_t round = 0;
  std::uint64_t times = 1;         ///< rounds that it stands for
  std::uint64_t reducing = 0;      ///< of them, those in which receivers add what comes to their own
  bool follows = true;             ///< no rank waits for the blocks of the round before: both go on together
  std::size_t as = no_sample;      ///< its transfers are those of that sample, between ranks of the same hosts
  std::size_t likes = 0;           ///< how many samples say so of this one
  std::vector<Sent> sent{};        ///< none where another sample has them
  std::vector<RowOfSends> rows{};  ///< instead, where all that is sent is in such rows
  GroupRound by_groups{};          ///< instead, where all are taken together
};

struct RoundSamples {
  bool any_blocks = false;               ///< a period in the middle: after the first blocks, before the last ones
  std::uint64_t blocks = 0;              ///< that the message was cut into
  std::uint64_t lanes = 1;               ///< rings one beside the other, where a sample stands for several rounds
  std::uint64_t parts = 1;               ///< of the message, one behind the other
  std::optional<PlacedGroups> groups{};  ///< taken together
  std::vector<RoundSample> rounds{};
  std::vector<RoundSample> of_one_block{};  ///< with any blocks: the rounds of a message that is a single one
};

/// Replays all ranks, of rounds that are alike the first one. Each `on_a_host` positions in a row are known to be on
/// one host: where all of them do the same, one is replayed. 1: each rank is. Nor is any replayed where rows are asked
/// for (RoundSample::rows) and hold all transfers; who waits for whom is then not known. `whole_hosts`: each group of
/// that many positions is all of a host's; where such groups meet by their places none is replayed. 0: groups are not
/// whole hosts.
[[nodiscard]] RoundSamples sample_rounds(const Rounds& rounds, Rank on_a_host = 1, Rank whole_hosts = 0,
                                         bool in_rows = false);

}  // namespace trunkline
