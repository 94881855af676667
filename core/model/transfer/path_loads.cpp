// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/path_loads.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/transfer/repeated_sum.hpp"
#include "network/link_taken.hpp"

namespace trunkline {

PathLoads::PathLoads(const Paths& paths) : paths_(paths), load_(paths.cluster().channel_count(), 0.0) {}

void PathLoads::add(NodeId from, NodeId to, double amount) {
  const NodeId meeting = paths_.meeting(from, to);
  add({.from = from, .to = to, .meeting = meeting, .amount = amount, .length = paths_.length(from, to, meeting)});
}

void PathLoads::add(const Transfer& transfer) {
  transfers_.push_back(transfer);
  length_ += std::uint64_t{transfer.times} * transfer.length;
}

/// Calls `use` with each channel: by routes in travel order, else the way up first.
template <class Use>
void PathLoads::walk(const Transfer& transfer, Use use) const {
  if (paths_.routes() != nullptr) return paths_.routes()->walk(transfer.from, transfer.to, use);
  const Cluster& cluster = paths_.cluster();
  for (NodeId node = transfer.from; node != transfer.meeting; node = cluster.parent_of(node)) {
    use(cluster.channel_to_parent(node));
  }
  for (NodeId node = transfer.to; node != transfer.meeting; node = cluster.parent_of(node)) {
    use(cluster.channel_to_parent(node) ^ 1U);
  }
}

void PathLoads::settle() {
  if (transfers_.size() == 1) return;  // its path is all its own
  settle_loads();
  if (summed_) find_slowest();
}

void PathLoads::settle_loads() {
  summed_ = paths_.routes() == nullptr && length_ > paths_.top_down().size();
  if (summed_) {
    sum_up();
    return;
  }
  for (const Transfer& transfer : transfers_) {
    walk(transfer, [&](ChannelId channel) {
      if (load_[channel] == 0.0) used_.push_back(channel);
      add_times(load_[channel], transfer.amount, transfer.times);
    });
  }
}

/// Each transfer adds itself to its ends and takes itself away where it turns; then every node hands its sum up.
void PathLoads::sum_up() {
  const Cluster& cluster = paths_.cluster();
  up_.assign(cluster.nodes().size(), 0.0);
  down_.assign(cluster.nodes().size(), 0.0);
  for (const Transfer& transfer : transfers_) {
    add_times(up_[transfer.from], transfer.amount, transfer.times);
    add_times(up_[transfer.meeting], -transfer.amount, transfer.times);
    add_times(down_[transfer.to], transfer.amount, transfer.times);
    add_times(down_[transfer.meeting], -transfer.amount, transfer.times);
  }
  const std::span<const NodeId> below = paths_.top_down().subspan(1);  // all but node 0
  for (std::size_t at = below.size(); at > 0; --at) {
    const NodeId node = below[at - 1];
    const ChannelId channel = cluster.channel_to_parent(node);
    load_[channel] = up_[node];
    load_[channel ^ 1U] = down_[node];
    up_[cluster.parent_of(node)] += up_[node];
    down_[cluster.parent_of(node)] += down_[node];
  }
}

/// For each node, of the channels between it and its jump.
void PathLoads::find_slowest() {
  const Cluster& cluster = paths_.cluster();
  for (const NodeId node : paths_.top_down().subspan(1)) {
    const ChannelId channel = cluster.channel_to_parent(node);
    up_[node] = loaded_byte_s(channel);
    down_[node] = loaded_byte_s(channel ^ 1U);
    const NodeId parent = cluster.parent_of(node);
    if (paths_.jump(node) == parent) continue;
    const NodeId further = paths_.jump(parent);  // a jump is the step to the parent and two jumps from there
    up_[node] = std::max({up_[node], up_[parent], up_[further]});
    down_[node] = std::max({down_[node], down_[parent], down_[further]});
  }
}

PathCost PathLoads::cost(const Transfer& transfer) const {
  PathCost cost;
  cost.first_byte_s = first_byte_s(transfer);
  if (paths_.any_wide() || transfers_.size() == 1) cost.slowest_byte_s = alone_byte_s(transfer);
  if (transfers_.size() == 1) {
    cost.byte_s = paths_.byte_s(transfer.from, transfer.to, transfer.meeting);
    cost.latency_s = paths_.latency_s(transfer.from, transfer.to, transfer.meeting);
    cost.answer_s = paths_.latency_s(transfer.to, transfer.from, transfer.meeting);
    return cost;
  }
  if (!summed_) {
    walk(transfer, [&](ChannelId channel) {
      cost.slowest_byte_s = std::max(cost.slowest_byte_s, loaded_byte_s(channel));
      cost.byte_s += paths_.byte_s(channel);
      cost.latency_s += paths_.cluster().way(channel).latency_s;
      cost.answer_s += paths_.cluster().way(channel ^ 1U).latency_s;
    });
    return cost;
  }
  const Cluster& cluster = paths_.cluster();
  const auto climb = [&](NodeId node, const std::vector<double>& slowest, ChannelId way) {
    while (node != transfer.meeting) {
      const bool far = cluster.depth_of(paths_.jump(node)) >= cluster.depth_of(transfer.meeting);
      const double here = far ? slowest[node] : loaded_byte_s(cluster.channel_to_parent(node) ^ way);
      cost.slowest_byte_s = std::max(cost.slowest_byte_s, here);
      node = far ? paths_.jump(node) : cluster.parent_of(node);
    }
  };
  climb(transfer.from, up_, 0);
  climb(transfer.to, down_, 1);
  cost.byte_s = paths_.byte_s(transfer.from, transfer.to, transfer.meeting);
  cost.latency_s = paths_.latency_s(transfer.from, transfer.to, transfer.meeting);
  cost.answer_s = paths_.latency_s(transfer.to, transfer.from, transfer.meeting);
  return cost;
}

double PathLoads::slowest_byte_s() const {
  double slowest = 0.0;
  if (paths_.any_wide()) {
    for (const Transfer& transfer : transfers_) slowest = std::max(slowest, alone_byte_s(transfer));
  }
  if (!summed_) {
    for (const ChannelId channel : used_) slowest = std::max(slowest, loaded_byte_s(channel));
    return slowest;
  }
  for (ChannelId channel = 0; channel < load_.size(); ++channel) slowest = std::max(slowest, loaded_byte_s(channel));
  return slowest;
}

double PathLoads::fullest_byte_s() const {
  double slowest = slowest_byte_s();
  if (!paths_.any_wide() || hashes_evenly(paths_, length_)) return slowest;
  const Cluster& cluster = paths_.cluster();
  std::unordered_map<std::uint64_t, double> load;  // by channel and link
  for (const Transfer& transfer : transfers_) {
    const HostIndex from = paths_.host_of(transfer.from);
    const HostIndex to = paths_.host_of(transfer.to);
    walk(transfer, [&](ChannelId channel) {
      const std::uint32_t width = cluster.link_of(channel).width;
      if (width == 1) return;
      double& here = load[std::uint64_t{channel} << 32U | link_taken(from, to, width)];
      add_times(here, transfer.amount, transfer.times);
      slowest = std::max(slowest, here * paths_.byte_s(channel));
    });
  }
  return slowest;
}

void PathLoads::clear() {
  if (summed_) std::ranges::fill(load_, 0.0);
  for (const ChannelId channel : used_) load_[channel] = 0.0;
  used_.clear();
  transfers_.clear();
  length_ = 0;
  summed_ = false;
}

}  // namespace trunkline
