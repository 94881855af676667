// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/lane_radix.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/rounds/mixed_radix.hpp"

namespace trunkline {
namespace {

/// Rounds in which a number of those that have something doubles until all have it.
std::uint64_t doublings(Rank from, Rank all) {
  std::uint64_t rounds = 0;
  for (std::uint64_t have = from; have < all; have *= 2) ++rounds;
  return rounds;
}

/// A number as a product of at most `parts` factors of up to `most`, the largest first and as small as may be; empty
/// where there is none.
std::vector<Rank> product_of(Rank number, Rank most, std::size_t parts) {
  if (parts == 0 || number < 2) return {};
  if (parts == 1) return number <= most ? std::vector<Rank>{number} : std::vector<Rank>{};
  for (Rank factor = 2; factor <= std::min(most, number); ++factor) {
    if (number % factor != 0) continue;
    if (factor == number) return {factor};
    // The others are no larger, so a smaller factor that does makes the best product.
    std::vector<Rank> all = product_of(number / factor, factor, parts - 1);
    if (all.empty()) continue;
    all.insert(all.begin(), factor);
    return all;
  }
  return {};
}

}  // namespace

std::vector<Rank> lane_radices(Rank groups, Rank most) {
  if (most < 2) throw std::invalid_argument("groups of " + std::to_string(most) + " do not exchange");
  constexpr std::size_t standing_back = 2;
  for (std::size_t rounds = 1; groups > 1; ++rounds) {
    if (std::vector<Rank> all = product_of(groups, most, rounds); !all.empty()) return all;
    if (rounds <= standing_back) continue;
    for (Rank active = groups - 1; active >= std::max(groups - groups / 2, Rank{2}); --active) {
      if (std::vector<Rank> some = product_of(active, most, rounds - standing_back); !some.empty()) return some;
    }
  }
  return {};
}

LaneRounds::LaneRounds(Rank lanes_of_groups, Rank most, Rank ranks)
    : lanes(lanes_of_groups), groups(groups_of(lanes_of_groups, ranks)) {
  if (most > lanes) {
    throw std::invalid_argument("groups of " + std::to_string(most) + " hosts need as many ranks of each; they have " +
                                std::to_string(lanes));
  }
  const std::vector<Rank> radices = lane_radices(groups, most);
  active = std::accumulate(radices.begin(), radices.end(), Rank{1}, std::multiplies());
  const bool folds = active < groups;
  if (folds) {
    add(Phase::Sort::sum_back, doublings(1, lanes));
    add(Phase::Sort::fold, 1);
  }
  add(Phase::Sort::sum_up, RecursiveDoubling(lanes, 0).rounds(1), lanes);
  Rank stride = 1;
  Rank have_sum = lanes;
  for (const Rank size : radices) {
    add(Phase::Sort::exchange, 1, size, stride);
    add(Phase::Sort::sum_up, RecursiveDoubling(size, 0).rounds(1), size);
    stride *= size;
    have_sum = size;
  }
  if (folds) add(Phase::Sort::unfold, 1);
  add(Phase::Sort::spread, doublings(folds ? 1 : have_sum, lanes), have_sum);
}

void LaneRounds::add(Phase::Sort sort, std::uint64_t count, Rank size, Rank stride) {
  if (count == 0) return;
  phases.push_back({.sort = sort, .first = rounds, .size = size, .stride = stride});
  rounds += count;
}

const LaneRounds::Phase& LaneRounds::phase_of(std::uint64_t round) const {
  return *(std::ranges::upper_bound(phases, round, {}, &Phase::first) - 1);
}

LaneRadix::LaneRadix(std::shared_ptr<const LaneRounds> all, Rank position)
    : all_(std::move(all)), group_(position / all_->lanes), lane_(position % all_->lanes) {
  check_root(all_->lanes * all_->groups, position);
}

/// Both ways between the first ranks of a host that stands back and of the one that stands for it.
std::optional<LaneRadix::Move> LaneRadix::fold(bool back, Rank group, Rank lane, bool sends) const {
  const Folding folds = folding(group);
  if (lane != 0 || (!folds.stands_back() && !folds.stands_for_two())) return {};
  if (sends != (folds.stands_back() != back)) return {};
  return Move{.group = folds.stands_back() ? group + 1 : group - 1, .lane = 0, .reduces = !back};
}

std::optional<LaneRadix::Move> LaneRadix::exchange(const Phase& phase, Rank group, Rank lane) const {
  const Folding folds = folding(group);
  const Rank own = folds.number() / phase.stride % phase.size;
  if (folds.stands_back() || lane >= phase.size || lane == own) return {};
  const Rank other = folds.number() - own * phase.stride + lane * phase.stride;
  return Move{.group = folds.position_of(other), .lane = own, .replaces = true};
}

std::optional<LaneRadix::Move> LaneRadix::move(const Phase& phase, std::uint64_t step, Rank group, Rank lane,
                                               bool sends) const {
  const bool stands_back = folding(group).stands_back();
  // From `have` ranks, or to them, their number doubling or halving.
  const auto between = [&](std::uint64_t have, bool gathers) -> std::optional<Move> {
    const bool has = lane < have;
    if (has != (sends != gathers)) return {};
    const std::uint64_t other = has ? lane + have : lane - have;
    if (other >= all_->lanes || lane >= 2 * have) return {};
    return Move{.group = group, .lane = static_cast<Rank>(other), .reduces = gathers};
  };
  switch (phase.sort) {
    case Phase::Sort::sum_back:
      if (!stands_back) return {};
      return between(std::uint64_t{1} << (doublings(1, all_->lanes) - 1 - step), true);
    case Phase::Sort::fold:
    case Phase::Sort::unfold:
      return fold(phase.sort == Phase::Sort::unfold, group, lane, sends);
    case Phase::Sort::sum_up: {
      if (stands_back || lane >= phase.size) return {};
      const RecursiveDoubling within(phase.size, lane);
      const auto found = sends ? within.send(step, 1) : within.receive(step, 1);
      if (!found) return {};
      return Move{.group = group, .lane = found->peer, .reduces = found->reduces, .replaces = !found->reduces};
    }
    case Phase::Sort::exchange:
      return exchange(phase, group, lane);
    case Phase::Sort::spread:
      break;
  }
  return between(std::uint64_t{stands_back ? 1 : phase.size} << step, false);
}

/// All that a rank sends has gone through all that it has received.
std::optional<BlockTransfer> LaneRadix::transfer(std::uint64_t round, std::uint64_t /*blocks*/, bool sends) const {
  const Phase& phase = all_->phase_of(round);
  const auto made = move(phase, round - phase.first, group_, lane_, sends);
  if (!made) return {};
  return BlockTransfer{.peer = made->group * all_->lanes + made->lane,
                       .first = 0,
                       .count = 1,
                       .needs = sends && round > 0 ? round - 1 : no_round,
                       .reduces = made->reduces,
                       .replaces = made->replaces};
}

void LaneRadix::list_group(std::uint64_t round, Rank group, Rank groups, std::vector<GroupSends>& all) const {
  const Phase& phase = all_->phase_of(round);
  for (Rank lane = 0; lane < all_->lanes; ++lane) {
    const auto made = move(phase, round - phase.first, group, lane, true);
    if (!made) continue;
    if (!all.empty() && all.back().from == group && all.back().to == made->group) {
      all.back().times += groups;
    } else {
      all.push_back({.from = group, .to = made->group, .times = groups, .reduces = made->reduces});
    }
  }
}

/// Within themselves all groups that take part do the same, and so do all that stand back: the first one, if any does.
std::vector<GroupSends> LaneRadix::sent_by_groups(std::uint64_t round) const {
  std::vector<GroupSends> all;
  const Rank standing_back = all_->groups - all_->active;
  switch (all_->phase_of(round).sort) {
    case Phase::Sort::fold:
    case Phase::Sort::exchange:
    case Phase::Sort::unfold:
      for (Rank group = 0; group < all_->groups; ++group) list_group(round, group, 1, all);
      return all;
    case Phase::Sort::sum_back:
    case Phase::Sort::sum_up:
    case Phase::Sort::spread:
      break;
  }
  if (standing_back > 0) list_group(round, 0, standing_back, all);
  list_group(round, standing_back > 0 ? 1 : 0, all_->active, all);
  return all;
}

}  // namespace trunkline
