// SPDX-License-Identifier: Apache-2.0
// Cost: twice log2(P) rounds, of which the one that moves half the message is the longest.
#include "algorithms/rounds/scatter_doubling.hpp"

#include <algorithm>

namespace trunkline {

ScatterDoubling::ScatterDoubling(Rank ranks, Rank position)
    : scatter_(ranks, position),
      sends_(3 * scatter_.round_count()),
      receives_(3 * scatter_.round_count()),
      latest_(scatter_.received_in()) {
  std::vector<Group> groups;  // that this rank is in, the widest first
  for (Rank begin = 0, end = ranks; end - begin > 1;) {
    const Group group{begin, begin + (end - begin + 1) / 2, end};
    groups.push_back(group);
    (position < group.middle ? end : begin) = group.middle;
  }
  for (std::uint64_t round = 0; round < scatter_.round_count(); ++round) {
    sends_[round] = scatter_.send(round);
    receives_[round] = scatter_.receive(round);
  }
  // Groups of one level are of two sizes at most, so where some have a level more, the others skip the first one.
  for (std::uint64_t level = 0; level < groups.size(); ++level) {
    const std::uint64_t depth = groups.size() - 1 - level;
    exchange(groups[depth], 3 * scatter_.round_count() - 2 * (depth + 1));
  }
}

/// With the rank of the other half; `round` and, for the rank that is left over, the one after it.
void ScatterDoubling::exchange(const Group& group, std::uint64_t round) {
  const Rank position = scatter_.position();
  const Rank second_half = group.end - group.middle;
  const bool one_over = group.middle - group.begin > second_half;
  const std::uint64_t needs = latest_;
  if (position >= group.middle) {
    const Rank partner = group.begin + (position - group.middle);
    take(partner, group.begin, group.middle, round);
    give(partner, group, round, needs);
    if (one_over && position == group.end - 1) give(group.middle - 1, group, round + 1, needs);
    return;
  }
  // Of the second half, this rank may hold the beginning from the scatter.
  const Rank first = std::max(group.middle, position + scatter_.held_by(position));
  const Rank partner = group.middle + (position - group.begin);
  if (partner == group.end) {
    take(group.end - 1, first, group.end, round + 1);
  } else {
    sends_[round] =
        BlockTransfer{.peer = partner, .first = group.begin, .count = group.middle - group.begin, .needs = needs};
    take(partner, first, group.end, round);
  }
}

/// The second half, to a rank of the first one.
void ScatterDoubling::give(Rank to, const Group& group, std::uint64_t round, std::uint64_t needs) {
  const Rank first = std::max(group.middle, to + scatter_.held_by(to));
  if (first >= group.end) return;
  sends_[round] = BlockTransfer{.peer = to, .first = first, .count = group.end - first, .needs = needs};
}

void ScatterDoubling::take(Rank from, Rank first, Rank end, std::uint64_t round) {
  if (first >= end) return;
  receives_[round] = BlockTransfer{.peer = from, .first = first, .count = end - first};
  latest_ = round;
}

std::uint64_t ScatterDoubling::rounds(std::uint64_t /*blocks*/) const { return sends_.size(); }

std::optional<BlockTransfer> ScatterDoubling::send(std::uint64_t round, std::uint64_t /*blocks*/) const {
  return sends_[round];
}

std::optional<BlockTransfer> ScatterDoubling::receive(std::uint64_t round, std::uint64_t /*blocks*/) const {
  return receives_[round];
}

/// Who exchanges half of a group with the first of the other half gives it nothing: that has had all from the scatter.
std::vector<RowOfSends> ScatterDoubling::rows_sent(std::uint64_t round, std::uint64_t /*blocks*/) const {
  const Rank ranks = scatter_.ranks();
  const std::uint64_t scatters = scatter_.round_count();
  std::vector<RowOfSends> rows;
  if (round < scatters) {
    const Rank apart = Rank{1} << (scatters - 1 - round);
    for (std::uint64_t from = 0; from < ranks; from += std::uint64_t{2} * apart) {
      rows.push_back({.first = static_cast<Rank>(from), .count = 1, .distance = apart, .blocks = apart});
    }
    return rows;
  }
  if ((round - scatters) % 2 != 0) return rows;
  const Rank half = Rank{1} << (round - scatters) / 2;
  for (std::uint64_t begin = 0; begin < ranks; begin += std::uint64_t{2} * half) {
    const auto first = static_cast<Rank>(begin);
    rows.push_back({.first = first, .count = half, .distance = half, .blocks = half});
    if (half == 1) continue;
    rows.push_back({.first = first + half + 1, .count = half - 1, .distance = ranks - half, .blocks = half});
  }
  return rows;
}

}  // namespace trunkline
