// SPDX-License-Identifier: Apache-2.0
// What a pipelined broadcast over any ordered tree costs, from the cluster's stated rates, whatever kind of plan has
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collective/collective.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/segments.hpp"
#include "model/transfer/tcp_stream.hpp"
#include "network/paths.hpp"
#include "patterns/over_hosts.hpp"
#include "patterns/tree.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// How often software sends a segment on, and takes one in.
struct Handlings {
  double sends = 0.0;
  double receives = 0.0;
  double local_sends = 0.0;  ///< to ranks of the same host
  double local_receives = 0.0;
  double combines = 0.0;      ///< of what came up, with what the rank has
  double injections_s = 0.0;  ///< what their hosts' injection times (Node::injection_s) take for all of these sends

  /// Seconds of all of them, but for what each byte takes.
  [[nodiscard]] double fixed_s(const HostCosts& hosts, bool eager) const {
    return injections_s + sends * hosts.send_s + receives * hosts.receive_s + local_sends * hosts.local_send_s +
           local_receives * hosts.local_receive_s + (eager ? 0.0 : (sends + receives) * hosts.rendezvous_s);
  }
  [[nodiscard]] double byte_s(const HostCosts& hosts) const {
    return sends * hosts.send_byte_s + receives * hosts.receive_byte_s + local_sends * hosts.local_send_byte_s +
           local_receives * hosts.local_receive_byte_s + combines * hosts.combine_byte_s;
  }
  Handlings& operator+=(const Handlings& other) {
    sends += other.sends;
    receives += other.receives;
    local_sends += other.local_sends;
    local_receives += other.local_receives;
    combines += other.combines;
    injections_s += other.injections_s;
    return *this;
  }
};

/// A tree's time as a function of the segment: what does not depend on it, taken once and kept.
struct TreeCosts final : CostFunction {
  /// The first segment's way to one rank. Hops, and the sends that each sender makes before: while one of them is on
  /// the wire its sender prepares the next, so the longer of the two counts.
  struct Way {
    double per_byte_s = 0.0;        ///< for each byte of a segment on the wire: slowest channel of every hop, queues
    double per_frame_byte_s = 0.0;  ///< for each byte of its first frame: further channels that store it
    Handlings handlings;            ///< one after another
    double latency_s = 0.0;
    double answers_s = 0.0;  ///< the latencies of answers, the other way

    /// Seconds for a segment, but for what each byte takes. One that is announced first has the way there and back to
    /// go before.
    [[nodiscard]] double fixed_s(const HostCosts& of, bool eager) const {
      return handlings.fixed_s(of, eager) + (latency_s + (eager ? 0.0 : latency_s + answers_s));
    }
    /// Of each byte on the wire, but for frames that are stored.
    [[nodiscard]] double byte_s(const HostCosts& of) const { return per_byte_s + handlings.byte_s(of); }
  };
  /// What every further segment costs one channel.
  struct Work {
    double per_byte_s = 0.0;
    double per_ack_byte_s = 0.0;  ///< acknowledgements of the segments that come the other way
  };
  /// The ranks of one site, by what is on the way to them alone.
  struct Branch {
    std::vector<Way> latest;
    std::vector<Work> busiest;
  };
  std::vector<Way> latest;    ///< of the ways, those that may be the longest for some segment
  std::vector<Work> busiest;  ///< of the channels, those that may be the busiest for some segment
  /// Of what goes one way over long links, unless one slowest link is on the way to all: what waits for a slow long
  /// link is not what has a far way over another.
  std::vector<Branch> branches{};
  Handlings handlings;                ///< of one segment by the busiest rank
  Rank network_hops = 0;              ///< transfers between different hosts
  double transfers = 0.0;             ///< of one segment between hosts, by all ranks
  double local_transfers = 0.0;       ///< within hosts
  double longest_hop_s = 0.0;         ///< one way, where windows may end before the first answer; 0: they do not
  std::uint64_t in_flight_bytes = 0;  ///< what windows hold then
  std::vector<TcpStream> streams{};   ///< hops that TCP's windows make slower than their links, the slowest of them
  double capped_hops = 0.0;           ///< so many of them at most are on the way to one rank
  double crowded_byte_s = 0.0;        ///< see exchanged_byte_s()
  HostCosts hosts = usual_host_costs();

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
  [[nodiscard]] double exchanged_byte_s() const override { return crowded_byte_s; }
};

/// Generalises formulas 1 and 2 of Patarasuk, Faraj, Yuan (2008) to any ordered tree: the first segment's longest way,
/// then one segment after another through the busiest channel; over long links, that on the way to each site. Where
/// transfers share a channel it is slower for the first segment by those of the same round, and for the others by all.
/// Time O(ranks * length of a path). Throws std::invalid_argument where `placement` and `tree` differ in length, and
/// where two roots exchange what goes one way only.
[[nodiscard]] TreeCosts tree_costs(const Paths& paths, const Placement& placement, const Tree& tree,
                                   Direction direction = Direction::down, const HostCosts& hosts = usual_host_costs());

/// The same for trees that take segments by turns: each tree's transfers carry one part in so many of the message. Up a
/// tree the same transfers go backwards, which takes as long where links are alike both ways. Up and down at once the
/// first segment goes both ways, and all others share the channels with those that go the other way. Where two roots
/// exchange, it goes up on the side of one, over to the other, and down on the other's.
[[nodiscard]] TreeCosts tree_costs(const Paths& paths, const Placement& placement, std::span<const Tree> trees,
                                   Direction direction = Direction::down, const HostCosts& hosts = usual_host_costs());

/// The same of all of these trees, which need not be laid over the ranks for it.
[[nodiscard]] TreeCosts tree_costs(const Paths& paths, const Placement& placement, const HostTrees& trees,
                                   Direction direction = Direction::down, const HostCosts& hosts = usual_host_costs());

/// The same of one tree, down, until that rank has all; not the root.
[[nodiscard]] TreeCosts tree_costs_to(const Paths& paths, const Placement& placement, const Tree& tree, Rank rank,
                                      const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
