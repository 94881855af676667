// SPDX-License-Identifier: Apache-2.0
#include "choose/late_costs.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "algorithms/registry.hpp"
#include "algorithms/rounds/lane_radix.hpp"
#include "algorithms/trees/k_nomial.hpp"

namespace trunkline {
namespace {

/// Of "4-lane-radix", with its end: 4. 0: the name is another one.
Rank number_before(std::string_view algorithm, std::string_view ends) {
  Rank number = 0;
  const auto [end, error] = std::from_chars(algorithm.data(), algorithm.data() + algorithm.size(), number);
  return error == std::errc() && std::string_view(end, algorithm.data() + algorithm.size()) == ends ? number : 0;
}

/// None of the table's relays blocks. A tree without an exchange loses nothing to others, nor do exchanges where hosts
/// have processors of their own: so neither needs a plan for that.
class LateCosts final : public CostFunction {
 public:
  LateCosts(std::shared_ptr<const LaidOn> ground, std::string_view algorithm)
      : ground_(std::move(ground)),
        algorithm_(algorithm),
        by_size_(find_algorithm(ground_->collective, algorithm)->by_size) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override {
    return laid(message_bytes).seconds(message_bytes, segment_bytes);
  }
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override {
    return laid(message_bytes).best_segment(message_bytes);
  }
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override {
    return laid(message_bytes).fastest_segment(message_bytes, cuts);
  }

 private:
  [[nodiscard]] const CostFunction& laid(std::uint64_t message_bytes) const {
    const auto& [collective, paths, placement, root, hosts, each, has_sites] = *ground_;
    const std::uint64_t size = by_size_ ? laid_for(message_bytes) : usual_message_bytes;
    auto known = by_laid_size_.find(size);
    if (known == by_laid_size_.end()) {
      const Plan plan = lay(collective, algorithm_, &paths->cluster(), placement, root, size);
      known = by_laid_size_.emplace(size, costs_of(*paths, placement, plan, collective, hosts)).first;
    }
    return *known->second;
  }

  std::shared_ptr<const LaidOn> ground_;
  std::string_view algorithm_;  ///< the registry's own text
  bool by_size_;                ///< its plans depend on the size of the message
  mutable std::map<std::uint64_t, Costs> by_laid_size_{};
};

}  // namespace

unsigned fan_out_of_lane_tree(std::string_view algorithm) { return number_before(algorithm, "-lane-tree"); }

unsigned degree_of_blind_tree(std::string_view algorithm) {
  if (algorithm == "binomial") return 2;
  return algorithm == "4-nomial" ? 4 : 0;
}

double least_byte_s_of_blind_tree(const Paths& paths, const Placement& placement, Rank root, unsigned k) {
  const std::vector<Rank> children = k_nomial_children_of_root(static_cast<Rank>(placement.size()), root, k);
  const auto sends = std::ranges::count_if(children, [&](Rank child) { return placement[child] != placement[root]; });
  const Cluster& cluster = paths.cluster();
  const ChannelId port = cluster.neighbours(cluster.hosts()[placement[root]]).front().channel;
  return static_cast<double>(sends) * paths.spread_byte_s(port);
}

double least_s_of_blind_tree(const Paths& paths, const Placement& placement, Rank root, unsigned k,
                             const HostCosts& hosts) {
  const auto nodes = paths.cluster().hosts();
  std::vector<double> sends_s(placement.size(), 0.0);  // from then on
  double latest_s = 0.0;
  for_each_k_nomial_send(static_cast<Rank>(placement.size()), root, k, [&](Rank parent, Rank child) {
    if (placement[parent] == placement[child]) {
      sends_s[child] = sends_s[parent] + hosts.local_send_s + hosts.local_receive_s;
    } else {
      const NodeId from = nodes[placement[parent]];
      const NodeId to = nodes[placement[child]];
      sends_s[parent] += hosts.send_s;
      sends_s[child] = sends_s[parent] + paths.latency_s(from, to, paths.meeting(from, to)) + hosts.receive_s;
    }
    latest_s = std::max(latest_s, sends_s[child]);
  });
  return latest_s;
}

Rank radix_of_lanes(std::string_view algorithm) { return number_before(algorithm, "-lane-radix"); }

Bound bound_of_lanes(const Paths& paths, const Placement& placement, Rank lanes, Rank radix, const HostCosts& costs) {
  const Cluster& cluster = paths.cluster();
  double fastest_byte_s = std::numeric_limits<double>::infinity();
  for (const HostIndex host : placement) {
    const ChannelId port = cluster.neighbours(cluster.hosts()[host]).front().channel;
    fastest_byte_s = std::min(fastest_byte_s, paths.spread_byte_s(port));
  }
  const std::vector<Rank> groups = lane_radices(static_cast<Rank>(placement.size()) / lanes, std::min(lanes, radix));
  Rank vectors = 0;
  for (const Rank group : groups) vectors += group - 1;
  return {.s = static_cast<double>(groups.size()) * (costs.send_s + costs.receive_s),
          .byte_s = static_cast<double>(vectors) * fastest_byte_s};
}

double least_byte_s_of_lane_tree(const Paths& paths, const Placement& placement, Rank root, unsigned fan_out,
                                 Direction direction) {
  const Cluster& cluster = paths.cluster();
  Placement hosts = placement;
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  const ChannelId out = cluster.neighbours(cluster.hosts()[placement[root]]).front().channel;
  const ChannelId port = direction == Direction::down ? out : out ^ 1U;
  return static_cast<double>(std::min<std::size_t>(hosts.size() - 1, fan_out)) * paths.spread_byte_s(port);
}

std::optional<Bound> late_bound(const LaidOn& ground, std::string_view algorithm) {
  const auto& [collective, paths, placement, root, hosts, each, has_sites] = ground;
  const CollectiveFacts& facts = facts_of(collective);
  if (const unsigned k = degree_of_blind_tree(algorithm); k > 0 && facts.native == RunLike::bcast && !has_sites) {
    return Bound{.s = least_s_of_blind_tree(*paths, placement, root, k, hosts),
                 .byte_s = least_byte_s_of_blind_tree(*paths, placement, root, k)};
  }
  if (const Rank radix = radix_of_lanes(algorithm); radix > 0 && each > 0) {
    return bound_of_lanes(*paths, placement, each, radix, hosts);
  }
  if (const unsigned fan_out = fan_out_of_lane_tree(algorithm); fan_out > 0 && facts.has_root && facts.direction) {
    return Bound{.s = hosts.send_s + hosts.receive_s,
                 .byte_s = least_byte_s_of_lane_tree(*paths, placement, root, fan_out, *facts.direction)};
  }
  return {};
}

Costs late_costs(std::shared_ptr<const LaidOn> ground, std::string_view algorithm) {
  return Costs(std::make_shared<const LateCosts>(std::move(ground), algorithm));
}

}  // namespace trunkline
