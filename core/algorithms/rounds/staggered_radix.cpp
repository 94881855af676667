// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/staggered_radix.hpp"

#include <algorithm>
#include <stdexcept>

#include "algorithms/rounds/mixed_radix.hpp"

namespace trunkline {
namespace {

// Found by simulation of 16 ranks on each of 24 hosts, 1 MiB at 10 Gbit/s (docs/results/hosts.md).
constexpr Rank most_parts = 8;
/// Parts at a time that are summed up within switches.
constexpr Rank at_a_time = 3;
/// Parts that hosts have summed up before the first one is within switches.
constexpr Rank ahead = 6;
/// So many parts behind the one that is gathered within switches the host gathers.
constexpr Rank behind = 4;
/// Of more switches the rounds would be too many.
constexpr Rank most_in_one_group = 7;

Rank parts_of(Rank lanes) {
  Rank parts = std::min(most_parts, lanes);
  while (lanes % parts != 0) --parts;
  return parts;
}

}  // namespace

StaggeredRadix::StaggeredRadix(std::span<const Rank> levels, Rank ranks, Rank position)
    : ranks_(ranks), position_(position) {
  check_root(ranks, position);
  if (levels.empty()) throw std::invalid_argument("staggered-radix needs the number of ranks that share a host");
  Rank rest = ranks;
  for (const Rank level : levels) rest = groups_of(level, rest);
  lanes_ = levels.front();
  const Rank parts = parts_of(lanes_);
  team_size_ = lanes_ / parts;
  team_ = position % lanes_ / team_size_;
  const Rank hosts = ranks_ / lanes_;
  const Rank inner = levels.size() > 1 ? levels[1] : hosts;
  const Rank outer = hosts / inner;
  const Sizes sizes{.team = prime_factors(team_size_),
                    .within = prime_factors(inner),
                    .between = outer <= most_in_one_group ? std::vector{outer} : prime_factors(outer)};
  for (Rank part = 0; part < parts; ++part) add_part(sizes);
  for (Rank part = 0; part < std::min(ahead, parts); ++part) sum_up(part);
  for (Rank part = 0; part < parts; ++part) {
    if (part + ahead < parts) sum_up(part + ahead);
    exchange(part, parts_[part].within, owns(part));
    if (part + at_a_time < parts) release(part + at_a_time);
    if (part > 0) cross_switches(part - 1);
  }
  cross_switches(parts - 1);
  for (Rank part = 0; part < parts + behind; ++part) {
    if (part >= behind) hand_out(part - behind);
    if (part < parts) gather(part, parts_[part].within, owns(part));
  }
}

bool StaggeredRadix::alike_in_groups(Rank size) const {
  if (size == 1 || size == team_size_) return true;
  return std::ranges::find(parts_.front().team, size, &Group::stride) != parts_.front().team.end();
}

void StaggeredRadix::add_part(const Sizes& sizes) {
  const Rank parts = lanes_ / team_size_;
  Part part{.first = parts_.size() * (ranks_ / parts), .count = ranks_ / parts};
  std::uint64_t first = part.first;
  std::uint64_t piece = part.count;
  Rank stride = 1;
  std::size_t number = 0;
  const auto nest = [&](Groups& groups, const std::vector<Rank>& nested) {
    groups.reserve(nested.size());
    for (const Rank size : nested) {
      piece /= size;
      groups.push_back({.size = size, .stride = stride, .number = number++, .piece = piece, .first = first});
      first += position_ / stride % size * piece;
      stride *= size;
    }
  };
  nest(part.team, sizes.team);
  part.first = first;
  part.count = piece;
  stride = lanes_;
  nest(part.within, sizes.within);
  nest(part.between, sizes.between);
  first_of_.resize(number, no_round);
  parts_.push_back(std::move(part));
}

/// Each sends the others of the group their pieces, or its own.
void StaggeredRadix::one_group(Rank part, const Group& group, bool reduces, bool takes_part) {
  const Rank own = position_ / group.stride % group.size;
  const std::uint64_t needs = parts_[part].last;
  std::uint64_t& first = first_of_[group.number];
  if (first == no_round) first = rounds_;
  for (Rank step = 1; step < group.size; ++step) {
    first_alike_.push_back(first + step - 1);
    const std::uint64_t round = rounds_++;
    if (!takes_part) continue;
    const auto with = [&](Rank other, Rank piece) {
      return BlockTransfer{.peer = position_ - own * group.stride + other * group.stride,
                           .first = group.first + piece * group.piece,
                           .count = group.piece,
                           .reduces = reduces};
    };
    const Rank to = (own + step) % group.size;
    const Rank from = (own + group.size - step) % group.size;
    BlockTransfer send = with(to, reduces ? to : own);
    send.needs = needs;
    turns_.push_back({.round = round, .send = send, .receive = with(from, reduces ? own : from)});
    parts_[part].last = round;
  }
}

void StaggeredRadix::exchange(Rank part, const Groups& groups, bool takes_part) {
  for (const Group& group : groups) one_group(part, group, true, takes_part);
}

void StaggeredRadix::gather(Rank part, const Groups& groups, bool takes_part) {
  std::for_each(groups.rbegin(), groups.rend(), [&](const Group& group) { one_group(part, group, false, takes_part); });
}

/// What a team has of a part to those that own it, or from them.
void StaggeredRadix::hand_over(Rank part, Rank team, bool reduces) {
  first_alike_.push_back(rounds_);
  const std::uint64_t round = rounds_++;
  if (!owns(part) && team_ != team) return;
  const Rank peer = owns(part) ? position_ - part * team_size_ + team * team_size_
                               : position_ - team * team_size_ + part * team_size_;
  BlockTransfer transfer{.peer = peer, .first = parts_[part].first, .count = parts_[part].count, .reduces = reduces};
  if (owns(part) == reduces) {
    parts_[part].last = round;
    turns_.push_back({.round = round, .receive = transfer});
    return;
  }
  transfer.needs = parts_[part].last;
  // Who is behind waits until what this team owns is summed up within the switch.
  if (reduces && team + at_a_time == part) {
    const std::uint64_t own = parts_[team].last;
    if (own != no_round && (transfer.needs == no_round || transfer.needs < own)) transfer.needs = own;
  }
  turns_.push_back({.round = round, .send = transfer});
}

void StaggeredRadix::sum_up(Rank part) {
  exchange(part, parts_[part].team, true);
  for (Rank team = 0; team < count(); ++team) {
    if (team != part && team + at_a_time != part) hand_over(part, team, true);
  }
}

void StaggeredRadix::release(Rank part) { hand_over(part, part - at_a_time, true); }

void StaggeredRadix::cross_switches(Rank part) {
  exchange(part, parts_[part].between, owns(part));
  gather(part, parts_[part].between, owns(part));
}

void StaggeredRadix::hand_out(Rank part) {
  for (Rank team = 0; team < count(); ++team) {
    if (team != part) hand_over(part, team, false);
  }
  gather(part, parts_[part].team, true);
}

const StaggeredRadix::Turn* StaggeredRadix::turn(std::uint64_t round) const {
  const auto found = std::ranges::lower_bound(turns_, round, {}, &Turn::round);
  return found != turns_.end() && found->round == round ? &*found : nullptr;
}

std::optional<BlockTransfer> StaggeredRadix::send(std::uint64_t round, std::uint64_t /*blocks*/) const {
  const Turn* const found = turn(round);
  return found != nullptr ? found->send : std::nullopt;
}

std::optional<BlockTransfer> StaggeredRadix::receive(std::uint64_t round, std::uint64_t /*blocks*/) const {
  const Turn* const found = turn(round);
  return found != nullptr ? found->receive : std::nullopt;
}

}  // namespace trunkline
