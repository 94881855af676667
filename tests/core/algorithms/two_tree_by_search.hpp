// SPDX-License-Identifier: Apache-2.0
// The two trees laid the slow way: whatever is asked of a region is looked up in all its parts and around it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "algorithms/trees/longest_way.hpp"
#include "network/capacity.hpp"
#include "network/regions.hpp"
#include "patterns/tree.hpp"

namespace trunkline::testing {

/// Sends that each rank makes of every other segment: 2 in the tree in which it hands on, 0 in the other.
using Sends = std::vector<std::uint8_t>;

/// Ranks other than the root, the regions' ranks in a row, those of the root's host first.
inline std::vector<Rank> depth_first(const Regions& regions) {
  const RegionId home = regions.of_rank[regions.root];
  std::vector<Rank> order;
  const auto add = [&](RegionId region) {
    std::ranges::copy_if(regions.all[region].singles, std::back_inserter(order),
                         [&](Rank rank) { return rank != regions.root; });
  };
  if (home != 0) add(home);
  std::vector<RegionId> open{0};
  while (!open.empty()) {
    const RegionId region = open.back();
    open.pop_back();
    if (region == home && home != 0) continue;
    add(region);
    open.insert(open.end(), regions.all[region].parts.begin(), regions.all[region].parts.end());
  }
  return order;
}

/// By turns, so that of the ranks of any region as many hand on in one tree as in the other, or one more.
inline Sends take_turns(const Regions& regions, const std::vector<Rank>& order, std::size_t tree) {
  Sends sends(regions.of_rank.size(), 0);
  for (std::size_t i = tree; i < order.size(); i += 2) sends[order[i]] = 2;
  // An odd number beside the root would send once too often out of their host, besides the root's own send in the other
  // tree; and it is this tree that has a send to spare.
  const RegionId home = regions.of_rank[regions.root];
  const std::uint64_t beside = regions.all[home].ranks - 1;
  if (home != 0 && tree == 0 && beside % 2 == 1) sends[order[beside - 1]] = 1;
  return sends;
}

/// One of the trees, level by level.
class Growth {
 public:
  Growth(const Regions& regions, const Sends& sends)
      : regions_(regions),
        sends_(sends),
        tree_(root_alone(static_cast<Rank>(regions.of_rank.size()), regions.root)),
        state_(regions.all.size()) {
    for (std::size_t at = regions.all.size(); at > 0; --at) prepare(static_cast<RegionId>(at - 1));
    for (State& state : state_) {
      std::ranges::sort(state.parts, {}, [&](RegionId part) { return state_[part].levels; });
    }
    reach(regions.root);
    // The root hands the message to one rank; prepare() counted it among the takers.
    for_regions_of(regions.root, [&](State& state) { ++state.sends; });
    ++state_[regions.of_rank[regions.root]].active;
    now_.push_back(regions.root);
    const RegionId home = regions.of_rank[regions.root];
    if (home == 0) return;
    // Ranks beside the root: its send starts there where they can then reach the others, else it goes out, and they are
    // entered like any part.
    starts_at_home_ = state_[home].sends > state_[home].unreached || state_[home].unreached == unreached();
    if (starts_at_home_) std::erase(state_[0].parts, home);
  }

  Tree grow() && {
    while (!now_.empty()) {
      for (const Rank sender : now_) {
        const std::uint32_t sends = sender == regions_.root ? 1U : sends_[sender];
        for (std::uint32_t i = 0; i < sends && unreached() > 0; ++i) serve(sender);
      }
      now_.swap(next_);
      next_.clear();
    }
    if (unreached() > 0) throw std::logic_error("a two-tree that does not reach every rank");
    deepest_first(tree_);
    return std::move(tree_);
  }

 private:
  struct State {
    std::vector<Rank> givers;  ///< directly inside, not reached; the last one is next
    std::vector<Rank> takers;
    std::vector<RegionId> parts;  ///< not entered; the one that needs most levels last
    std::uint32_t levels = 0;     ///< that it needs, roughly
    std::uint64_t unreached = 0;  ///< ranks, with those of parts
    std::uint64_t sends = 0;      ///< still to come from inside, with those of parts
    std::uint64_t active = 0;     ///< of those, from ranks directly inside that have the message
  };

  void prepare(RegionId id) {
    const Region& region = regions_.all[id];
    State& state = state_[id];
    for (const Rank rank : region.singles) {
      (sends_[rank] > 0 ? state.givers : state.takers).push_back(rank);
      state.sends += sends_[rank];
    }
    std::ranges::reverse(state.givers);
    std::ranges::reverse(state.takers);
    state.parts = region.parts;
    state.unreached = region.ranks;
    for (const RegionId part : region.parts) {
      state.sends += state_[part].sends;
      state.levels = std::max(state.levels, state_[part].levels + 1);
    }
    state.levels = std::max<std::uint32_t>(state.levels, static_cast<std::uint32_t>(std::bit_width(region.ranks)));
  }

  [[nodiscard]] std::uint64_t unreached() const { return state_[0].unreached; }

  template <class Use>
  void for_regions_of(Rank rank, Use use) {
    for (RegionId region = regions_.of_rank[rank];; region = regions_.all[region].parent) {
      use(state_[region]);
      if (region == 0) return;
    }
  }

  void reach(Rank rank) {
    State& home = state_[regions_.of_rank[rank]];
    std::vector<Rank>& waiting = sends_[rank] > 0 ? home.givers : home.takers;
    if (waiting.back() == rank) {
      waiting.pop_back();
    } else {
      std::erase(waiting, rank);
    }
    for_regions_of(rank, [](State& state) { --state.unreached; });
    if (sends_[rank] > 0) {
      home.active += sends_[rank];
      next_.push_back(rank);
    }
  }

  void serve(Rank sender) {
    for_regions_of(sender, [](State& state) { --state.sends; });
    --state_[regions_.of_rank[sender]].active;
    const Rank target = choose(sender);
    if (target == no_rank) return;  // one send more than there are ranks that it may serve
    add_child(tree_, sender, target);
    reach(target);
  }

  /// Whom the sender serves, if anyone: in its own region; outside where its region can spare the send and has nothing
  /// left to hand out, or where others go on there and the surrounding one waits for somebody to begin.
  Rank choose(Rank sender) {
    const bool goes_out = sender == regions_.root && !starts_at_home_;
    RegionId region = goes_out ? 0 : regions_.of_rank[sender];
    while (region != 0) {
      const RegionId outer = regions_.all[region].parent;
      const State& state = state_[region];
      const bool spare = state.sends >= state.unreached;  // without this one
      const bool done = state.givers.empty() && state.takers.empty() && state.parts.empty();
      const std::uint64_t outside = state_[outer].unreached - state.unreached;
      const bool outer_waits = outside > 0 && waits(outer, region);
      if (!spare || (!done && !(outer_waits && state.active > 0))) break;
      region = outer;
    }
    return pick(region, state_[region].active);
  }

  /// Whether the region has something to serve outside the part, and nobody there who could.
  [[nodiscard]] bool waits(RegionId region, RegionId part) const {
    const State& state = state_[region];
    if (state.givers.empty() && state.takers.empty() && state.parts.empty()) {
      return region != 0 && waits(regions_.all[region].parent, region);
    }
    if (state.active > 0) return false;
    return std::ranges::none_of(regions_.all[region].parts, [&](RegionId other) {
      const bool entered = std::ranges::find(state.parts, other) == state.parts.end();
      return other != part && entered && state_[other].sends > state_[other].unreached;
    });
  }

  /// The next one in a region; `others`: sends to come from ranks directly in it, besides this one.
  Rank pick(RegionId id, std::uint64_t others) {
    State& state = state_[id];
    // A part that hands nothing back may be the last one served only: somebody has to go on.
    const auto hands_back = [&](RegionId part) { return state_[part].sends >= state_[part].unreached; };
    auto part = state.parts.rbegin();
    if (others == 0) part = std::find_if(part, state.parts.rend(), hands_back);
    const bool late = part != state.parts.rend() && state_[*part].levels > std::bit_width(state.givers.size());
    if (!state.givers.empty() && !(late && others > 0)) return state.givers.back();
    if (part == state.parts.rend() && !state.parts.empty()) part = state.parts.rbegin();  // none hands anything back
    if (part != state.parts.rend()) {
      const RegionId entered = *part;
      state.parts.erase(std::next(part).base());
      return pick(entered, 0);
    }
    if (!state.takers.empty()) return state.takers.back();
    return no_rank;  // what is left waits inside parts, for ranks inside them
  }

  const Regions& regions_;
  const Sends& sends_;
  Tree tree_;
  std::vector<State> state_;
  bool starts_at_home_ = true;
  std::vector<Rank> now_;   ///< have the message and sends to make
  std::vector<Rank> next_;  ///< get it at this level
};

inline std::array<Tree, 2> two_tree_by_search(const Cluster& cluster, const Placement& placement, Rank root) {
  const auto grow_both = [](const Regions& regions) {
    const std::vector<Rank> order = depth_first(regions);
    std::array<Tree, 2> trees;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      const Sends sends = take_turns(regions, order, tree);
      trees[tree] = Growth(regions, sends).grow();
    }
    return trees;
  };
  const auto strict = grow_both(regions_from(cluster, placement, root));
  const auto wide = grow_both(regions_from(cluster, placement, root, capacities_of(cluster, placement)));
  return are_lower(cluster, placement, wide, strict) ? wide : strict;
}

}  // namespace trunkline::testing
