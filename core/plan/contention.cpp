// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

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

}  // namespace trunkline
