// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/pair_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kinds/rounds/samples.hpp"
#include "model/transfer/path_loads.hpp"
#include "model/transfer/segments.hpp"
#include "model/transfer/switch_queue.hpp"
#include "model/transfer/wire.hpp"
#include "network/link_taken.hpp"

namespace trunkline {
namespace {

/// What a connection sends before it has heard of any of it (RFC 6928: ten segments), also once it has rested for
/// longer than its retransmission timeout (RFC 5681, 4.1).
constexpr std::uint64_t tcp_initial_window_bytes = 10 * frame_payload_bytes;

/// A segment in two frames, beside the MPI library's header. Below it messages cost more than what is lost with them:
/// on one switch with 32 hosts slices of one frame took 1.09 to 1.18 times as long (docs/results/alltoall.md).
constexpr std::uint64_t longest_of_two_frames = 2 * frame_payload_bytes - mpi_header_bytes;

/// So many times as long a call may take that keeps queues from overflowing where connections have become slow: headers
/// of slices take that much of links, and where hosts are the slower ones slices take more.
constexpr double most_longer = 1.03;

/// What waits at ports of switches, of messages that hosts begin to send at once.
class Waiting {
 public:
  explicit Waiting(const Cluster& cluster) : cluster_(cluster) {}

  void add(HostIndex from, HostIndex to) { sent_.emplace_back(from, to); }

  /// Messages at the fullest port. They arrive as fast as hosts send, and go on as fast as the link does.
  [[nodiscard]] double most() {
    std::vector<double> of_host(cluster_.hosts().size());
    for (const auto& [from, to] : sent_) of_host[from] += 1.0;
    for (const auto& [from, to] : sent_) {
      const std::vector<ChannelId> path = cluster_.path(cluster_.hosts()[from], cluster_.hosts()[to]);
      const double bps = rate_of(path.front()) * cluster_.link_of(path.front()).width / of_host[from];
      for (const ChannelId channel : std::span(path).subspan(1)) {  // what waits for the first one is in the host
        Port& port = ports_[{channel, link_taken(from, to, cluster_.link_of(channel).width)}];
        port.messages += 1.0;
        port.bps += bps;
      }
    }
    double most = 0.0;
    for (const auto& [link, port] : ports_) {
      most = std::max(most, port.messages * (1.0 - rate_of(link.first) / port.bps));
    }
    sent_.clear();
    ports_.clear();
    return most;
  }

 private:
  struct Port {
    double messages = 0.0;
    double bps = 0.0;  ///< arriving
  };

  [[nodiscard]] double rate_of(ChannelId channel) const { return cluster_.link_of(channel).way(channel).rate_bps; }

  const Cluster& cluster_;
  std::vector<std::pair<HostIndex, HostIndex>> sent_{};
  std::map<std::pair<ChannelId, std::uint32_t>, Port> ports_{};  ///< by channel and link of it
};

}  // namespace

PairCosts pair_costs(const Paths& paths, const Placement& placement, const Rounds& rounds, const HostCosts& hosts) {
  check_placement(paths.cluster(), placement, rounds.order.front());
  struct OfRank {
    double messages = 0.0;
    double local = 0.0;
  };
  std::vector<OfRank> ranks(rounds.order.size());
  struct OfHost {
    double blocks = 0.0;  // seconds on its links, of one byte of each
    double messages = 0.0;
  };
  std::vector<OfHost> hosts_sent(paths.cluster().hosts().size());
  PairCosts costs;
  costs.hosts = hosts;
  costs.queue_bytes = queue_bytes_of(paths.cluster());
  PathLoads loads(paths);
  PathLoads message_loads(paths);
  Waiting waiting(paths.cluster());
  double blocks = 0.0;  // of messages between hosts
  double local_blocks = 0.0;
  for (const RoundSample& sample : sample_rounds(rounds).rounds) {
    for (const RoundSample::Sent& sent : sample.sent) {
      const HostIndex from = placement[rounds.order[sent.from]];
      const HostIndex to = placement[rounds.order[sent.to]];
      const bool is_local = from == to;
      for (const Rank end : {sent.from, sent.to}) {
        (is_local ? ranks[end].local : ranks[end].messages) += 1.0;
      }
      (is_local ? costs.local_messages : costs.messages) += 1.0;
      (is_local ? local_blocks : blocks) += static_cast<double>(sent.blocks);
      if (is_local) continue;
      const NodeId u = paths.cluster().hosts()[from];
      const NodeId v = paths.cluster().hosts()[to];
      loads.add(u, v, static_cast<double>(sent.blocks));
      message_loads.add(u, v, 1.0);
      waiting.add(from, to);
      costs.least_blocks = costs.messages == 1.0 ? sent.blocks : std::min(costs.least_blocks, sent.blocks);
      const double byte_s = paths.spread_byte_s(paths.cluster().neighbours(u).front().channel);
      hosts_sent[from].blocks += byte_s * static_cast<double>(sent.blocks);
      hosts_sent[from].messages += byte_s;
      const NodeId meeting = paths.meeting(u, v);
      costs.latency_s = std::max(costs.latency_s, paths.latency_s(u, v, meeting));
      costs.frame_byte_s =
          std::max(costs.frame_byte_s, paths.byte_s(u, v, meeting) - paths.slowest_byte_s(u, v, meeting));
    }
    costs.most_waiting = std::max(costs.most_waiting, waiting.most());
  }
  for (const OfRank& one : ranks) {
    costs.most_messages = std::max(costs.most_messages, one.messages);
    costs.most_local_messages = std::max(costs.most_local_messages, one.local);
  }
  const OfHost& slowest = *std::ranges::max_element(hosts_sent, {}, &OfHost::blocks);
  costs.sent_byte_s = slowest.blocks;
  costs.sent_each_byte_s = slowest.messages;
  if (costs.local_messages > 0.0) costs.local_blocks_a_message = local_blocks / costs.local_messages;
  if (costs.messages > 0.0) {
    costs.blocks_a_message = blocks / costs.messages;
    loads.settle_loads();
    message_loads.settle_loads();
    costs.messages_byte_s = message_loads.fullest_byte_s();
    costs.links_byte_s = loads.fullest_byte_s();
    for (ChannelId channel = 0; channel < paths.cluster().channel_count(); ++channel) {
      costs.most_on_link = std::max(costs.most_on_link, loads.load(channel) / paths.cluster().link_of(channel).width);
    }
  }
  return costs;
}

/// It doubles what it sends with each. Of one that is shorter than two windows not much is left to wait for.
double PairCosts::waits_of(std::uint64_t message_bytes, double links_s) const {
  if (message_bytes < 2 * tcp_initial_window_bytes || links_s < tcp_least_timeout_s) return 0.0;
  const double windows = static_cast<double>(message_bytes) / static_cast<double>(tcp_initial_window_bytes);
  return std::ceil(std::log2(windows + 1.0)) - 1.0;
}

double PairCosts::seconds(std::uint64_t block_bytes, std::uint64_t segment_bytes) const {
  const double bytes = blocks_a_message * static_cast<double>(block_bytes);
  const auto message = static_cast<std::uint64_t>(std::ceil(bytes));
  const std::uint64_t piece = std::min(message, segment_bytes);
  const auto pieces = static_cast<double>(pieces_of(message, piece));
  const auto wire = static_cast<double>(wire_bytes(piece));
  // Where hosts have different numbers of ranks, a link may have many messages that are short.
  const double links_s = std::max(links_byte_s * pieces * wire / blocks_a_message,
                                  messages_byte_s * static_cast<double>(wire_bytes(least_blocks * block_bytes)));
  const double local_bytes = local_blocks_a_message * static_cast<double>(block_bytes);
  const double local_pieces = std::ceil(local_bytes / static_cast<double>(segment_bytes));
  const double local_s = most_local_messages * local_pieces * hosts.local_handling_s(local_bytes / local_pieces);
  const double rank_s = pieces * most_messages * hosts.handling_s(piece);
  const double together_s = hosts.together_s(pieces * messages, messages * bytes, local_pieces * local_messages,
                                             local_messages * local_bytes);
  const double way_s = hosts.trips(piece) * latency_s +
                       frame_byte_s * std::min(wire, static_cast<double>(frame_wire_bytes)) + hosts.handling_s(piece);
  // An acknowledgement comes behind a window of each connection of its host, which goes the other way. A connection has
  // rested since the slice before.
  const double waits = goes_by_hosts() ? waits_of(message, links_s) : pieces * waits_of(piece, links_s / pieces);
  const double waited_s = sent_each_byte_s * waits * static_cast<double>(wire_bytes(tcp_initial_window_bytes));
  const double connections_s = waits > 0.0 ? sent_byte_s * pieces * wire / blocks_a_message + waited_s : 0.0;
  // Blocks that are put together within hosts wait for all of them: links rest meanwhile.
  if (goes_by_hosts()) return std::max(std::max({links_s, connections_s, rank_s}) + local_s, together_s) + way_s;
  // A rank that goes in step hears of the first block of each few rounds before it sends the next one.
  const double steps_s = pieces * most_messages / (2.0 * lead) * way_s;
  return std::max({links_s, connections_s, rank_s + local_s, together_s, steps_s}) + way_s;
}

bool PairCosts::holds_all(std::uint64_t block_bytes, double queues) const {
  return most_on_link * static_cast<double>(wire_bytes(block_bytes)) <= queues * static_cast<double>(queue_bytes);
}

std::uint64_t PairCosts::least_bytes(double queues) const {
  if (goes_by_hosts()) return 1;
  std::uint64_t bytes = 1;
  constexpr std::uint64_t longest = std::uint64_t{1} << 20;
  while (bytes < longest && holds_all(bytes, queues) && best_segment(bytes) >= bytes) bytes *= 2;
  return bytes;
}

std::uint64_t PairCosts::whole_segment(std::uint64_t block_bytes) const {
  const double longest = std::max(blocks_a_message, local_blocks_a_message) * static_cast<double>(block_bytes);
  const auto found = std::ranges::lower_bound(segment_sizes(), static_cast<std::uint64_t>(longest));
  return found != segment_sizes().end() ? *found : segment_sizes().back();
}

bool PairCosts::overflows(std::uint64_t segment_bytes) const {
  return most_waiting * lead * static_cast<double>(wire_bytes(segment_bytes)) > static_cast<double>(queue_bytes);
}

bool PairCosts::all_may_meet(std::uint64_t segment_bytes) const {
  return most_messages / 2.0 * static_cast<double>(wire_bytes(segment_bytes)) <= static_cast<double>(queue_bytes);
}

std::uint64_t PairCosts::best_segment(std::uint64_t block_bytes) const {
  std::uint64_t best = whole_segment(block_bytes);
  if (goes_by_hosts()) return best;
  const auto longest = [&](const auto& fits) {
    std::uint64_t found = best;
    for (const std::uint64_t segment : segment_sizes()) {
      if (segment < best && fits(segment)) found = segment;
    }
    return found;
  };
  if (overflows(best)) best = longest([&](std::uint64_t segment) { return !overflows(segment); });
  const std::uint64_t window = longest([](std::uint64_t segment) { return segment <= tcp_initial_window_bytes; });
  if (seconds(block_bytes, window) < seconds(block_bytes, best)) best = window;
  if (best <= longest_of_two_frames || all_may_meet(best)) return best;
  const std::uint64_t meeting =
      longest([&](std::uint64_t segment) { return segment <= longest_of_two_frames || all_may_meet(segment); });
  return seconds(block_bytes, meeting) < most_longer * seconds(block_bytes, best) ? meeting : best;
}

}  // namespace trunkline
