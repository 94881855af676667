// SPDX-License-Identifier: Apache-2.0
// How long a message takes along trees, from their costs: segment by segment.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/transfer/wire.hpp"
#include "plan/in_flight.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

/// What a further segment takes, where channels have so much to do.
double links_seconds(const std::vector<TreeCosts::Work>& busiest, const Cut::Piece& piece) {
  double most_s = 0.0;
  for (const TreeCosts::Work& work : busiest) {
    most_s = std::max(most_s, work.per_byte_s * piece.wire + work.per_ack_byte_s * static_cast<double>(ack_wire_bytes));
  }
  return most_s;
}

/// The same of links and hosts.
double next_seconds(const TreeCosts& costs, const std::vector<TreeCosts::Work>& busiest, const Cut::Piece& piece) {
  double next = costs.handlings.fixed_s(costs.hosts, costs.hosts.is_eager(piece.bytes)) +
                costs.handlings.byte_s(costs.hosts) * static_cast<double>(piece.bytes);
  const auto bytes = static_cast<double>(piece.bytes);
  next = std::max(next, costs.hosts.together_s(costs.transfers, costs.transfers * bytes, costs.local_transfers,
                                               costs.local_transfers * bytes));
  return std::max(next, links_seconds(busiest, piece));
}

/// On the longest way.
double way_seconds(const TreeCosts& costs, const std::vector<TreeCosts::Way>& latest, const Cut::Piece& piece) {
  double most = 0.0;
  const bool eager = costs.hosts.is_eager(piece.bytes);
  for (const TreeCosts::Way& way : latest) {
    most = std::max(most, way.byte_s(costs.hosts) * piece.wire + way.per_frame_byte_s * piece.frame +
                              way.fixed_s(costs.hosts, eager));
  }
  return most + costs.capped_hops * held_seconds(costs.streams, static_cast<double>(piece.bytes));
}

/// Until the last of the segments may be sent, as far as TCP's windows let it.
double streamed_seconds(const TreeCosts& costs, const Cut& cut) {
  double most_s = 0.0;
  const double before = cut.further * static_cast<double>(cut.segment.bytes);
  for (const TcpStream& stream : costs.streams) {
    const double last = std::min(static_cast<double>(cut.last.bytes), stream.window_bytes);
    most_s = std::max(most_s, stream.seconds(stream.share * before + last));
  }
  return most_s;
}

/// Until so many segments have been sent and one more may be. Over a long way a window may end before its first message
/// was answered, there and back; then nothing is sent until it was.
double sent_seconds(const TreeCosts& costs, const Cut::Piece& piece, double before, double next_s) {
  if (costs.longest_hop_s == 0.0) return before * next_s;
  const auto window = static_cast<double>(window_of(piece.bytes, costs.in_flight_bytes));
  const double windows = std::floor(before / window);
  return windows * std::max(window * next_s, 2.0 * costs.longest_hop_s) + (before - windows * window) * next_s;
}

/// What all of them take by these ways, along these channels: the last one starts when all others have, and may be
/// short; it may be there before the one ahead of it. `slowest_s` is what a further segment takes on any branch: nobody
/// who sends down several is more than a window further with one of them.
double branch_seconds(const TreeCosts& costs, const std::vector<TreeCosts::Way>& latest,
                      const std::vector<TreeCosts::Work>& busiest, const Cut& cut, double slowest_s) {
  // Where transfers of other rounds share a channel, that alone may take longer than the way of any of them.
  const double last_s = std::max(way_seconds(costs, latest, cut.last), next_seconds(costs, busiest, cut.last));
  if (cut.further == 0.0) return last_s;
  const double next_s = costs.branches.empty() ? slowest_s : next_seconds(costs, busiest, cut.segment);
  // The root hands over two at once at least: where they share the wire, the first takes as long as both.
  const bool shares_wire = costs.hosts.shares_wire && !costs.hosts.is_eager(cut.segment.bytes);
  const double before = cut.further + (shares_wire ? 1.0 : 0.0);
  double sent_s = sent_seconds(costs, cut.segment, before, next_s);
  if (slowest_s > next_s) {
    const auto window = static_cast<double>(window_of(cut.segment.bytes, costs.in_flight_bytes));
    sent_s = std::max(sent_s, (before - window) * slowest_s);
  }
  sent_s = std::max(sent_s, streamed_seconds(costs, cut));
  return sent_s + std::max(last_s, way_seconds(costs, latest, cut.segment) - next_s);
}

/// What all of them take, to all ranks.
double all_seconds(const TreeCosts& costs, const Cut& cut, double next_s) {
  if (costs.branches.empty()) return branch_seconds(costs, costs.latest, costs.busiest, cut, next_s);
  double most_s = 0.0;
  for (const TreeCosts::Branch& branch : costs.branches) {
    most_s = std::max(most_s, branch_seconds(costs, branch.latest, branch.busiest, cut, next_s));
  }
  return most_s;
}

}  // namespace

double TreeCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const Cut cut = cut_into(message_bytes, segment_bytes);
  return all_seconds(*this, cut, next_seconds(*this, busiest, cut.segment));
}

TimedSegment TreeCosts::fastest_segment(std::uint64_t /*message_bytes*/, const Cuts& cuts) const {
  TimedSegment fastest{.segment_bytes = 0, .seconds = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double next_s = next_seconds(*this, busiest, cuts[i].segment);
    if (cuts[i].further * next_s >= fastest.seconds) continue;  // whatever the first segment takes
    const double seconds = all_seconds(*this, cuts[i], next_s);
    if (seconds < fastest.seconds) fastest = {.segment_bytes = segment_sizes()[i], .seconds = seconds};
  }
  return fastest;
}

std::uint64_t TreeCosts::best_segment(std::uint64_t message_bytes) const {
  if (network_hops == 0) return segment_sizes().back();
  return fastest_segment(message_bytes, cuts_of(message_bytes)).segment_bytes;
}

}  // namespace trunkline
