// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>
#include <vector>

#include "kinds/trees/trees.hpp"
#include "network/routes.hpp"

namespace trunkline {
namespace {

/// Counts for every channel the ranks that send through it. All paths from one sender make a tree below the sender's
/// node; each channel of it is walked once, so the time is that of the channels used, not of the paths' lengths.
class SenderCount {
 public:
  explicit SenderCount(const Cluster& cluster)
      : cluster_(cluster), senders_(cluster.channel_count(), 0), seen_by_(cluster.nodes().size(), no_rank) {}

  void add(Rank sender, NodeId from, const std::vector<Rank>& receivers, const Placement& placement) {
    if (cluster_.routes() != nullptr) return add_routed(sender, from, receivers, placement);
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
  void add_routed(Rank sender, NodeId from, const std::vector<Rank>& receivers, const Placement& placement) {
    crossed_by_.resize(senders_.size(), no_rank);
    for (const Rank receiver : receivers) {
      cluster_.routes()->walk(from, cluster_.hosts()[placement[receiver]], [&](ChannelId channel) {
        if (std::exchange(crossed_by_[channel], sender) != sender) ++senders_[channel];
      });
    }
  }

  const Cluster& cluster_;
  std::vector<std::uint32_t> senders_;
  std::vector<Rank> seen_by_;     ///< last sender whose transfers touch a node
  std::vector<Rank> crossed_by_;  ///< the same by channel, where they go by routes
};

}  // namespace

Contention contention_of(const Cluster& cluster, const Placement& placement, const Tree& tree, std::size_t most) {
  check_fit(cluster, placement, tree.size(), tree.root);
  SenderCount count(cluster);
  for (Rank sender = 0; sender < tree.size(); ++sender) {
    count.add(sender, cluster.hosts()[placement[sender]], tree.children[sender], placement);
  }
  return busiest_of(count.senders(), 1, cluster, placement, most);
}

Contention contention_of(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
                         std::size_t most) {
  if (trees.size() == 1) return contention_of(cluster, placement, trees.front(), most);
  std::vector<std::uint32_t> transfers(cluster.channel_count(), 0);
  for (const Tree& tree : trees) {
    check_fit(cluster, placement, tree.size(), tree.root);
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      if (tree.parent[rank] == no_rank) continue;
      const NodeId from = cluster.hosts()[placement[tree.parent[rank]]];
      for (const ChannelId channel : cluster.path(from, cluster.hosts()[placement[rank]])) ++transfers[channel];
    }
  }
  return busiest_of(transfers, static_cast<std::uint32_t>(trees.size()), cluster, placement, most);
}

}  // namespace trunkline
