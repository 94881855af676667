// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "kinds/multicast/groups.hpp"
#include "kinds/multicast/multicast.hpp"
#include "plan/checker.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

/// Each rank sends its block to all once, and waits for earlier ones alone: so every rank gets every block.
void check_turns(const Multicast& multicast) {
  const std::size_t ranks = multicast.order.size();
  std::vector<bool> has_turn(ranks, false);
  for (const Rank rank : multicast.order) {
    if (rank >= ranks) throw InvalidPlan("the order has rank " + std::to_string(rank) + ", and there is no such rank");
    if (has_turn[rank]) throw InvalidPlan("rank " + std::to_string(rank) + " stands twice in the order");
    has_turn[rank] = true;
  }
  if (multicast.at_once == 0 || multicast.at_once > ranks) {
    throw InvalidPlan(std::to_string(multicast.at_once) + " of " + std::to_string(ranks) +
                      " ranks send at once; from 1 to all of them may");
  }
}

void check_pace(double byte_s) {
  const double rate_bps = 8.0 / byte_s;
  if (byte_s != 0.0 && !(rate_bps >= least_rate_bps && rate_bps <= most_rate_bps)) {
    throw InvalidPlan("the pace, " + std::to_string(byte_s) + " seconds a byte, is no rate that a link has");
  }
}

}  // namespace

void check_multicast(const Multicast& multicast) {
  if (multicast.goes_by_turns()) {
    check_turns(multicast);
  } else {
    try {
      check_tree(multicast.confirm);
      if (!multicast.has_groups()) check_no_exchange(multicast.confirm);
    } catch (const InvalidPlan& invalid) {
      throw InvalidPlan(std::string("the confirm tree: ") + invalid.what());
    }
  }
  for (const Tree& tree : multicast.reduce) {
    try {
      check_tree(tree);
      check_no_exchange(tree);
    } catch (const InvalidPlan& invalid) {
      throw InvalidPlan(std::string("a tree to reduce along: ") + invalid.what());
    }
    if (multicast.goes_by_turns() || tree.size() != multicast.ranks() || tree.root != multicast.root()) {
      throw InvalidPlan("a tree to reduce along is over other ranks, or ends at another rank than the one that sends");
    }
  }
  if (multicast.reduce.size() > most_streams) {
    throw InvalidPlan(std::to_string(multicast.reduce.size()) + " trees to reduce along are too many; " +
                      std::to_string(most_streams) + " are the most");
  }
  check_pace(multicast.byte_s);
  if (!multicast.has_groups()) return;
  if (!multicast.reduce.empty()) {
    throw InvalidPlan("where there are groups operands go up the confirm tree; here they go up other trees");
  }
  if (multicast.byte_s != 0.0) throw InvalidPlan("where there are groups, each has a pace of its own");
  for (const MulticastGroup& group : multicast.groups) check_pace(group.byte_s);
  if (multicast.goes_by_turns()) {
    check_groups_by_turns(multicast);
  } else {
    check_groups(multicast);
  }
}

}  // namespace trunkline
