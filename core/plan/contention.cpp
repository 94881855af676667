// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "plan/checker.hpp"
#include "plan/room.hpp"
#include "plan/round_samples.hpp"

namespace trunkline {

namespace {

/// Of the loads of all channels in units of one part in so many, rounded up, and the rooms of all links; `most` of the
/// busiest are named.
Contention busiest_of(const std::vector<std::uint32_t>& parts_on, std::uint32_t parts,
                      const std::vector<std::uint32_t>& rooms, std::size_t most) {
  Contention found;
  const auto load = [&](ChannelId channel) -> ChannelLoad {
    return {channel, (parts_on[channel] + parts - 1) / parts, rooms[channel / 2]};
  };
  const auto fuller = [](const ChannelLoad& a, const ChannelLoad& b) {
    return std::uint64_t{a.senders} * b.room > std::uint64_t{b.senders} * a.room;
  };
  ChannelLoad fullest{.channel = 0, .senders = 0, .room = 1};
  for (ChannelId channel = 0; channel < parts_on.size(); ++channel) {
    const ChannelLoad now = load(channel);
    found.contention_free = found.contention_free && now.senders <= now.room;
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

/// Counts for every channel the ranks that send through it. All paths from one sender make a tree below the sender's
/// node; each channel of it is walked once, so the time is that of the channels used, not of the paths' lengths.
class SenderCount {
 public:
  explicit SenderCount(const Cluster& cluster)
      : cluster_(cluster), senders_(cluster.channel_count(), 0), seen_by_(cluster.nodes().size(), no_rank) {}

  void add(Rank sender, NodeId from, const std::vector<Rank>& receivers, const Placement& placement) {
    NodeId top = from;  // the highest node that this sender's transfers have come to
    seen_by_[from] = sender;
    for (const Rank receiver : receivers) {
      NodeId node = cluster_.hosts()[placement[receiver]];
      while (seen_by_[node] != sender) {
        if (cluster_.depth_of(node) >= cluster_.depth_of(top)) {
          seen_by_[node] = sender;
          ++senders_[cluster_.channel_to_parent(node) ^ 1U];
          node = cluster_.parent_of(node);
        } else {
          ++senders_[cluster_.channel_to_parent(top)];
          top = cluster_.parent_of(top);
          seen_by_[top] = sender;
        }
      }
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& senders() const { return senders_; }

 private:
  const Cluster& cluster_;
  std::vector<std::uint32_t> senders_;
  std::vector<Rank> seen_by_;  ///< last sender whose transfers touch a node
};

void check_fit(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  if (placement.size() != tree.size()) {
    throw std::invalid_argument("a placement of " + std::to_string(placement.size()) + " ranks for a plan of " +
                                std::to_string(tree.size()));
  }
  check_placement(cluster, placement, tree.root);
}

}  // namespace

Contention contention_of(const Cluster& cluster, const Placement& placement, const Tree& tree, std::size_t most) {
  check_fit(cluster, placement, tree);
  SenderCount count(cluster);
  for (Rank sender = 0; sender < tree.size(); ++sender) {
    count.add(sender, cluster.hosts()[placement[sender]], tree.children[sender], placement);
  }
  return busiest_of(count.senders(), 1, rooms_of(cluster, placement), most);
}

Contention contention_of(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
                         std::size_t most) {
  if (trees.size() == 1) return contention_of(cluster, placement, trees.front(), most);
  std::vector<std::uint32_t> transfers(cluster.channel_count(), 0);
  for (const Tree& tree : trees) {
    check_fit(cluster, placement, tree);
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      if (tree.parent[rank] == no_rank) continue;
      const NodeId from = cluster.hosts()[placement[tree.parent[rank]]];
      for (const ChannelId channel : cluster.path(from, cluster.hosts()[placement[rank]])) ++transfers[channel];
    }
  }
  return busiest_of(transfers, static_cast<std::uint32_t>(trees.size()), rooms_of(cluster, placement), most);
}

namespace {

/// Transfers of one round on every channel; the most of all rounds are kept.
class RoundLoads {
 public:
  RoundLoads(const Cluster& cluster, const Placement& placement, const std::vector<Rank>& order)
      : cluster_(cluster), placement_(placement), order_(order), most_(cluster.channel_count(), 0) {}

  void add(Rank from, Rank to) {
    for (const ChannelId channel : cluster_.path(host(from), host(to))) ++now_[channel];
  }

  void end_round() {
    for (const auto& [channel, transfers] : now_) most_[channel] = std::max(most_[channel], transfers);
    now_.clear();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& most() const { return most_; }

 private:
  [[nodiscard]] NodeId host(Rank position) const { return cluster_.hosts()[placement_[order_[position]]]; }

  const Cluster& cluster_;
  const Placement& placement_;
  const std::vector<Rank>& order_;
  std::unordered_map<ChannelId, std::uint32_t> now_;
  std::vector<std::uint32_t> most_;
};

}  // namespace

Contention contention_of(const Cluster& cluster, const Placement& placement, const Rounds& rounds, std::size_t most) {
  check_placement(cluster, placement, rounds.order.front());
  if (placement.size() != rounds.order.size()) {
    throw std::invalid_argument("a placement of " + std::to_string(placement.size()) + " ranks for a plan of " +
                                std::to_string(rounds.order.size()));
  }
  RoundLoads loads(cluster, placement, rounds.order);
  for (const RoundSample& sample : sample_rounds(rounds).rounds) {
    for (const auto& [from, to, blocks] : sample.sent) loads.add(from, to);
    loads.end_round();
  }
  return busiest_of(loads.most(), 1, rooms_of(cluster, placement), most);
}

Contention contention_of(const Cluster& cluster, const Placement& placement, const Plan& plan, std::size_t most) {
  if (const Trees* const trees = plan.trees()) return contention_of(cluster, placement, std::span(*trees), most);
  return contention_of(cluster, placement, *plan.rounds(), most);
}

}  // namespace trunkline
