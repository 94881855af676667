// SPDX-License-Identifier: Apache-2.0
#include "network/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trunkline {

Cluster scaled(const Cluster& cluster, double fastest_bps) {
  if (!(fastest_bps > 0.0) || !std::isfinite(fastest_bps)) throw std::invalid_argument("a rate must be above zero");
  Cluster::Parts parts = cluster.stated();
  double fastest = 0.0;
  for (const Link& link : cluster.links()) fastest = std::max(fastest, link.most_bps());
  if (fastest != fastest_bps) parts.measured.reset();  // they are about links at other rates
  const auto scale = [&](double& bps) {  // divided last: of round rates come round ones, and 1Gbit of 10Gbit is a tenth
    bps = static_cast<double>(static_cast<long double>(bps) * fastest_bps / fastest);
  };
  for (Link& link : parts.links) {
    scale(link.rate_bps);
    if (link.back) scale(link.back->rate_bps);
  }
  return Cluster(std::move(parts));
}

}  // namespace trunkline
