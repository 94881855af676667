// SPDX-License-Identifier: Apache-2.0
#include "model/measured/measured_trees.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/transfer/wire.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

/// The tables at one segment's size.
class Points {
 public:
  Points(const Measurement& measurement, std::uint64_t segment, std::size_t ranks) : measurement_(measurement) {
    for (const MeasuredDistance& one : measurement.distances) by_channels_.emplace(one.channels, one.at(segment));
    if (measurement.relay && measurement.relay->ranks == ranks) relay_ = measurement.relay->at(segment);
  }

  [[nodiscard]] const MeasuredPoint& over(std::uint32_t channels) const {
    const auto known = by_channels_.find(channels);
    return known != by_channels_.end() ? known->second : by_channels_.at(measurement_.distance(channels).channels);
  }
  /// All zero where no relay of so many ranks was measured.
  [[nodiscard]] const RelayPoint& relay() const { return relay_; }

 private:
  const Measurement& measurement_;
  std::map<std::uint32_t, MeasuredPoint> by_channels_;
  RelayPoint relay_;
};

}  // namespace

MeasuredTrees::MeasuredTrees(const Measurement& measurement, const Cluster& cluster, const Placement& placement,
                             std::vector<Tree> trees)
    : measurement_(measurement) {
  if (trees.empty()) throw std::invalid_argument("no trees");
  for (Tree& tree : trees) trees_.push_back(laid(cluster, placement, std::move(tree)));
}

MeasuredTrees::Laid MeasuredTrees::laid(const Cluster& cluster, const Placement& placement, Tree given) {
  if (placement.size() != given.size()) throw std::invalid_argument("placement and tree differ in their ranks");
  Laid laid{.tree = std::move(given), .order = {}, .channels = {}, .sharing = {}};
  const Tree& tree = laid.tree;
  laid.order = parents_first(tree);
  laid.channels.assign(tree.size(), 0);
  laid.sharing.assign(tree.size(), 1.0);
  std::vector<std::uint32_t> load(cluster.channel_count(), 0);
  const auto path_to = [&](Rank rank) {
    return cluster.path(cluster.hosts()[placement[tree.parent[rank]]], cluster.hosts()[placement[rank]]);
  };
  for (const Rank rank : laid.order) {
    if (rank == tree.root) continue;
    const auto path = path_to(rank);
    laid.channels[rank] = static_cast<std::uint32_t>(path.size());
    for (const ChannelId channel : path) ++load[channel];
  }
  for (const Rank rank : laid.order) {
    std::vector<std::vector<ChannelId>> paths;
    std::map<ChannelId, std::uint32_t> own;  // sends of this rank over each channel, which are counted as its sends
    for (const Rank child : tree.children[rank]) {
      for (const ChannelId channel : paths.emplace_back(path_to(child))) ++own[channel];
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      double& sharing = laid.sharing[tree.children[rank][i]];
      for (const ChannelId channel : paths[i]) {
        sharing = std::max(sharing, (load[channel] - own[channel] + 1.0) / cluster.link_of(channel).width);
      }
    }
  }
  return laid;
}

double MeasuredTrees::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const std::uint64_t segments = pieces_of(message_bytes, segment);
  const std::size_t ranks = trees_.front().tree.size();
  const Points points(measurement_, segment, ranks);
  const double part = 1.0 / static_cast<double>(trees_.size());
  std::vector<double> sending(ranks, 0.0);  // of one segment, by each rank
  std::vector<double> busy(ranks, 0.0);
  double first = 0.0;
  double start = 0.0;  // of a tree: after the root's sends of the first segments of the trees before it
  for (const Laid& laid : trees_) {
    const Tree& tree = laid.tree;
    std::vector<double> arrival(ranks, start);
    for (const Rank rank : laid.order) {
      double sent = 0.0;
      if (rank != tree.root) busy[rank] += part * points.over(laid.channels[rank]).receive_s;
      for (const Rank child : tree.children[rank]) {
        const MeasuredPoint& to = points.over(laid.channels[child]);
        sent += to.gap_s * laid.sharing[child];
        busy[rank] += part * to.send_s;
        arrival[child] = arrival[rank] + sent + to.latency_s();
        first = std::max(first, arrival[child]);
      }
      sending[rank] += part * sent;
      if (rank == tree.root) start += sent;
    }
  }
  const double next =
      std::max({points.relay().gap_s, *std::ranges::max_element(sending), *std::ranges::max_element(busy)});
  return first + static_cast<double>(segments - 1) * next;
}

std::uint64_t MeasuredTrees::best_segment(std::uint64_t message_bytes) const {
  // A longer one would wait for its receiver each time, which the tables' streams do not show.
  std::uint64_t eager = std::numeric_limits<std::uint64_t>::max();
  for (const MeasuredDistance& one : measurement_.distances) eager = std::min(eager, one.eager_bytes);
  std::vector<std::uint64_t> sizes;
  std::ranges::copy_if(segment_sizes(), std::back_inserter(sizes), [&](std::uint64_t size) { return size <= eager; });
  if (sizes.empty()) sizes.push_back(std::ranges::min(segment_sizes()));
  return *std::ranges::min_element(sizes, {}, [&](std::uint64_t segment) { return seconds(message_bytes, segment); });
}

}  // namespace trunkline
