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

/// Segments of several trees meet at ports, by chance: one waits for the other, and what it leaves unused on its way is
/// lost. So segments fall behind as a random walk does, until windows hold them. Simulated on 16 and 32 hosts at
/// 1 Gbit/s, in 4 to 3000 segments, they came later by so many segments a hop, times the root of their number.
constexpr double behind_by_meeting = 0.4;
constexpr double most_behind = 3.5;

/// Up one tree all ranks that lead nobody send at once, as many segments as may be under way, and those share the port
/// of who takes them in, or its processor: the first comes late, and so on up. Of so many segments at most each comes
/// so many times later as one takes there. Simulated by binary, 3-ary and 4-ary trees of 24 and 32 hosts at 1 to 100
/// Gbit/s, in 2 to 370 segments (docs/results/hosts.md).
constexpr double late_by_flood = 1.2;
constexpr double most_in_flood = 12.0;

double behind(double further) { return std::min(behind_by_meeting * std::sqrt(further), most_behind); }

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

/// How much later the last segment comes since others were sent up beside it. Where results go down again meanwhile
/// processors have as much to do with those: links count, for as much of the time as they are busy.
double flood_seconds(const TreeCosts& costs, double busy, const Cut& cut) {
  if (costs.flooded_byte_s == 0.0) return 0.0;
  const auto bytes = static_cast<double>(cut.segment.bytes);
  const double wire_s = costs.flooded_byte_s * cut.segment.wire;
  const double each_s =
      costs.goes_down ? busy * wire_s : std::max(wire_s, costs.hosts.receive_s + costs.hosts.receive_byte_s * bytes);
  return late_by_flood * std::min(cut.further, most_in_flood) * each_s;
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
  // Where hosts set the pace ports are free for most of the time, and segments seldom meet.
  const double links = next_s > 0.0 ? std::min(links_seconds(busiest, cut.segment) / next_s, 1.0) : 0.0;
  const double busy = costs.looks_at_ports ? links : 1.0;
  const double behind_s =
      behind(before) * costs.meeting_byte_s * cut.segment.wire * busy + flood_seconds(costs, busy, cut);
  double sent_s = sent_seconds(costs, cut.segment, before, next_s);
  if (slowest_s > next_s) {
    const auto window = static_cast<double>(window_of(cut.segment.bytes, costs.in_flight_bytes));
    sent_s = std::max(sent_s, (before - window) * slowest_s);
  }
  sent_s = std::max(sent_s, streamed_seconds(costs, cut));
  return sent_s + behind_s + std::max(last_s, way_seconds(costs, latest, cut.segment) - next_s);
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

double tree_seconds(const TreeCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const Cut cut = cut_into(message_bytes, segment_bytes);
  return all_seconds(costs, cut, next_seconds(costs, costs.busiest, cut.segment));
}

TimedSegment fastest_segment(const TreeCosts& costs, const Cuts& cuts) {
  TimedSegment fastest{.segment_bytes = 0, .seconds = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double next_s = next_seconds(costs, costs.busiest, cuts[i].segment);
    if (cuts[i].further * next_s >= fastest.seconds) continue;  // whatever the first segment takes
    const double seconds = all_seconds(costs, cuts[i], next_s);
    if (seconds < fastest.seconds) fastest = {.segment_bytes = segment_sizes()[i], .seconds = seconds};
  }
  return fastest;
}

std::uint64_t best_segment(const TreeCosts& costs, std::uint64_t message_bytes) {
  if (costs.network_hops == 0) return segment_sizes().back();
  return fastest_segment(costs, cuts_of(message_bytes)).segment_bytes;
}

double TreeCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  return tree_seconds(*this, message_bytes, segment_bytes);
}

std::uint64_t TreeCosts::best_segment(std::uint64_t message_bytes) const {
  return trunkline::best_segment(*this, message_bytes);
}

TimedSegment TreeCosts::fastest_segment(std::uint64_t /*message_bytes*/, const Cuts& cuts) const {
  return trunkline::fastest_segment(*this, cuts);
}

}  // namespace trunkline
