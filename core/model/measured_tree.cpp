// SPDX-License-Identifier: Apache-2.0
#include "model/measured_tree.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "model/tree_costs.hpp"

namespace trunkline {

MeasuredTree::MeasuredTree(const Measurement& measurement, const Cluster& cluster, const Placement& placement,
                           const Tree& tree)
    : measurement_(measurement),
      tree_(tree),
      order_(parents_first(tree)),
      channels_(tree.size(), 0),
      sharing_(tree.size(), 1) {
  if (placement.size() != tree.size()) throw std::invalid_argument("placement and tree differ in their ranks");
  std::vector<std::uint32_t> load(cluster.channel_count(), 0);
  const auto path_to = [&](Rank rank) {
    return cluster.path(cluster.hosts()[placement[tree.parent[rank]]], cluster.hosts()[placement[rank]]);
  };
  for (const Rank rank : order_) {
    if (rank == tree.root) continue;
    const auto path = path_to(rank);
    channels_[rank] = static_cast<std::uint32_t>(path.size());
    for (const ChannelId channel : path) ++load[channel];
  }
  for (const Rank rank : order_) {
    if (rank == tree.root) continue;
    const std::size_t own = tree.children[tree.parent[rank]].size();
    for (const ChannelId channel : path_to(rank)) {
      // What this sender sends over the channel itself is counted with its sends.
      sharing_[rank] =
          std::max(sharing_[rank], load[channel] > own ? load[channel] - static_cast<std::uint32_t>(own) + 1 : 1);
    }
  }
}

double MeasuredTree::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const std::uint64_t segments = (message_bytes + segment - 1) / segment;
  std::map<std::uint32_t, MeasuredPoint> by_channels;
  for (const MeasuredDistance& one : measurement_.distances) by_channels.emplace(one.channels, one.at(segment));
  const auto point = [&](Rank rank) -> const MeasuredPoint& {
    const auto known = by_channels.find(channels_[rank]);
    return known != by_channels.end() ? known->second : by_channels.at(measurement_.distance(channels_[rank]).channels);
  };
  std::vector<double> arrival(tree_.size(), 0.0);
  double first = 0.0;
  double next = 0.0;
  for (const Rank rank : order_) {
    double sent = 0.0;
    double busy = rank == tree_.root ? 0.0 : point(rank).receive_s;
    for (const Rank child : tree_.children[rank]) {
      const MeasuredPoint& to = point(child);
      sent += to.gap_s * sharing_[child];
      busy += to.send_s;
      arrival[child] = arrival[rank] + sent + to.latency_s();
      first = std::max(first, arrival[child]);
    }
    next = std::max({next, sent, busy});
  }
  return first + static_cast<double>(segments - 1) * next;
}

std::uint64_t MeasuredTree::best_segment(std::uint64_t message_bytes) const {
  const auto sizes = segment_sizes();
  return *std::ranges::min_element(sizes, {}, [&](std::uint64_t segment) { return seconds(message_bytes, segment); });
}

}  // namespace trunkline
