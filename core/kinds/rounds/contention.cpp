// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kinds/rounds/rounds.hpp"
#include "kinds/rounds/samples.hpp"

namespace trunkline {
namespace {

/// Transfers of one round on every channel; the most of all rounds are kept.
class RoundLoads {
 public:
  RoundLoads(const Cluster& cluster, const Placement& placement, const std::vector<Rank>& order)
      : cluster_(cluster), placement_(placement), order_(order), most_(cluster.channel_count(), 0) {}

  void add(Rank from, Rank to) {
    for (const ChannelId channel : cluster_.path(host(from), host(to))) ++now_[channel];
  }

  void end_round() {
    for (const auto& [channel, transfers] : now_) most_[channel] = std::max(most_[channel], transfers);
    now_.clear();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& most() const { return most_; }

 private:
  [[nodiscard]] NodeId host(Rank position) const { return cluster_.hosts()[placement_[order_[position]]]; }

  const Cluster& cluster_;
  const Placement& placement_;
  const std::vector<Rank>& order_;
  std::unordered_map<ChannelId, std::uint32_t> now_;
  std::vector<std::uint32_t> most_;
};

}  // namespace

Contention contention_of(const Cluster& cluster, const Placement& placement, const Rounds& rounds, std::size_t most) {
  check_fit(cluster, placement, rounds.order.size(), rounds.order.front());
  RoundLoads loads(cluster, placement, rounds.order);
  const bool flows = rounds.schedule_of(0)->is_line();  // segments are in all of its rounds at once
  for (const RoundSample& sample : sample_rounds(rounds).rounds) {
    for (const RoundSample::Sent& sent : sample.sent) {
      loads.add(sent.from, sent.to);
    }
    if (!flows) loads.end_round();
  }
  loads.end_round();
  return busiest_of(loads.most(), 1, cluster, placement, most);
}

}  // namespace trunkline
