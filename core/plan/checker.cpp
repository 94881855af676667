// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/capacity.hpp"

namespace trunkline {
namespace {

std::string rank_text(Rank rank) { return "rank " + std::to_string(rank); }

}  // namespace

void check_tree(const Tree& tree) {
  const std::size_t ranks = tree.size();
  if (ranks == 0) {
    throw InvalidPlan("the plan has no ranks");
  }
  if (tree.children.size() != ranks) {
    throw InvalidPlan("the plan has parents for " + std::to_string(ranks) + " ranks and children for " +
                      std::to_string(tree.children.size()));
  }
  if (tree.root >= ranks) {
    throw InvalidPlan("the root, " + rank_text(tree.root) + ", is not among the " + std::to_string(ranks) + " ranks");
  }
  if (tree.parent[tree.root] != no_rank) {
    throw InvalidPlan(rank_text(tree.root) + " is the root and has a parent, " + rank_text(tree.parent[tree.root]));
  }
  // Replay: the root has the message; whoever has it sends it on to its children.
  std::vector<bool> reached(ranks, false);
  reached[tree.root] = true;
  std::vector<Rank> order{tree.root};
  order.reserve(ranks);
  for (std::size_t next = 0; next < order.size(); ++next) {
    const Rank sender = order[next];
    for (const Rank child : tree.children[sender]) {
      if (child >= ranks) {
        throw InvalidPlan(rank_text(sender) + " sends to " + rank_text(child) + ", which is not among the " +
                          std::to_string(ranks) + " ranks");
      }
      if (reached[child]) {
        throw InvalidPlan(rank_text(child) + " is reached a second time, by " + rank_text(sender));
      }
      if (tree.parent[child] != sender) {
        throw InvalidPlan(rank_text(sender) + " sends to " + rank_text(child) + ", which expects " +
                          (tree.parent[child] == no_rank ? "nobody" : rank_text(tree.parent[child])));
      }
      reached[child] = true;
      order.push_back(child);
    }
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (!reached[rank]) {
      const Rank parent = tree.parent[rank];
      throw InvalidPlan(rank_text(rank) + " is never reached" +
                        (parent == no_rank ? "; nobody sends to it" : "; it waits for " + rank_text(parent)));
    }
  }
  if (tree.exchange != no_rank && (tree.exchange >= ranks || tree.parent[tree.exchange] != tree.root)) {
    throw InvalidPlan("the root, " + rank_text(tree.root) + ", exchanges with " + rank_text(tree.exchange) +
                      ", which is not one of its children");
  }
}

void check_no_exchange(const Tree& tree) {
  if (tree.exchange == no_rank) return;
  throw InvalidPlan(rank_text(tree.root) + " and " + rank_text(tree.exchange) +
                    " exchange what has come up to them; only data that go up a tree and down again have such two "
                    "roots, as those of an allreduce and a barrier do");
}

Contention busiest_of(const std::vector<std::uint32_t>& parts_on, std::uint32_t parts, const Cluster& cluster,
                      const Placement& placement, std::size_t most) {
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  Contention found;
  const auto load = [&](ChannelId channel) -> ChannelLoad {
    return {channel, (parts_on[channel] + parts - 1) / parts, capacities[channel / 2]};
  };
  const auto fuller = [](const ChannelLoad& a, const ChannelLoad& b) {
    return std::uint64_t{a.senders} * b.capacity > std::uint64_t{b.senders} * a.capacity;
  };
  ChannelLoad fullest{.channel = 0, .senders = 0, .capacity = 1};
  for (ChannelId channel = 0; channel < parts_on.size(); ++channel) {
    const ChannelLoad now = load(channel);
    found.contention_free = found.contention_free && now.senders <= now.capacity;
    found.most_senders = std::max(found.most_senders, now.senders);
    if (fuller(now, fullest)) fullest = now;
  }
  if (fullest.senders == 0) return found;
  for (ChannelId channel = 0; channel < parts_on.size(); ++channel) {
    const ChannelLoad now = load(channel);
    if (fuller(fullest, now)) continue;
    found.max_channel_load = std::max(found.max_channel_load, now.senders);
    if (found.busiest.size() < most) found.busiest.push_back(now);
  }
  return found;
}

void check_fit(const Cluster& cluster, const Placement& placement, std::size_t ranks, Rank root) {
  if (placement.size() != ranks) {
    throw std::invalid_argument("a placement of " + std::to_string(placement.size()) + " ranks for a plan of " +
                                std::to_string(ranks));
  }
  check_placement(cluster, placement, root);
}

void check_plan(const Plan& plan, Collective collective) { plan.steps().check(collective); }

Contention contention_of(const Cluster& cluster, const Placement& placement, const Plan& plan, std::size_t most) {
  return plan.steps().contention(cluster, placement, most);
}

}  // namespace trunkline
