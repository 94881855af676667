// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <unordered_map>

#include "plan/checker.hpp"

namespace trunkline {

namespace {

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

  [[nodiscard]] Contention result(std::size_t most) const {
    Contention found;
    found.max_channel_load = senders_.empty() ? 0 : *std::max_element(senders_.begin(), senders_.end());
    found.contention_free = found.max_channel_load <= 1;
    for (ChannelId channel = 0; channel < senders_.size() && found.busiest.size() < most; ++channel) {
      if (found.max_channel_load > 0 && senders_[channel] == found.max_channel_load) {
        found.busiest.push_back({channel, senders_[channel]});
      }
    }
    return found;
  }

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
  return count.result(most);
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
  Contention found;
  const auto parts = static_cast<std::uint32_t>(trees.size());
  const std::uint32_t largest = transfers.empty() ? 0 : *std::ranges::max_element(transfers);
  found.max_channel_load = (largest + parts - 1) / parts;
  found.contention_free = found.max_channel_load <= 1;
  for (ChannelId channel = 0; channel < transfers.size() && found.busiest.size() < most; ++channel) {
    if (largest > 0 && transfers[channel] == largest) found.busiest.push_back({channel, found.max_channel_load});
  }
  return found;
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
  std::vector<std::unique_ptr<const BlockSchedule>> schedules;
  for (Rank position = 0; position < placement.size(); ++position) schedules.push_back(rounds.schedule_of(position));
  const BlockSchedule& first = *schedules.front();
  const auto fixed = first.fixed_blocks();
  const std::uint64_t blocks = fixed.value_or(4 * first.period());
  const std::uint64_t end = fixed ? first.rounds(blocks) : 2 * first.period();
  RoundLoads loads(cluster, placement, rounds.order);
  for (std::uint64_t round = 0; round < end; round += fixed ? first.alike(round) : 1) {
    for (Rank from = 0; from < placement.size(); ++from) {
      if (const auto send = schedules[from]->send(round, blocks)) loads.add(from, send->peer);
    }
    loads.end_round();
  }
  Contention found;
  found.max_channel_load = loads.most().empty() ? 0 : *std::ranges::max_element(loads.most());
  found.contention_free = found.max_channel_load <= 1;
  for (ChannelId channel = 0; channel < loads.most().size() && found.busiest.size() < most; ++channel) {
    const std::uint32_t load = loads.most()[channel];
    if (load > 0 && load == found.max_channel_load) found.busiest.push_back({channel, load});
  }
  return found;
}

Contention contention_of(const Cluster& cluster, const Placement& placement, const Plan& plan, std::size_t most) {
  if (const Trees* const trees = plan.trees()) return contention_of(cluster, placement, std::span(*trees), most);
  return contention_of(cluster, placement, *plan.rounds(), most);
}

}  // namespace trunkline
