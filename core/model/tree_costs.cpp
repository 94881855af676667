// SPDX-License-Identifier: Apache-2.0
#include "model/tree_costs.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>

#include "model/wire.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// A rank takes a segment from its socket, or puts one there: assumed until measured.
constexpr double handling_s = 12.5e-6;
/// Copying between ranks of one host.
constexpr double memory_s_per_byte = 0.5e-9;

constexpr std::uint64_t segment_of(std::uint64_t frames) { return frames * frame_payload_bytes - mpi_header_bytes; }

/// Candidates, bytes: parts of one frame, since every switch and host on the way stores whole frames before it hands
/// them on, and a short message waits for little else; then full frames. None above 11 frames: 16 KiB is below every
/// common eager limit. None below a fifth of a frame: headers would outweigh the data.
constexpr std::array<std::uint64_t, 14> segment_candidates{
    segment_of(1) / 5, segment_of(1) / 4, segment_of(1) / 3, segment_of(1) / 2, segment_of(1) * 3 / 4,
    segment_of(1),     segment_of(2),     segment_of(3),     segment_of(4),     segment_of(5),
    segment_of(6),     segment_of(8),     segment_of(10),    segment_of(11)};

/// Keeps what is not at most another in every respect.
template <class T, class AtMost>
void add_unless_below(std::vector<T>& kept, const T& one, AtMost at_most) {
  if (std::ranges::any_of(kept, [&](const T& other) { return at_most(one, other); })) return;
  std::erase_if(kept, [&](const T& other) { return at_most(other, one); });
  kept.push_back(one);
}

void add_way(std::vector<TreeCosts::Way>& ways, const TreeCosts::Way& way) {
  add_unless_below(ways, way, [](const TreeCosts::Way& a, const TreeCosts::Way& b) {
    return a.per_byte_s <= b.per_byte_s && a.per_frame_byte_s <= b.per_frame_byte_s && a.handlings <= b.handlings &&
           a.latency_s <= b.latency_s;
  });
}

void add_work(std::vector<TreeCosts::Work>& works, const TreeCosts::Work& work) {
  add_unless_below(works, work, [](const TreeCosts::Work& a, const TreeCosts::Work& b) {
    return a.per_byte_s <= b.per_byte_s && a.per_ack_byte_s <= b.per_ack_byte_s;
  });
}

/// Adds up a tree's transfers, parents before children.
class Sum {
 public:
  Sum(const Cluster& cluster, const Placement& placement, const Tree& tree)
      : cluster_(cluster),
        placement_(placement),
        tree_(tree),
        data_(cluster.channel_count(), 0),
        ways_(tree.size()),
        round_(tree.size(), 0) {}

  TreeCosts costs() {
    const std::vector<Rank> order = parents_first(tree_);
    for (const Rank rank : order) {
      for (std::size_t i = 0; i < tree_.children[rank].size(); ++i) {
        round_[tree_.children[rank][i]] = round_[rank] + static_cast<std::uint32_t>(i) + 1;
      }
    }
    count_transfers(order);
    TreeCosts costs;
    costs.network_hops = network_hops_;
    for (const Rank rank : order) {
      add_ways(rank);
      const auto sends = static_cast<double>(tree_.children[rank].size());
      costs.handlings = std::max(costs.handlings, sends + (rank == tree_.root ? 0.0 : 1.0));
      if (sends == 0.0) add_way(costs.latest, ways_[rank]);
    }
    for (ChannelId channel = 0; channel < data_.size(); ++channel) {
      if (data_[channel] == 0) continue;
      add_work(costs.busiest, {.per_byte_s = data_[channel] * byte_s(channel),
                               .per_ack_byte_s = data_[channel ^ 1U] * byte_s(channel)});
    }
    return costs;
  }

 private:
  [[nodiscard]] double byte_s(ChannelId channel) const { return 8.0 / cluster_.link_of(channel).rate_bps; }
  [[nodiscard]] bool on_network(Rank from, Rank to) const { return placement_[from] != placement_[to]; }
  [[nodiscard]] std::vector<ChannelId> path(Rank from, Rank to) const {
    return cluster_.path(cluster_.hosts()[placement_[from]], cluster_.hosts()[placement_[to]]);
  }
  static std::uint64_t key(std::uint32_t round, ChannelId channel) { return std::uint64_t{round} << 32U | channel; }

  void count_transfers(const std::vector<Rank>& order) {
    const bool shared = !contention_of(cluster_, placement_, tree_, 1).contention_free;
    for (const Rank rank : order) {
      const Rank parent = tree_.parent[rank];
      if (parent == no_rank || !on_network(parent, rank)) continue;
      ++network_hops_;
      for (const ChannelId channel : path(parent, rank)) {
        ++data_[channel];
        if (shared) ++in_round_[key(round_[rank], channel)];
      }
    }
  }

  /// Ways to the children of a rank whose own way is known.
  void add_ways(Rank rank) {
    TreeCosts::Way way = ways_[rank];
    for (const Rank child : tree_.children[rank]) {
      way.handlings += 1.0;
      if (!on_network(rank, child)) {
        way.per_byte_s += memory_s_per_byte;
        ways_[child] = way;
        ways_[child].handlings += 1.0;
        continue;
      }
      TreeCosts::Way& there = ways_[child] = way;
      there.handlings += 1.0;
      double slowest = 0.0;
      double all = 0.0;
      const auto channels = path(rank, child);
      for (const ChannelId channel : channels) {
        const auto sharing = in_round_.find(key(round_[child], channel));
        const double byte = byte_s(channel) * (sharing != in_round_.end() ? sharing->second : 1.0);
        slowest = std::max(slowest, byte);
        all += byte_s(channel);
        there.latency_s += cluster_.link_of(channel).latency_s;
      }
      there.per_byte_s += slowest;
      there.per_frame_byte_s += std::max(0.0, all - slowest);
      way.per_byte_s += byte_s(channels.front());
    }
  }

  const Cluster& cluster_;
  const Placement& placement_;
  const Tree& tree_;
  std::vector<std::uint32_t> data_;  ///< transfers by channel
  std::unordered_map<std::uint64_t, std::uint32_t> in_round_;
  std::vector<TreeCosts::Way> ways_;
  std::vector<std::uint32_t> round_;  ///< in which a rank gets the first segment, if every send takes one
  Rank network_hops_ = 0;
};

}  // namespace

TreeCosts tree_costs(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  return Sum(cluster, placement, tree).costs();
}

TreeCosts tree_costs(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees) {
  if (trees.size() == 1) return tree_costs(cluster, placement, trees.front());
  const double part = 1.0 / static_cast<double>(trees.size());
  TreeCosts costs;
  std::vector<double> data(cluster.channel_count(), 0.0);
  std::vector<double> handlings(placement.size(), 0.0);
  double before_s = 0.0;  // for each byte: the root's sends of the first segments of the trees before
  for (const Tree& tree : trees) {
    const TreeCosts own = tree_costs(cluster, placement, tree);
    costs.network_hops += own.network_hops;
    for (TreeCosts::Way way : own.latest) {
      way.per_byte_s += before_s;
      add_way(costs.latest, way);
    }
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      handlings[rank] += part * (static_cast<double>(tree.children[rank].size()) + (rank == tree.root ? 0.0 : 1.0));
      if (rank == tree.root || placement[rank] == placement[tree.parent[rank]]) continue;
      const auto path = cluster.path(cluster.hosts()[placement[tree.parent[rank]]], cluster.hosts()[placement[rank]]);
      for (const ChannelId channel : path) data[channel] += part;
      if (tree.parent[rank] == tree.root) before_s += 8.0 / cluster.link_of(path.front()).rate_bps;
    }
  }
  for (ChannelId channel = 0; channel < data.size(); ++channel) {
    if (data[channel] == 0.0) continue;
    const double byte_s = 8.0 / cluster.link_of(channel).rate_bps;
    add_work(costs.busiest, {data[channel] * byte_s, data[channel ^ 1U] * byte_s});
  }
  costs.handlings = *std::ranges::max_element(handlings);
  return costs;
}

double tree_seconds(const TreeCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const std::uint64_t segments = (message_bytes + segment - 1) / segment;
  const auto wire = static_cast<double>(wire_bytes(segment));
  const auto frame = std::min(wire, static_cast<double>(frame_wire_bytes));
  double first = 0.0;
  for (const TreeCosts::Way& way : costs.latest) {
    first = std::max(first,
                     way.per_byte_s * wire + way.per_frame_byte_s * frame + way.handlings * handling_s + way.latency_s);
  }
  double next = costs.handlings * handling_s;
  for (const TreeCosts::Work& work : costs.busiest) {
    next = std::max(next, work.per_byte_s * wire + work.per_ack_byte_s * static_cast<double>(ack_wire_bytes));
  }
  return first + static_cast<double>(segments - 1) * next;
}

std::span<const std::uint64_t> segment_sizes() { return segment_candidates; }

std::uint64_t best_segment(const TreeCosts& costs, std::uint64_t message_bytes) {
  if (costs.network_hops == 0) return segment_candidates.back();
  return *std::ranges::min_element(segment_candidates, {},
                                   [&](std::uint64_t segment) { return tree_seconds(costs, message_bytes, segment); });
}

}  // namespace trunkline
