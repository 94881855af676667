// SPDX-License-Identifier: Apache-2.0
#include "patterns/arborescences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace trunkline {
namespace {

using Site = std::uint32_t;
using ArcId = std::uint32_t;

void check(const SiteGraph& graph, Site root) {
  if (root >= graph.sites) throw std::invalid_argument("the root is no site of the graph");
  if (!std::ranges::all_of(graph.rates, [](double rate) { return rate > 0.0 && std::isfinite(rate); })) {
    throw std::invalid_argument("a channel's rate must be above zero");
  }
  for (const SiteGraph::Arc& arc : graph.arcs) {
    const bool is_there = arc.from < graph.sites && arc.to < graph.sites && !arc.channels.empty() &&
                          std::ranges::all_of(arc.channels, [&](auto id) { return id < graph.rates.size(); });
    if (!is_there) throw std::invalid_argument("an arc crosses or joins what is not there");
  }
}

/// Flows by the shortest augmenting paths (Edmonds, Karp, 1972); an arc has the least capacity of its channels.
template <class Number>
class Flow {
 public:
  Flow(const SiteGraph& graph, const std::vector<Number>& capacity) : graph_(graph), capacity_(capacity) {}

  /// From two sites, which may be the same, to another one: so much, or `most` where it is more.
  Number between(Site one, Site other, Site to, Number most) {
    left_.clear();
    for (const SiteGraph::Arc& arc : graph_.arcs) {
      Number least = capacity_[arc.channels.front()];
      for (const std::uint32_t channel : arc.channels) least = std::min(least, capacity_[channel]);
      left_.push_back({least, Number{}});
    }
    Number sum{};
    while (sum < most) {
      const Number more = augment(one, other, to, most - sum);
      if (more == Number{}) break;
      sum += more;
    }
    return sum;
  }

 private:
  struct Left {
    Number there;
    Number back;
  };
  struct Step {
    ArcId arc = 0;
    bool is_back = false;
    bool is_reached = false;
  };

  Number augment(Site one, Site other, Site to, Number most) {
    std::vector<Step> by(graph_.sites);
    by[one].is_reached = by[other].is_reached = true;
    std::vector<Site> open{one};
    if (other != one) open.push_back(other);
    for (std::size_t next = 0; next < open.size() && !by[to].is_reached; ++next) {
      for (ArcId id = 0; id < graph_.arcs.size(); ++id) {
        const SiteGraph::Arc& arc = graph_.arcs[id];
        if (arc.from == open[next] && left_[id].there > Number{} && !by[arc.to].is_reached) {
          by[arc.to] = {id, false, true};
          open.push_back(arc.to);
        } else if (arc.to == open[next] && left_[id].back > Number{} && !by[arc.from].is_reached) {
          by[arc.from] = {id, true, true};
          open.push_back(arc.from);
        }
      }
    }
    if (!by[to].is_reached) return Number{};
    const auto before = [&](Site at) {
      return by[at].is_back ? graph_.arcs[by[at].arc].to : graph_.arcs[by[at].arc].from;
    };
    const auto left_to = [&](Site at) -> Number& {
      return by[at].is_back ? left_[by[at].arc].back : left_[by[at].arc].there;
    };
    for (Site at = to; at != one && at != other; at = before(at)) most = std::min(most, left_to(at));
    for (Site at = to; at != one && at != other; at = before(at)) {
      left_to(at) -= most;
      (by[at].is_back ? left_[by[at].arc].there : left_[by[at].arc].back) += most;
    }
    return most;
  }

  const SiteGraph& graph_;
  const std::vector<Number>& capacity_;
  std::vector<Left> left_;
};

/// For one number of trees, where each channel has room for a whole number of them.
class Packer {
 public:
  using Trees = std::vector<std::vector<ArcId>>;

  Packer(const SiteGraph& graph, Site root, std::vector<std::int32_t> room)
      : graph_(graph), root_(root), room_(std::move(room)), flow_(graph, room_) {}

  /// Whether every site can be reached so often; where arcs share channels, perhaps.
  bool may_hold(std::int32_t trees) {
    for (Site site = 0; site < graph_.sites; ++site) {
      if (site != root_ && flow_.between(root_, root_, site, trees) < trees) return false;
    }
    return true;
  }

  std::optional<Trees> pack(std::int32_t trees) {
    Trees packed;
    for (std::int32_t further = trees; further > 0; --further) {
      auto tree = grow(further - 1);
      if (!tree) return std::nullopt;
      packed.push_back(std::move(*tree));
    }
    return packed;
  }

 private:
  /// A tree that leaves room for so many others.
  std::optional<std::vector<ArcId>> grow(std::int32_t others) {
    std::vector<ArcId> tree;
    std::vector<double> there_s(graph_.sites, -1.0);  // below zero: not reached yet
    there_s[root_] = 0.0;
    while (tree.size() + 1 < graph_.sites) {
      std::vector<std::pair<double, ArcId>> open;
      for (ArcId id = 0; id < graph_.arcs.size(); ++id) {
        const SiteGraph::Arc& arc = graph_.arcs[id];
        if (there_s[arc.from] >= 0.0 && there_s[arc.to] < 0.0) open.emplace_back(there_s[arc.from] + arc.latency_s, id);
      }
      std::ranges::sort(open);
      const auto taken = std::ranges::find_if(open, [&](const auto& one) { return take(one.second, others); });
      if (taken == open.end()) return std::nullopt;
      there_s[graph_.arcs[taken->second].to] = taken->first;
      tree.push_back(taken->second);
    }
    return tree;
  }

  bool take(ArcId id, std::int32_t others) {
    const std::vector<std::uint32_t>& channels = graph_.arcs[id].channels;
    if (std::ranges::any_of(channels, [&](auto channel) { return room_[channel] == 0; })) return false;
    for (const std::uint32_t channel : channels) --room_[channel];
    if (leaves_room(channels, others)) return true;
    for (const std::uint32_t channel : channels) ++room_[channel];
    return false;
  }

  /// Only cuts that an arc of less room enters have become less: its own end is beyond them, and its start is not.
  bool leaves_room(const std::vector<std::uint32_t>& channels, std::int32_t others) {
    return std::ranges::all_of(graph_.arcs, [&](const SiteGraph::Arc& arc) {
      const bool has_less = std::ranges::find_first_of(arc.channels, channels) != arc.channels.end();
      return !has_less || arc.to == root_ || flow_.between(root_, arc.from, arc.to, others) >= others;
    });
  }

  const SiteGraph& graph_;
  Site root_;
  std::vector<std::int32_t> room_;  ///< by channel
  Flow<std::int32_t> flow_;
};

/// The most arcs that one channel is on.
std::size_t most_shared(const SiteGraph& graph) {
  std::vector<std::size_t> arcs(graph.rates.size(), 0);
  for (const SiteGraph::Arc& arc : graph.arcs) {
    for (const std::uint32_t channel : arc.channels) ++arcs[channel];
  }
  return arcs.empty() ? 0 : *std::ranges::max_element(arcs);
}

/// So often a channel is crossed, at most `most` times, while each tree brings one unit, in `unit_s`.
std::vector<std::int32_t> rooms(const SiteGraph& graph, double unit_s, std::size_t most) {
  constexpr double rounding = 1e-9;
  std::vector<std::int32_t> room;
  for (const double rate : graph.rates) {
    room.push_back(static_cast<std::int32_t>(std::min(rate * unit_s * (1.0 + rounding), static_cast<double>(most))));
  }
  return room;
}

/// Where arcs share channels, so many longer times are tried for several trees. For one all are: in the longest any
/// tree finds room.
constexpr std::ptrdiff_t most_tries = 8;

/// So many trees that take the least time for a unit each.
std::optional<Packing> packing_of(const SiteGraph& graph, Site root, std::size_t trees) {
  std::vector<double> times;  // at which a channel has room for one more
  const std::size_t most = trees * most_shared(graph);
  for (const double rate : graph.rates) {
    for (std::size_t many = 1; many <= most; ++many) times.push_back(static_cast<double>(many) / rate);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto many = static_cast<std::int32_t>(trees);
  auto time = std::ranges::partition_point(
      times, [&](double unit_s) { return !Packer(graph, root, rooms(graph, unit_s, most)).may_hold(many); });
  for (std::ptrdiff_t tries = 0; (tries < most_tries || trees == 1) && time != times.end(); ++tries, ++time) {
    if (auto packed = Packer(graph, root, rooms(graph, *time, most)).pack(many)) {
      return Packing{.trees = std::move(*packed), .rate = static_cast<double>(trees) / *time};
    }
  }
  return std::nullopt;
}

}  // namespace

double most_rate(const SiteGraph& graph, std::uint32_t root, std::uint32_t site) {
  check(graph, root);
  if (site >= graph.sites) throw std::invalid_argument("what a site can get is asked for, and it is none of the graph");
  constexpr double any = std::numeric_limits<double>::infinity();
  return site == root ? any : Flow<double>(graph, graph.rates).between(root, root, site, any);
}

double most_rate(const SiteGraph& graph, std::uint32_t root) {
  check(graph, root);
  double least = std::numeric_limits<double>::infinity();
  for (Site site = 0; site < graph.sites; ++site) least = std::min(least, most_rate(graph, root, site));
  return least;
}

Packing pack_arborescences(const SiteGraph& graph, std::uint32_t root, std::size_t most_trees, double enough) {
  constexpr double much_more = 1.05;
  const double most = std::min(most_rate(graph, root), enough);
  Packing best;
  if (graph.sites < 2 || most == 0.0) return best;
  for (std::size_t trees = 1; trees <= most_trees && best.rate * much_more < most; ++trees) {
    auto packing = packing_of(graph, root, trees);
    if (packing && packing->rate > best.rate * much_more) best = std::move(*packing);
  }
  return best;
}

}  // namespace trunkline
