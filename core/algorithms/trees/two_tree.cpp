// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/two_tree.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>

#include "algorithms/trees/longest_way.hpp"
#include "algorithms/trees/regions/two_tree_progress.hpp"
#include "network/capacity.hpp"
#include "network/regions.hpp"

namespace trunkline {
namespace {

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
