// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/transfer/wire.hpp"
#include "text/quantity.hpp"
#include "tuning/tuning_file.hpp"

namespace trunkline {
namespace {

/// As for measured tables: acknowledgements, and the spread of a few repetitions.
constexpr double alike = 0.12;
/// Long messages fill their frames.
constexpr double on_the_wire = static_cast<double>(frame_wire_bytes) / static_cast<double>(frame_payload_bytes);

double stated_bps(const Cluster& cluster, const TunedRate& one) {
  const auto node = [&](const std::string& name) {
    const auto host = cluster.find_host(name);
    if (!host) {
      throw std::invalid_argument("measured_rates names host '" + name + "', which cluster " + cluster.name() +
                                  " does not have");
    }
    return cluster.hosts()[*host];
  };
  double least = std::numeric_limits<double>::infinity();
  for (const ChannelId channel : cluster.path(node(one.from), node(one.to))) {
    least = std::min(least, cluster.way(channel).rate_bps);
  }
  return least;
}

}  // namespace

std::string contradiction(const TuningEntry& entry, const Cluster& cluster) {
  const TunedRate* worst = nullptr;
  double furthest = std::log1p(alike);
  std::size_t pairs = 0;
  for (const TunedRate& one : entry.measured_rates) {
    const double stated = stated_bps(cluster, one);
    if (!std::isfinite(stated)) continue;  // a host and itself
    const double apart = std::abs(std::log(one.bps * on_the_wire / stated));
    pairs += apart > std::log1p(alike) ? 1 : 0;
    if (apart > furthest) {
      furthest = apart;
      worst = &one;
    }
  }
  if (worst == nullptr) return "";
  const std::string more = pairs > 1 ? "; in all for " + std::to_string(pairs) + " pairs" : "";
  return std::string(facts_of(entry.collective).name) + ": " + worst->from + " - " + worst->to + ", " +
         rate_text(worst->bps) + " measured, " + rate_text(stated_bps(cluster, *worst)) + " stated" + more;
}

}  // namespace trunkline
