// SPDX-License-Identifier: Apache-2.0
#include "model/tree_costs.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>
#include <utility>

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

/// Adds up the transfers of trees that take segments by turns, parents before children.
class Sum {
 public:
  Sum(const Cluster& cluster, const Placement& placement, std::size_t trees)
      : cluster_(cluster),
        placement_(placement),
        part_(1.0 / static_cast<double>(trees)),
        data_(cluster.channel_count(), 0.0),
        handlings_(placement.size(), 0.0) {}

  void add(const Tree& tree) {
    const std::vector<Rank> order = parents_first(tree);
    const Sharing sharing = count_transfers(tree, order);
    std::vector<TreeCosts::Way> ways(tree.size());
    ways[tree.root].per_byte_s = before_s_;
    for (const Rank rank : order) {
      const auto sends = static_cast<double>(tree.children[rank].size());
      handlings_[rank] += part_ * (sends + (rank == tree.root ? 0.0 : 1.0));
      if (sends == 0.0) add_way(costs_.latest, ways[rank]);
      add_ways(tree, rank, sharing, ways);
    }
  }

  TreeCosts costs() {
    costs_.handlings = *std::ranges::max_element(handlings_);
    for (ChannelId channel = 0; channel < data_.size(); ++channel) {
      if (data_[channel] == 0.0) continue;
      add_work(costs_.busiest, {.per_byte_s = data_[channel] * byte_s(channel),
                                .per_ack_byte_s = data_[channel ^ 1U] * byte_s(channel)});
    }
    return std::move(costs_);
  }

 private:
  /// In which round a rank gets the first segment, if every send takes one; and, where transfers of a tree share
  /// channels at all, how many of a round do.
  struct Sharing {
    std::vector<std::uint32_t> round;
    std::unordered_map<std::uint64_t, std::uint32_t> transfers;

    [[nodiscard]] std::uint64_t key(Rank to, ChannelId channel) const {
      return std::uint64_t{round[to]} << 32U | channel;
    }
    [[nodiscard]] double of(Rank to, ChannelId channel) const {
      const auto found = transfers.find(key(to, channel));
      return found != transfers.end() ? found->second : 1.0;
    }
  };

  [[nodiscard]] double byte_s(ChannelId channel) const { return 8.0 / cluster_.link_of(channel).rate_bps; }
  [[nodiscard]] bool on_network(Rank from, Rank to) const { return placement_[from] != placement_[to]; }
  [[nodiscard]] std::vector<ChannelId> path(Rank from, Rank to) const {
    return cluster_.path(cluster_.hosts()[placement_[from]], cluster_.hosts()[placement_[to]]);
  }

  Sharing count_transfers(const Tree& tree, const std::vector<Rank>& order) {
    const bool shared = !contention_of(cluster_, placement_, tree, 1).contention_free;
    Sharing sharing{.round = std::vector<std::uint32_t>(tree.size(), 0), .transfers = {}};
    for (const Rank rank : order) {
      for (std::size_t i = 0; i < tree.children[rank].size(); ++i) {
        const Rank child = tree.children[rank][i];
        sharing.round[child] = sharing.round[rank] + static_cast<std::uint32_t>(i) + 1;
        if (!on_network(rank, child)) continue;
        ++costs_.network_hops;
        for (const ChannelId channel : path(rank, child)) {
          data_[channel] += part_;
          if (shared) ++sharing.transfers[sharing.key(child, channel)];
        }
      }
    }
    return sharing;
  }

  /// Ways to the children of a rank whose own way is known.
  void add_ways(const Tree& tree, Rank rank, const Sharing& sharing, std::vector<TreeCosts::Way>& ways) {
    TreeCosts::Way way = ways[rank];
    for (const Rank child : tree.children[rank]) {
      way.handlings += 1.0;
      if (!on_network(rank, child)) {
        way.per_byte_s += memory_s_per_byte;
        ways[child] = way;
        ways[child].handlings += 1.0;
        continue;
      }
      TreeCosts::Way& there = ways[child] = way;
      there.handlings += 1.0;
      double slowest = 0.0;
      double all = 0.0;
      const auto channels = path(rank, child);
      for (const ChannelId channel : channels) {
        slowest = std::max(slowest, byte_s(channel) * sharing.of(child, channel));
        all += byte_s(channel);
        there.latency_s += cluster_.link_of(channel).latency_s;
      }
      there.per_byte_s += slowest;
      there.per_frame_byte_s += std::max(0.0, all - slowest);
      way.per_byte_s += byte_s(channels.front());
      if (rank == tree.root) before_s_ += byte_s(channels.front());
    }
  }

  const Cluster& cluster_;
  const Placement& placement_;
  double part_;                    ///< of the message that each tree carries
  std::vector<double> data_;       ///< transfers of a segment, by channel
  std::vector<double> handlings_;  ///< of a segment, by rank
  double before_s_ = 0.0;          ///< for each byte: the root's sends of the first segments of the trees before
  TreeCosts costs_;
};

}  // namespace

TreeCosts tree_costs(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  return tree_costs(cluster, placement, std::span(&tree, 1));
}

TreeCosts tree_costs(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees) {
  Sum sum(cluster, placement, trees.size());
  for (const Tree& tree : trees) sum.add(tree);
  return sum.costs();
}

double tree_seconds(const TreeCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const std::uint64_t segments = pieces_of(message_bytes, segment);
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
  // Where transfers of other rounds share a channel, that alone may take longer than the way of any of them.
  return std::max(first, next) + static_cast<double>(segments - 1) * next;
}

std::span<const std::uint64_t> segment_sizes() { return segment_candidates; }

std::uint64_t best_segment(const TreeCosts& costs, std::uint64_t message_bytes) {
  if (costs.network_hops == 0) return segment_candidates.back();
  return *std::ranges::min_element(segment_candidates, {},
                                   [&](std::uint64_t segment) { return tree_seconds(costs, message_bytes, segment); });
}

}  // namespace trunkline
