// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/groups.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline {
namespace {

std::string named(Rank rank) { return "rank " + std::to_string(rank); }

/// By rank; throws where one is in no group, or in two.
std::vector<Rank> checked_groups(const Multicast& multicast) {
  std::vector<Rank> group_of(multicast.ranks(), no_rank);
  for (Rank number = 0; number < multicast.groups.size(); ++number) {
    const std::vector<Rank>& ranks = multicast.groups[number].ranks;
    if (ranks.empty()) throw InvalidPlan("a group is empty");
    for (const Rank rank : ranks) {
      if (rank >= group_of.size()) throw InvalidPlan("a group has " + named(rank) + ", and there is no such rank");
      if (group_of[rank] != no_rank) throw InvalidPlan(named(rank) + " stands in two groups, or twice in one");
      group_of[rank] = number;
    }
  }
  for (Rank rank = 0; rank < group_of.size(); ++rank) {
    if (group_of[rank] == no_rank) throw InvalidPlan(named(rank) + " is in no group");
  }
  return group_of;
}

}  // namespace

void check_groups(const Multicast& multicast) {
  const std::vector<Rank> group_of = checked_groups(multicast);
  const Tree& confirm = multicast.confirm;
  if (confirm.exchange != no_rank && group_of[confirm.exchange] == group_of[confirm.root]) {
    throw InvalidPlan("the root exchanges with " + named(confirm.exchange) + " of its own group");
  }
  for (const MulticastGroup& group : multicast.groups) {
    const Rank sender = group.ranks.front();
    for (const Rank rank : group.ranks) {
      const Rank parent = confirm.parent[rank];
      if (rank == sender) {
        if (parent == no_rank) continue;
        if (group_of[parent] == group_of[rank]) {
          throw InvalidPlan(named(rank) + " sends to its group, and has the message from " + named(parent) +
                            " of the same");
        }
        if (multicast.groups[group_of[parent]].ranks.front() != parent) {
          throw InvalidPlan(named(rank) + " has the message from " + named(parent) +
                            ", which is not the one that sends in its group");
        }
      } else if (parent == no_rank || group_of[parent] != group_of[rank]) {
        throw InvalidPlan(named(rank) +
                          (parent == no_rank ? std::string(" is the root") : " reports to " + named(parent)) +
                          ", and " + named(sender) + " sends in its group");
      }
    }
  }
}

void check_groups_by_turns(const Multicast& multicast) {
  static_cast<void>(checked_groups(multicast));
  std::vector<Rank> one_after_another;
  for (const MulticastGroup& group : multicast.groups) {
    one_after_another.insert(one_after_another.end(), group.ranks.begin(), group.ranks.end());
  }
  const auto differs = std::ranges::mismatch(one_after_another, multicast.order).in2;
  if (differs == multicast.order.end()) return;
  throw InvalidPlan("the order has " + named(*differs) + " where the groups, one after another, have another rank");
}

std::vector<Rank> group_of_ranks(const Multicast& multicast) { return checked_groups(multicast); }

Tree between_groups(const Multicast& multicast) {
  const std::vector<Rank> group_of = group_of_ranks(multicast);
  Tree tree = root_alone(static_cast<Rank>(multicast.groups.size()), group_of[multicast.root()]);
  for (Rank number = 0; number < multicast.groups.size(); ++number) {
    for (const Rank child : multicast.confirm.children[multicast.groups[number].ranks.front()]) {
      if (group_of[child] != number) add_child(tree, number, group_of[child]);
    }
  }
  if (multicast.confirm.exchange != no_rank) tree.exchange = group_of[multicast.confirm.exchange];
  return tree;
}

Multicast group_alone(const Multicast& multicast, const MulticastGroup& group) {
  std::vector<Rank> place(multicast.ranks(), no_rank);
  for (Rank i = 0; i < group.ranks.size(); ++i) place[group.ranks[i]] = i;
  Tree confirm = root_alone(static_cast<Rank>(group.ranks.size()), 0);
  for (const Rank rank : group.ranks) {
    for (const Rank child : multicast.confirm.children[rank]) {
      if (place[child] != no_rank) add_child(confirm, place[rank], place[child]);
    }
  }
  return {.confirm = std::move(confirm), .byte_s = group.byte_s};
}

Placement placement_of(const Placement& all, const std::vector<Rank>& ranks) {
  Placement hosts;
  hosts.reserve(ranks.size());
  for (const Rank rank : ranks) hosts.push_back(all[rank]);
  return hosts;
}

}  // namespace trunkline
