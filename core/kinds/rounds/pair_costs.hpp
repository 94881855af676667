// SPDX-License-Identifier: Apache-2.0
// Times of an alltoall that sends blocks straight on, as a bound of each resource: what passes the fullest link, and
// what each host spends on its messages. Who waits for whom a replay tells (core/replay).
#pragma once

#include <cstdint>

#include "algorithms/rounds/pair_ring.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// What is lost is sent again after this long at least, on Linux.
inline constexpr double tcp_least_timeout_s = 0.2;

struct PairCosts final : CostFunction {
  double links_byte_s = 0.0;         ///< of the fullest link, for each byte of a block
  double blocks_a_message = 1.0;     ///< between hosts, on average
  std::uint64_t least_blocks = 1;    ///< of one
  double messages_byte_s = 0.0;      ///< of the link that has most messages, for each byte of one
  double most_messages = 0.0;        ///< of a rank, between hosts: those it sends and those it takes
  double most_local_messages = 0.0;  ///< the same within its host
  double local_blocks_a_message = 1.0;
  double sent_byte_s = 0.0;       ///< of the host that takes longest to send: on its links, for each byte of its blocks
  double sent_each_byte_s = 0.0;  ///< and for each byte that each of its messages has
  double messages = 0.0;          ///< of all ranks, between hosts
  double most_on_link = 0.0;      ///< of these
  double most_waiting = 0.0;      ///< of those of one round, at a port of a switch, where all are sent at once
  std::uint64_t queue_bytes = 0;  ///< of the shallowest switch
  double lead = static_cast<double>(pair_lead);  ///< blocks of a rank under way; infinity where all are at once
  double local_messages = 0.0;
  double latency_s = 0.0;     ///< of the longest path
  double frame_byte_s = 0.0;  ///< for each byte of a frame that is stored on it
  HostCosts hosts = usual_host_costs();

  [[nodiscard]] bool goes_by_hosts() const { return blocks_a_message > 1.0; }
  [[nodiscard]] std::uint64_t whole_segment(std::uint64_t block_bytes) const;
  /// Whether what waits at the fullest port of a switch, of the rounds under way, is more than queues hold.
  [[nodiscard]] bool overflows(std::uint64_t segment_bytes) const;
  /// Whether queues hold what a rank gets from all others. It meets at its port where connections have become slow, as
  /// after calls of the library's own that lost frames.
  [[nodiscard]] bool all_may_meet(std::uint64_t segment_bytes) const;
  /// How often a message waits for acknowledgements of it, where connections have rested since the last call.
  [[nodiscard]] double waits_of(std::uint64_t message_bytes, double links_s) const;
  /// Of blocks of `block_bytes` in pieces of `segment_bytes`, both above zero.
  [[nodiscard]] double seconds(std::uint64_t block_bytes, std::uint64_t segment_bytes) const override;
  /// Whether so many queues of the shallowest switch hold all messages of the fullest link.
  [[nodiscard]] bool holds_all(std::uint64_t block_bytes, double queues) const;
  /// Where the messages of the fullest link fit into that many queues of the shallowest switch, and go whole, no order
  /// gains anything.
  [[nodiscard]] std::uint64_t least_bytes(double queues) const override;
  /// A whole block, as far as one message may be; but slices that queues hold, where some do, and of TCP's initial
  /// window, where longer ones would wait for acknowledgements. Where that takes hardly longer, such that all may meet
  /// at a host.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t block_bytes) const override;
};

/// Time O(transfers * length of a path). Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] PairCosts pair_costs(const Paths& paths, const Placement& placement, const Rounds& rounds,
                                   const HostCosts& hosts);

}  // namespace trunkline
