// SPDX-License-Identifier: Apache-2.0
#include "model/measured/measured_network.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "model/transfer/wire.hpp"
#include "network/fingerprint.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

/// Rates that differ by less are alike: headers, acknowledgements and the spread of a median.
constexpr double alike_rates = 0.12;

struct Straight {
  double fixed_s;
  double byte_s;
};

/// Least squares; never below zero.
template <class Point>
Straight line_through(const std::vector<Point>& points, double Point::*time, std::uint64_t most_bytes) {
  double n = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const Point& point : points) {
    if (point.bytes > most_bytes && n > 0.0) break;
    const auto bytes = static_cast<double>(point.bytes);
    n += 1.0;
    x += bytes;
    y += point.*time;
    xx += bytes * bytes;
    xy += bytes * point.*time;
  }
  const double width = n * xx - x * x;
  const double slope = width > 0.0 ? std::max(0.0, (n * xy - x * y) / width) : 0.0;
  return {.fixed_s = std::max(0.0, (y - slope * x) / n), .byte_s = slope};
}

/// What a path carried at best.
struct Best {
  double bps = 0.0;
  bool hosts_were_busy = false;  ///< so that the links may well carry more
};

/// Messages shorter than a frame may share one, and say less: they count where there are no others.
Best best_rate(const MeasuredDistance& distance) {
  Best best;
  const bool has_full_frames = distance.points.back().bytes >= frame_payload_bytes;
  for (const MeasuredPoint& point : distance.points) {
    if (point.gap_s <= 0.0 || (has_full_frames && point.bytes < frame_payload_bytes)) continue;
    const double bps = 8.0 * static_cast<double>(wire_bytes(point.bytes)) / point.gap_s;
    if (bps <= best.bps) continue;
    best = {.bps = bps,
            .hosts_were_busy = point.gap_s <= (1.0 + alike_rates) * std::max(point.send_s, point.receive_s)};
  }
  return best;
}

bool is_trunk(const Cluster& cluster, const Link& link) {
  return cluster.nodes()[link.a].kind == NodeKind::network_switch &&
         cluster.nodes()[link.b].kind == NodeKind::network_switch;
}

/// Changes the links of a copy of the cluster.
class Correction {
 public:
  Correction(const Cluster& stated, const HostCosts& hosts)
      : stated_(stated), hosts_(hosts), links_(stated.links().begin(), stated.links().end()) {}

  /// From the nearest hosts to those furthest apart.
  void take(const MeasuredDistance& distance) {
    const std::vector<ChannelId> path = path_of(distance);
    double stated_bps = std::numeric_limits<double>::infinity();
    double known_bps = stated_bps;
    for (const ChannelId channel : path) {
      stated_bps = std::min(stated_bps, stated_.way(channel).rate_bps);
      known_bps = std::min(known_bps, links_[channel / 2].way(channel).rate_bps);
    }
    const Best best = best_rate(distance);
    const bool differs = best.bps < (1.0 - alike_rates) * known_bps || best.bps > (1.0 + alike_rates) * known_bps;
    if (best.bps > 0.0 && differs && !(best.hosts_were_busy && best.bps < known_bps)) {
      told_.push_back(distance.from + " - " + distance.to + ", " + std::to_string(distance.channels) +
                      " links apart: " + rate_text(best.bps) + " measured, " + rate_text(stated_bps) + " stated");
      set_rates(path, best.bps / known_bps);
    }
    set_latencies(distance, path);
  }

  /// What sending was measured to cost its host has the stated injection in it.
  [[nodiscard]] Cluster cluster() const {
    std::vector<Node> nodes(stated_.nodes().begin(), stated_.nodes().end());
    for (Node& node : nodes) node.injection_s = 0.0;
    return Cluster(
        {.name = stated_.name(), .description = stated_.description(), .nodes = std::move(nodes), .links = links_});
  }
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }

 private:
  [[nodiscard]] std::vector<ChannelId> path_of(const MeasuredDistance& distance) const {
    const auto node = [&](const std::string& name) {
      const auto host = stated_.find_host(name);
      if (!host) throw std::invalid_argument("host '" + name + "' is not in cluster " + stated_.name());
      return stated_.hosts()[*host];
    };
    return stated_.path(node(distance.from), node(distance.to));
  }

  /// The first distance is about links of hosts; the others are about trunks, unless trunks show more than hosts did.
  void set_rates(const std::vector<ChannelId>& path, double factor) {
    const auto on_path = [&](const Link& link) {
      return std::ranges::any_of(path, [&](ChannelId channel) {
        const Link& other = stated_.link_of(channel);
        return is_trunk(stated_, other) && other.rate_bps == link.rate_bps;
      });
    };
    const bool trunks = path.size() > 2 && factor < 1.0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Link& stated = stated_.links()[i];
      if (trunks ? is_trunk(stated_, stated) && on_path(stated) : !is_trunk(stated_, stated) || on_path(stated)) {
        links_[i].scale_rates(factor);
      }
    }
  }

  /// Half a round trip is what both hosts spend, the frames' time on each link, and the latencies.
  void set_latencies(const MeasuredDistance& distance, const std::vector<ChannelId>& path) {
    const MeasuredPoint& least = distance.points.front();
    const auto bytes = static_cast<double>(least.bytes);
    double left_s = least.round_trip_s / 2.0 - hosts_.send_s - hosts_.receive_s -
                    (hosts_.send_byte_s + hosts_.receive_byte_s) * bytes;
    for (const ChannelId channel : path) {
      const Link& link = links_[channel / 2];
      const double byte_s = std::midpoint(8.0 / link.way(0).rate_bps, 8.0 / link.way(1).rate_bps);
      left_s -= byte_s * static_cast<double>(wire_bytes(least.bytes));
    }
    left_s = std::max(0.0, left_s);
    double of_trunks_s = left_s;
    double trunks = 0.0;
    for (const ChannelId channel : path) {
      if (is_trunk(stated_, stated_.link_of(channel))) {
        trunks += 1.0;
      } else {
        of_trunks_s -= links_[channel / 2].mean_latency_s();
      }
    }
    for (auto& link : links_) {
      if (trunks == 0.0) {
        link.set_mean_latency(left_s / static_cast<double>(path.size()));
      } else if (is_trunk(stated_, link)) {
        link.set_mean_latency(std::max(0.0, of_trunks_s) / trunks);
      }
    }
  }

  const Cluster& stated_;
  const HostCosts& hosts_;
  std::vector<Link> links_;
  std::vector<std::string> told_;
};

}  // namespace

HostCosts with_datagrams(HostCosts hosts, const Measurement& measured) {
  if (!measured.datagrams) return hosts;
  const std::vector<DatagramPoint>& points = measured.datagrams->points;
  const Straight send = line_through(points, &DatagramPoint::send_s, points.back().bytes);
  const Straight receive = line_through(points, &DatagramPoint::receive_s, points.back().bytes);
  hosts.datagram_send_s = send.fixed_s;
  hosts.datagram_send_byte_s = send.byte_s;
  hosts.datagram_receive_s = receive.fixed_s;
  hosts.datagram_receive_byte_s = receive.byte_s;
  return hosts;
}

HostCosts with_combining(HostCosts hosts, const Measurement& measured) {
  if (!measured.combining) return hosts;
  const std::vector<CombinePoint>& points = measured.combining->points;
  hosts.combine_byte_s = line_through(points, &CombinePoint::time_s, points.back().bytes).byte_s;
  return hosts;
}

MeasuredNetwork measured_network(const Cluster& stated, const Measurement& measured, const HostCosts& defaults) {
  const auto nearest = std::ranges::find_if(measured.distances, [](const auto& one) { return one.channels > 0; });
  if (nearest == measured.distances.end()) throw std::invalid_argument("it says nothing of two hosts: measure again");
  HostCosts hosts = with_combining(with_datagrams(defaults, measured), measured);
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  if (defaults.eager_bytes != no_limit) hosts.eager_bytes = nearest->eager_bytes;
  const Straight send = line_through(nearest->points, &MeasuredPoint::send_s, nearest->eager_bytes);
  const Straight receive = line_through(nearest->points, &MeasuredPoint::receive_s, nearest->eager_bytes);
  hosts.is_known = true;
  hosts.send_s = send.fixed_s;
  hosts.send_byte_s = send.byte_s;
  hosts.receive_s = receive.fixed_s;
  hosts.receive_byte_s = receive.byte_s;
  Correction correction(stated, hosts);
  for (auto one = nearest; one != measured.distances.end(); ++one) correction.take(*one);
  Cluster corrected = correction.cluster();
  if (topology_fingerprint(corrected) != topology_fingerprint(stated)) {
    throw std::invalid_argument(
        "by the measured rates the network would have another spanning tree than by the stated "
        "ones: correct the rates in the cluster file, then measure again");
  }
  return {.cluster = std::move(corrected), .hosts = hosts, .contradictions = correction.told()};
}

}  // namespace trunkline
