// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/two_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <vector>

#include "algorithms/trees/longest_way.hpp"
#include "network/capacity.hpp"
#include "network/regions.hpp"

namespace trunkline {
namespace {

/// Sends that each rank makes of every other segment: 2 in the tree in which it hands on, 0 in the other.
using Sends = std::vector<std::uint8_t>;

/// Counts of ranks and sends, region by region. A transfer changes only those of the regions that it leaves or enters:
/// as each is entered once and left at most twice, all of them together take time O(ranks + regions), however deep
/// regions lie.
class TwoTreeProgress {
 public:
  static constexpr RegionId none = 0;  ///< the whole is no part of anything

  /// No rank is reached yet. `regions` and `sends` must outlive the object.
  TwoTreeProgress(const Regions& regions, const Sends& sends)
      : regions_(regions), sends_(sends), state_(regions.all.size()), unreached_(regions.of_rank.size()) {
    for (std::size_t at = regions.all.size(); at > 0; --at) prepare(static_cast<RegionId>(at - 1));
    for (RegionId id = 1; id < state_.size(); ++id) state_[id].depth = state_[parent_of(id)].depth + 1;
  }

  /// The root has the message and one send to make. Returns the region that the send comes from: the root's own, or the
  /// whole, as if the root stood outside its host, where ranks beside it could not reach all others from there.
  RegionId place_root() {
    const RegionId home = regions_.of_rank[regions_.root];
    reach(regions_.root);
    RegionId starts_in = home;
    state_[home].spare += 2;  // it counted among those to be reached, and its send did not count yet
    if (home != 0) {
      state_[0].spare += 2;
      if (state_[home].spare > 0 || regions_.all[home].ranks == regions_.of_rank.size()) {
        enter(home);
      } else {
        --state_[home].spare;
        starts_in = 0;
      }
    }
    ++state_[starts_in].active;
    return starts_in;
  }

  /// Ranks that are not reached, in all.
  [[nodiscard]] std::uint64_t unreached() const { return unreached_; }
  /// Sends to come from ranks directly inside that have the message.
  [[nodiscard]] std::uint64_t active(RegionId id) const { return state_[id].active; }
  /// Whether more sends are to come from inside than there are ranks inside that are not reached.
  [[nodiscard]] bool spares(RegionId id) const { return state_[id].spare > 0; }
  /// Whether its single ranks are reached and its parts are entered.
  [[nodiscard]] bool handed_out(RegionId id) const { return state_[id].handed_out(); }

  /// Whether there are ranks to be reached outside the region, in the one around it.
  [[nodiscard]] bool unfinished_around(RegionId id) const {
    const State& outer = state_[parent_of(id)];
    return outer.singles_left() || outer.unfinished > (state_[id].finished() ? 0U : 1U);
  }

  /// Whether the region, or the first around it that is not handed out, has something to serve outside the part, and no
  /// rank there that could.
  [[nodiscard]] bool waits(RegionId id, RegionId part) {
    if (handed_out(id)) {
      part = outermost_handed_out(id);
      if (part == 0) return false;
      id = parent_of(part);
    }
    const State& state = state_[id];
    return state.active == 0 && state.sparing == (state_[part].serves_others() ? 1U : 0U);
  }

  /// Ranks directly inside that hand on and are not reached, the last one to be served next; and those that do not.
  [[nodiscard]] const std::vector<Rank>& givers(RegionId id) const { return state_[id].givers; }
  [[nodiscard]] const std::vector<Rank>& takers(RegionId id) const { return state_[id].takers; }

  /// The part that needs most levels of those not entered, or none. `equal`: of those that make as many sends as they
  /// have ranks.
  [[nodiscard]] RegionId next_part(RegionId id, bool equal) {
    State& state = state_[id];
    std::size_t& last = equal ? state.last_of_equal : state.last;
    for (; last > 0; --last) {
      const RegionId part = state.parts[last - 1];
      if (!state_[part].entered && (!equal || state_[part].spare >= 0)) return part;  // `spare` is as it was, so far
    }
    return none;
  }

  /// Levels that a region needs, roughly.
  [[nodiscard]] std::uint32_t levels(RegionId id) const { return state_[id].levels; }

  void enter(RegionId part) {
    const bool before = state_[part].serves_others();
    state_[part].entered = true;
    --state_[parent_of(part)].waiting;
    count_sparing(part, before);
  }

  /// A rank that the region counts as active starts a send.
  void begin_send(RegionId id) { --state_[id].active; }

  /// It goes to a rank directly inside another region; nullopt: to no rank.
  void end_send(RegionId from, std::optional<RegionId> to) {
    if (!to) {
      for (; from != 0; from = parent_of(from)) add_spare(from, -1);
      add_spare(0, -1);
      return;
    }
    while (from != *to) {
      const bool leaves = state_[from].depth >= state_[*to].depth;
      RegionId& inner = leaves ? from : *to;
      add_spare(inner, leaves ? -1 : 1);
      inner = parent_of(inner);
    }
  }

  /// The rank, the next one of the givers or the takers of its region, has the message.
  void reach(Rank rank) {
    RegionId id = regions_.of_rank[rank];
    State& home = state_[id];
    (sends_[rank] > 0 ? home.givers : home.takers).pop_back();
    home.active += sends_[rank];
    --unreached_;
    for (; id != 0 && state_[id].finished(); id = parent_of(id)) --state_[parent_of(id)].unfinished;
  }

 private:
  struct State {
    std::vector<Rank> givers;
    std::vector<Rank> takers;
    std::vector<RegionId> parts;    ///< the one that needs most levels last
    std::size_t waiting = 0;        ///< parts that are not entered
    std::size_t last = 0;           ///< all of them stand before this place in `parts`,
    std::size_t last_of_equal = 0;  ///< and before this one those that make as many sends as they have ranks
    std::uint32_t levels = 0;
    std::uint32_t depth = 0;        ///< regions around it
    std::int64_t spare = 0;         ///< sends to come from inside, less ranks not reached, with those of parts
    std::uint64_t active = 0;       ///< sends to come from ranks directly inside that have the message
    std::size_t sparing = 0;        ///< parts that are entered and have sends to spare
    std::size_t unfinished = 0;     ///< parts in which ranks are not reached
    RegionId handed_out_to = none;  ///< all regions from here outwards up to that one have nothing left to hand out
    bool entered = false;

    [[nodiscard]] bool singles_left() const { return !givers.empty() || !takers.empty(); }
    [[nodiscard]] bool handed_out() const { return !singles_left() && waiting == 0; }
    [[nodiscard]] bool finished() const { return !singles_left() && unfinished == 0; }
    [[nodiscard]] bool serves_others() const { return entered && spare > 0; }
  };

  void prepare(RegionId id) {
    const Region& region = regions_.all[id];
    State& state = state_[id];
    for (const Rank rank : region.singles) {
      (sends_[rank] > 0 ? state.givers : state.takers).push_back(rank);
      state.spare += sends_[rank] - 1;
    }
    std::ranges::reverse(state.givers);
    std::ranges::reverse(state.takers);
    state.parts = region.parts;
    state.waiting = state.last = state.last_of_equal = state.unfinished = region.parts.size();
    state.handed_out_to = id;
    for (const RegionId part : region.parts) {
      state.spare += state_[part].spare;
      state.levels = std::max(state.levels, state_[part].levels + 1);
    }
    state.levels = std::max<std::uint32_t>(state.levels, static_cast<std::uint32_t>(std::bit_width(region.ranks)));
    std::ranges::sort(state.parts, {}, [&](RegionId part) { return state_[part].levels; });
  }

  void add_spare(RegionId id, std::int64_t change) {
    const bool before = state_[id].serves_others();
    state_[id].spare += change;
    count_sparing(id, before);
  }

  /// Tells the region around this one whether it serves others now.
  void count_sparing(RegionId id, bool before) {
    const bool now = state_[id].serves_others();
    if (id == 0 || before == now) return;
    std::size_t& sparing = state_[parent_of(id)].sparing;
    sparing = now ? sparing + 1 : sparing - 1;
  }

  /// The last one on the way outwards from a region that is handed out, all up to there being so. What is handed out
  /// stays so: ways that were gone are remembered.
  RegionId outermost_handed_out(RegionId region) {
    const auto next = [&](RegionId id) {
      return state_[id].handed_out_to != id ? state_[id].handed_out_to : parent_of(id);
    };
    RegionId last = region;
    while (last != 0 && (state_[last].handed_out_to != last || handed_out(parent_of(last)))) last = next(last);
    while (region != last) {
      const RegionId outer = next(region);
      state_[region].handed_out_to = last;
      region = outer;
    }
    return last;
  }

  [[nodiscard]] RegionId parent_of(RegionId id) const { return regions_.all[id].parent; }

  const Regions& regions_;
  const Sends& sends_;
  std::vector<State> state_;
  std::uint64_t unreached_;
};

/// Ranks other than the root, the regions' ranks in a row, those of the root's host first.
std::vector<Rank> depth_first(const Regions& regions) {
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
Sends take_turns(const Regions& regions, const std::vector<Rank>& order, std::size_t tree) {
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
        left_(regions, sends),
        starts_in_(left_.place_root()) {
    now_.push_back(regions.root);
  }

  Tree grow() && {
    while (!now_.empty()) {
      for (const Rank sender : now_) {
        const bool is_root = sender == regions_.root;
        const std::uint32_t sends = is_root ? 1U : sends_[sender];
        const RegionId from = is_root ? starts_in_ : regions_.of_rank[sender];
        for (std::uint32_t i = 0; i < sends && left_.unreached() > 0; ++i) serve(sender, from);
      }
      now_.swap(next_);
      next_.clear();
    }
    if (left_.unreached() > 0) throw std::logic_error("a two-tree that does not reach every rank");
    deepest_first(tree_);
    return std::move(tree_);
  }

 private:
  void serve(Rank sender, RegionId from) {
    left_.begin_send(from);
    const Rank target = choose(from);
    if (target == no_rank) {  // one send more than there are ranks that it may serve
      left_.end_send(from, {});
      return;
    }
    left_.end_send(from, regions_.of_rank[target]);
    left_.reach(target);
    add_child(tree_, sender, target);
    if (sends_[target] > 0) next_.push_back(target);
  }

  /// Whom a sender in the region serves, if anyone: there; outside where its region can spare the send and has nothing
  /// left to hand out, or where others go on there and the surrounding one waits for somebody to begin.
  Rank choose(RegionId region) {
    while (region != 0 && left_.spares(region)) {
      const RegionId outer = regions_.all[region].parent;
      const bool others_stay = left_.active(region) > 0;
      const bool goes =
          left_.handed_out(region) || (others_stay && left_.unfinished_around(region) && left_.waits(outer, region));
      if (!goes) break;
      region = outer;
    }
    return pick(region, left_.active(region));
  }

  /// The next one in a region; `others`: sends to come from ranks directly in it, besides this one.
  Rank pick(RegionId region, std::uint64_t others) {
    constexpr RegionId none = TwoTreeProgress::none;
    while (true) {
      // A part that hands nothing back may be the last one served only: somebody has to go on.
      RegionId part = left_.next_part(region, others == 0);
      const std::vector<Rank>& givers = left_.givers(region);
      const bool late = part != none && left_.levels(part) > std::bit_width(givers.size());
      if (!givers.empty() && !(late && others > 0)) return givers.back();
      if (part == none) part = left_.next_part(region, false);  // none hands anything back
      if (part == none) break;
      left_.enter(part);
      region = part;
      others = 0;
    }
    const std::vector<Rank>& takers = left_.takers(region);
    return takers.empty() ? no_rank : takers.back();  // what is left besides waits inside parts, for ranks inside them
  }

  const Regions& regions_;
  const Sends& sends_;
  Tree tree_;
  TwoTreeProgress left_;
  RegionId starts_in_;      ///< where the root's send comes from
  std::vector<Rank> now_;   ///< have the message and sends to make
  std::vector<Rank> next_;  ///< get it at this level
};

using Both = std::array<Tree, 2>;

Both grow_both(const Regions& regions) {
  const std::vector<Rank> order = depth_first(regions);
  Both trees;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    const Sends sends = take_turns(regions, order, tree);
    trees[tree] = Growth(regions, sends).grow();
  }
  return trees;
}

}  // namespace

std::array<Tree, 2> two_tree(const Cluster& cluster, const Placement& placement, Rank root) {
  Both trees = grow_both(regions_from(cluster, placement, root));
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  if (any_above_one(capacities)) {
    Both wide = grow_both(regions_from(cluster, placement, root, capacities));
    if (are_lower(cluster, placement, wide, trees)) trees = std::move(wide);
  }
  return trees;
}

}  // namespace trunkline
