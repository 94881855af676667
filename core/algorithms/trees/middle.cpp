// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/middle.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/trees/sites_seen.hpp"

namespace trunkline {
namespace {

/// What is not so much shorter is not worth another root.
constexpr double shorter = 0.99;

/// By node, in the mean of both directions: data go up and down.
std::vector<double> latencies_from(const Cluster& cluster, NodeId start) {
  std::vector<double> latency_s(cluster.nodes().size(), 0.0);
  walk_from(cluster, start, [&](NodeId at, const Cluster::Hop& hop) {
    latency_s[hop.to] = latency_s[at] + cluster.link_of(hop.channel).mean_latency_s();
  });
  return latency_s;
}

/// Between the two ranks that are farthest from each other.
class LongestWay {
 public:
  LongestWay(const Cluster& cluster, const Placement& placement, Rank root) : cluster_(cluster), placement_(placement) {
    // In a tree whoever is farthest from anybody is one end of the longest way, and one of its ends is farthest from
    // all.
    one_ = farthest(latencies_from(cluster, node(root)));
    from_one_ = latencies_from(cluster, node(one_));
    other_ = farthest(from_one_);
    from_other_ = latencies_from(cluster, node(other_));
  }

  [[nodiscard]] Rank one() const { return one_; }
  [[nodiscard]] Rank other() const { return other_; }
  [[nodiscard]] double from_one_s(Rank rank) const { return from_one_[node(rank)]; }
  [[nodiscard]] double from_other_s(Rank rank) const { return from_other_[node(rank)]; }
  /// From there to the farthest rank.
  [[nodiscard]] double reach_s(Rank rank) const { return std::max(from_one_s(rank), from_other_s(rank)); }

 private:
  [[nodiscard]] NodeId node(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  [[nodiscard]] Rank farthest(const std::vector<double>& latency_s) const {
    const auto end =
        std::ranges::max_element(placement_, {}, [&](HostIndex host) { return latency_s[cluster_.hosts()[host]]; });
    return static_cast<Rank>(end - placement_.begin());
  }

  const Cluster& cluster_;
  const Placement& placement_;
  Rank one_ = 0;
  Rank other_ = 0;
  std::vector<double> from_one_;
  std::vector<double> from_other_;
};

Rank middle_rank(const Placement& placement, const LongestWay& way, Rank root) {
  Rank best = root;
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    if (way.reach_s(rank) < way.reach_s(best)) best = rank;
  }
  return way.reach_s(best) >= shorter * way.reach_s(root) ? root : best;
}

/// The two on either end of the link in the middle: of the sites on the way that have ranks, of one and the next.
Middle on_the_way(const Cluster& cluster, const Placement& placement, const LongestWay& way) {
  const SitesSeen there(cluster, placement, way.one());
  const SitesSeen back(cluster, placement, way.other());
  std::vector<SiteId> sites;  // from the other end to the one
  for (std::optional<SiteId> site = there.site_of(way.other()); site; site = there[*site].before) {
    if (there[*site].entry != no_rank) sites.push_back(*site);
  }
  Middle best{.root = way.one()};
  double least_s = way.from_one_s(way.other());
  for (std::size_t i = 0; i + 1 < sites.size(); ++i) {
    const Middle two{.root = back[sites[i + 1]].entry, .exchange = there[sites[i]].entry};
    const double outer_s = std::max(way.from_one_s(two.root), way.from_other_s(two.exchange));
    if (outer_s >= least_s) continue;
    best = two;
    least_s = outer_s;
  }
  return best;
}

/// Seconds until all ranks have what two roots got, if sites on the exchange's side are those that the root sees behind
/// it.
double exchanged_s(const Cluster& cluster, const Placement& placement, const Middle& two) {
  const SitesSeen seen(cluster, placement, two.root);
  std::vector<bool> is_beyond(seen.sites(), false);
  for (const SiteId site : seen.order()) {
    is_beyond[site] = site == seen.site_of(two.exchange) || (seen[site].before && is_beyond[*seen[site].before]);
  }
  const std::vector<double> from_exchange = latencies_from(cluster, cluster.hosts()[placement[two.exchange]]);
  double root_s = 0.0;
  double exchange_s = 0.0;
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    const NodeId node = cluster.hosts()[placement[rank]];
    if (is_beyond[seen.site_of(rank)]) {
      exchange_s = std::max(exchange_s, from_exchange[node]);
    } else {
      root_s = std::max(root_s, seen.latency_s()[node]);
    }
  }
  const double between_s = seen.latency_s()[cluster.hosts()[placement[two.exchange]]];
  return std::max({2.0 * root_s, 2.0 * exchange_s, root_s + between_s + exchange_s});
}

}  // namespace

Rank rank_in_the_middle(const Cluster& cluster, const Placement& placement, Rank root) {
  check_placement(cluster, placement, root);
  return middle_rank(placement, LongestWay(cluster, placement, root), root);
}

Middle middle_of(const Cluster& cluster, const Placement& placement, Rank root) {
  check_placement(cluster, placement, root);
  const LongestWay way(cluster, placement, root);
  Middle best{.root = middle_rank(placement, way, root)};
  double least_s = shorter * 2.0 * way.reach_s(best.root);
  const Middle two = on_the_way(cluster, placement, way);
  if (two.exchange == no_rank) return best;
  // Sites that are reached past both hang from whichever is the root.
  for (const Middle& one : {two, Middle{.root = two.exchange, .exchange = two.root}}) {
    const double seconds = exchanged_s(cluster, placement, one);
    if (seconds >= least_s) continue;
    best = one;
    least_s = shorter * seconds;
  }
  return best;
}

}  // namespace trunkline
