// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_handlings.hpp"

#include <algorithm>
#include <utility>

#include "plan/tree_ways.hpp"

namespace trunkline {
namespace {

/// Of those that go there, and back again.
Handlings both(const Handlings& there) {
  const double local = there.local_sends + there.local_receives;
  return {.sends = there.sends + there.receives,
          .receives = there.sends + there.receives,
          .local_sends = local,
          .local_receives = local,
          .combines = there.sends + there.local_sends,
          .injections_s = there.injections_s};
}

}  // namespace

Handlings& Handlings::operator+=(const Handlings& other) {
  sends += other.sends;
  receives += other.receives;
  local_sends += other.local_sends;
  local_receives += other.local_receives;
  combines += other.combines;
  injections_s += other.injections_s;
  return *this;
}

void TreeHandlings::add(const Tree& tree) {
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

void TreeHandlings::add(const HostTrees& trees) {
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

Handlings TreeHandlings::busiest(const HostCosts& hosts) const {
  const Handlings most =
      *std::ranges::max_element(by_rank_, {}, [&](const Handlings& one) { return one.fixed_s(hosts, true); });
  return injections_.direction == Direction::up_and_down ? both(most) : upwards(injections_.direction, most);
}

void TreeHandlings::add_to(Handlings& handlings, HostIndex host, const Does& does) {
  const auto local = static_cast<double>(does.local_sends);
  handlings.sends += part_ * static_cast<double>(does.sends);
  handlings.local_sends += part_ * local;
  local_transfers_ += part_ * local;
  if (does.receives) (does.from_own_host ? handlings.local_receives : handlings.receives) += part_;
  const double ups = injections_.direction == Direction::down || !does.receives ? 0.0 : 1.0;
  const auto all = static_cast<double>(does.sends + does.local_sends);
  handlings.injections_s += part_ * (all * injections_.down(host) + ups * injections_.of(host));
}

TreeHandlings::Does TreeHandlings::does(const HostTrees& trees, const Tree& tree, std::size_t lane, Rank number,
                                        Rank rank, Rank root) {
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

}  // namespace trunkline
