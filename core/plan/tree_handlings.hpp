// SPDX-License-Identifier: Apache-2.0
// What ranks do with the segments of trees that take them by turns: what TreeCosts::handlings is taken from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "collective/collective.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "patterns/over_hosts.hpp"
#include "patterns/tree.hpp"
#include "plan/tree_costs.hpp"
#include "plan/tree_ways.hpp"

namespace trunkline {

/// What hosts' injection times (Node::injection_s) take of a tree's sends, each way that data go.
struct Injections {
  const Cluster& cluster;
  Direction direction;

  /// Seconds of any send of that host.
  [[nodiscard]] double of(HostIndex host) const { return cluster.nodes()[cluster.hosts()[host]].injection_s; }

  /// Of a rank there that sends to one of its children.
  [[nodiscard]] double down(HostIndex parent) const { return direction == Direction::up ? 0.0 : of(parent); }

  /// Of a transfer, each way that it goes.
  [[nodiscard]] double both(HostIndex parent, HostIndex child) const {
    return down(parent) + (direction == Direction::down ? 0.0 : of(child));
  }
};

class TreeHandlings {
 public:
  /// Each tree carries that part of the message.
  TreeHandlings(const Injections& injections, const Placement& placement, double part)
      : injections_(injections), placement_(placement), part_(part) {}

  void add(const Tree& tree) {
    by_rank_.resize(tree.size());
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      const HostIndex host = placement_[rank];
      const auto local =
          std::ranges::count_if(tree.children[rank], [&](Rank child) { return placement_[child] == host; });
      const bool receives = rank != tree.root;
      add_to(by_rank_[rank], host,
             {.sends = tree.children[rank].size() - static_cast<std::size_t>(local),
              .local_sends = static_cast<std::size_t>(local),
              .receives = receives,
              .from_own_host = receives && placement_[tree.parent[rank]] == host});
    }
  }

  /// The same of all of these trees, which are not laid over the ranks: of who leads each host in a lane, and of the
  /// first of the others, who do the same.
  void add(const HostTrees& trees) {
    std::vector<std::pair<Rank, Handlings>> by_rank;
    const Rank root = trees.root();
    for (Rank number = 0; number < trees.hosts.ranks.size(); ++number) {
      const std::vector<Rank>& own = trees.hosts.ranks[number];
      const HostIndex host = trees.hosts.placement[number];
      // The root is the first of its host's, the others stand in order behind it.
      for (std::size_t at = 0; at < std::min(own.size(), trees.lanes + 1); ++at) {
        Handlings& handlings = by_rank.emplace_back(own[at], Handlings()).second;
        for (std::size_t lane = 0; lane < trees.lanes; ++lane) {
          for (const Tree& tree : trees.over_hosts) {
            add_to(handlings, host, does(trees, tree, lane, number, own[at], root));
          }
        }
      }
    }
    std::ranges::sort(by_rank, {}, &std::pair<Rank, Handlings>::first);
    for (const auto& [rank, handlings] : by_rank) by_rank_.push_back(handlings);
  }

  /// Of the busiest rank, each way that data go.
  [[nodiscard]] Handlings busiest(const HostCosts& hosts) const {
    const Handlings most =
        *std::ranges::max_element(by_rank_, {}, [&](const Handlings& one) { return one.fixed_s(hosts, true); });
    return injections_.direction == Direction::up_and_down ? there_and_back(most)
                                                           : upwards(injections_.direction, most);
  }

  /// Of a segment, within hosts, one way.
  [[nodiscard]] double local_transfers() const { return local_transfers_; }

 private:
  /// What a rank does with the segments of one tree.
  struct Does {
    std::size_t sends = 0;  ///< to other hosts
    std::size_t local_sends = 0;
    bool receives = true;
    bool from_own_host = true;
  };

  /// Of those that go there, and back again.
  static Handlings there_and_back(const Handlings& there) {
    const double local = there.local_sends + there.local_receives;
    return {.sends = there.sends + there.receives,
            .receives = there.sends + there.receives,
            .local_sends = local,
            .local_receives = local,
            .combines = there.sends + there.local_sends,
            .injections_s = there.injections_s};
  }

  void add_to(Handlings& handlings, HostIndex host, const Does& does) {
    const auto local = static_cast<double>(does.local_sends);
    handlings.sends += part_ * static_cast<double>(does.sends);
    handlings.local_sends += part_ * local;
    local_transfers_ += part_ * local;
    if (does.receives) (does.from_own_host ? handlings.local_receives : handlings.receives) += part_;
    const double ups = injections_.direction == Direction::down || !does.receives ? 0.0 : 1.0;
    const auto all = static_cast<double>(does.sends + does.local_sends);
    handlings.injections_s += part_ * (all * injections_.down(host) + ups * injections_.of(host));
  }

  static Does does(const HostTrees& trees, const Tree& tree, std::size_t lane, Rank number, Rank rank, Rank root) {
    const bool leads = trees.leader(number, lane) == rank;
    const bool at_home = number == tree.root;
    const bool root_leads = trees.leader(tree.root, lane) == root;
    if (!leads) return {.local_sends = rank == root ? 1U : 0U, .receives = rank != root};
    const std::size_t others = trees.hosts.ranks[number].size() - 1;
    return {.sends = tree.children[number].size(),
            .local_sends = at_home && !root_leads ? others - 1 : others,
            .receives = rank != root,
            .from_own_host = at_home};
  }

  Injections injections_;
  const Placement& placement_;
  double part_;
  std::vector<Handlings> by_rank_;  ///< of a segment; of ranks of a host that do the same perhaps of one
  double local_transfers_ = 0.0;
};

}  // namespace trunkline
