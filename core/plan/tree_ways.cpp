// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_ways.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

constexpr double any_wire_length = std::numeric_limits<double>::infinity();

/// Those of `all` that stand at the places, each once, in their order.
template <class T>
std::vector<T> at_places(const std::vector<T>& all, std::vector<std::size_t> places) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<T> kept;
  kept.reserve(places.size());
  for (const std::size_t place : places) kept.push_back(all[place]);
  return kept;
}

}  // namespace

TreeCosts::Way arrived(TreeCosts::Way way, const PathCost& path, double injections_s, bool is_local) {
  way.handlings.injections_s += injections_s;
  (is_local ? way.handlings.local_sends : way.handlings.sends) += 1.0;
  (is_local ? way.handlings.local_receives : way.handlings.receives) += 1.0;
  way.per_byte_s += path.slowest_byte_s;
  way.per_frame_byte_s += std::max(0.0, path.byte_s - path.slowest_byte_s);
  way.latency_s += path.latency_s;
  way.answers_s += path.answer_s;
  return way;
}

Ways arrived(const Ways& sending, const PathCost& path, double injections_s) {
  return {.by_wire = arrived(sending.by_wire, path, injections_s, false),
          .by_processor = arrived(sending.by_processor, path, injections_s, false)};
}

Ways arrived_within(const Ways& sending, double injections_s) {
  return {.by_wire = arrived(sending.by_wire, PathCost(), injections_s, true),
          .by_processor = arrived(sending.by_processor, PathCost(), injections_s, true)};
}

void add_sends(Ways& sending, double byte_s, double injections_s, bool is_local, double times) {
  sending.by_wire.per_byte_s += times * byte_s;
  Handlings& handlings = sending.by_processor.handlings;
  (is_local ? handlings.local_sends : handlings.sends) += times;
  handlings.injections_s += times * injections_s;
}

void add_sends_within(Ways& sending, double times, double injections_s) {
  add_sends(sending, 0.0, injections_s, true, times);
}

Handlings upwards(Direction direction, Handlings there) {
  if (direction == Direction::down) return there;
  std::swap(there.sends, there.receives);
  std::swap(there.local_sends, there.local_receives);
  there.combines = there.receives + there.local_receives;
  return there;
}

TreeCosts::Way upwards(Direction direction, TreeCosts::Way way) {
  way.handlings = upwards(direction, way.handlings);
  return way;
}

TreeCosts::Way joined(TreeCosts::Way first, const TreeCosts::Way& then) {
  first.per_byte_s += then.per_byte_s;
  first.per_frame_byte_s += then.per_frame_byte_s;
  first.handlings += then.handlings;
  first.latency_s += then.latency_s;
  first.answers_s += then.answers_s;
  return first;
}

std::vector<TreeCosts::Way> longest(const std::vector<TreeCosts::Way>& ways, const HostCosts& hosts) {
  constexpr auto frame = static_cast<double>(frame_wire_bytes);
  std::vector<std::size_t> places;
  const auto keep = [&](bool short_segment, bool eager, double from, double to) {
    if (from >= to) return;
    std::vector<Line> lines;
    lines.reserve(ways.size());
    for (const TreeCosts::Way& way : ways) {
      lines.push_back({way.byte_s(hosts) + (short_segment ? way.per_frame_byte_s : 0.0),
                       way.fixed_s(hosts, eager) + (short_segment ? 0.0 : way.per_frame_byte_s * frame)});
    }
    const std::vector<std::size_t> more = highest_lines(lines, from, to);
    places.insert(places.end(), more.begin(), more.end());
  };
  const bool has_limit = hosts.eager_bytes < segment_sizes().back();
  const double limit = has_limit ? static_cast<double>(wire_bytes(hosts.eager_bytes)) : any_wire_length;
  keep(true, true, 0.0, std::min(frame, limit));
  keep(false, true, frame, limit);
  if (has_limit) {
    keep(true, false, limit, frame);
    keep(false, false, std::max(frame, limit), any_wire_length);
  }
  return at_places(ways, std::move(places));
}

std::vector<TreeCosts::Work> most(const std::vector<TreeCosts::Work>& works) {
  std::vector<Line> lines;
  lines.reserve(works.size());
  for (const TreeCosts::Work& work : works) {
    lines.push_back({work.per_byte_s, work.per_ack_byte_s * static_cast<double>(ack_wire_bytes)});
  }
  return at_places(works, highest_lines(lines, 0.0, any_wire_length));
}

std::vector<std::size_t> highest_lines(std::span<const Line> lines, double from, double to) {
  std::vector<std::size_t> found;
  if (lines.empty()) return found;
  const auto at_start = [&](const Line& line) { return std::tuple(line.slope * from + line.height, line.slope); };
  std::size_t highest = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (at_start(lines[i]) > at_start(lines[highest])) highest = i;
  }
  while (true) {
    found.push_back(highest);
    const Line& now = lines[highest];
    bool crossed = false;
    double nearest = to;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].slope <= now.slope) continue;
      const double x = (now.height - lines[i].height) / (lines[i].slope - now.slope);
      if (x > nearest || (x == nearest && crossed && lines[i].slope <= lines[highest].slope)) continue;
      nearest = x;
      highest = i;
      crossed = true;
    }
    if (!crossed) return found;
  }
}

}  // namespace trunkline
