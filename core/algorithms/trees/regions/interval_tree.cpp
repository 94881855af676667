// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/regions/interval_tree.hpp"

#include <algorithm>
#include <numeric>

namespace trunkline {
namespace {

constexpr std::size_t most_entries = std::size_t{1} << 26;

class IntervalSearch {
 public:
  IntervalSearch(const Regions& regions, const std::vector<Rank>& order, unsigned k)
      : regions_(regions), order_(order), k_(k), end_(static_cast<Place>(order.size())), intervals_(regions, order) {}

  std::optional<Tree> run(std::size_t below) {
    if (order_.front() != regions_.root || !intervals_.in_a_row(regions_)) return {};
    chains_.emplace(regions_, order_, intervals_);
    best_.resize(end_);
    for (const Rank rank : order_) own_last_.push_back(intervals_.last[regions_.of_rank[rank]]);
    reach_.emplace_back(end_);
    std::iota(reach_[0].begin(), reach_[0].end(), 0);
    while (reach_.back()[0] + 1 != end_) {
      if (reach_.size() >= below || (reach_.size() + 1) * end_ > most_entries) return {};
      find_best();
      std::vector<Place> row(end_);
      for (Place i = 0; i < end_; ++i) {
        Place covered = i;
        each_child(i, reach_.size(), [&](Place child) { covered = std::max(covered, reach_.back()[child]); });
        row[i] = covered;
      }
      reach_.push_back(std::move(row));
    }
    return build();
  }

 private:
  /// For the last height: the best one from each place up to its jump, and how far any place up to each one can reach.
  void find_best() {
    const std::vector<Place>& reach = reach_.back();
    for (Place at = end_; at-- > 0;) {
      best_[at] = at;
      const Place then = chains_->next[at];
      if (chains_->jump[at] == then) continue;
      best_[at] = better(reach, best_[at], best_[then]);
      best_[at] = better(reach, best_[at], best_[chains_->jump[then]]);
    }
    furthest_ = reach;
    std::partial_sum(furthest_.begin(), furthest_.end(), furthest_.begin(),
                     [](Place a, Place b) { return std::max(a, b); });
  }

  /// Of two places on a chain the one that reaches further; of equal ones what leaves fewer regions, then the later
  /// one.
  [[nodiscard]] Place better(const std::vector<Place>& reach, Place one, Place later) const {
    if (reach[one] != reach[later]) return reach[one] > reach[later] ? one : later;
    return chains_->around[one] == chains_->around[later] ? later : one;
  }

  /// Calls `use` with each child of place i in a tree of that height that covers the most.
  template <class Use>
  void each_child(Place i, std::size_t height, Use use) const {
    Place leaving = own_last_[i];  // where a region of i ends that the child is in as well
    Place child = i + 1;
    for (unsigned number = 1; child < end_; ++number) {
      use(child);
      if (number == k_) return;
      if (leaving < child) leaving = intervals_.last[chains_->around[child]];
      child = next_child(child, height - 1, leaving);
    }
  }

  /// The child after `child` from which a tree of that height covers the most, more than up to here, where the first
  /// one must not leave a region that ends at `leaving`; end_: none.
  [[nodiscard]] Place next_child(Place child, std::size_t height, Place leaving) const {
    const std::vector<Place>& reach = reach_[height];
    const Place covered = reach[child];
    if (covered + 1 >= end_) return end_;
    const Place bound = std::min(covered, leaving) + 1;
    const bool latest = height + 1 == reach_.size();
    if (latest && furthest_[bound] <= covered) return end_;
    Place best = child;
    for (Place at = child + 1; at <= bound;) {
      const bool far = latest && chains_->jump[at] <= bound;
      const Place candidate = far ? best_[at] : at;
      if (reach[candidate] > covered) best = best == child ? candidate : better(reach, best, candidate);
      at = far ? chains_->jump[at] : chains_->next[at];
    }
    return best == child ? end_ : best;
  }

  [[nodiscard]] Tree build() const {
    struct Part {
      Place first;
      Place last;
      std::size_t height;
    };
    Tree tree = root_alone(end_, order_.front());
    std::vector<Part> open{{0, end_ - 1, reach_.size() - 1}};
    std::vector<Place> children;
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      if (part.first == part.last) continue;
      children.clear();
      each_child(part.first, part.height, [&](Place child) {
        if (child <= part.last) children.push_back(child);
      });
      for (std::size_t i = 0; i < children.size(); ++i) {
        add_child(tree, order_[part.first], order_[children[i]]);
        open.push_back({children[i], i + 1 < children.size() ? children[i + 1] - 1 : part.last, part.height - 1});
      }
    }
    return tree;
  }

  const Regions& regions_;
  const std::vector<Rank>& order_;
  unsigned k_;
  Place end_;
  Intervals intervals_;
  std::optional<EntryChains> chains_;      ///< where every region stands in a row
  std::vector<std::vector<Place>> reach_;  ///< [height][place]
  std::vector<Place> own_last_;            ///< of each place's innermost region
  std::vector<Place> best_;                ///< from a place up to its jump, for the last height
  std::vector<Place> furthest_;            ///< that any place up to this one can reach, for the last height
};

}  // namespace

std::optional<Tree> interval_tree(const Regions& regions, const std::vector<Rank>& order, unsigned k,
                                  std::uint32_t below) {
  return IntervalSearch(regions, order, k).run(below);
}

Intervals::Intervals(const Regions& regions, const std::vector<Rank>& order)
    : first(regions.all.size(), static_cast<Place>(order.size())), last(regions.all.size(), 0) {
  for (Place at = 0; at < order.size(); ++at) {
    const RegionId region = regions.of_rank[order[at]];
    first[region] = std::min(first[region], at);
    last[region] = at;
  }
  for (std::size_t at = regions.all.size(); at > 1; --at) {
    const auto region = static_cast<RegionId>(at - 1);
    const RegionId outer = regions.all[region].parent;
    first[outer] = std::min(first[outer], first[region]);
    last[outer] = std::max(last[outer], last[region]);
  }
}

bool Intervals::in_a_row(const Regions& regions) const {
  for (RegionId region = 0; region < regions.all.size(); ++region) {
    if (last[region] - first[region] + 1 != regions.all[region].ranks) return false;
  }
  return true;
}

EntryChains::EntryChains(const Regions& regions, const std::vector<Rank>& order, const Intervals& intervals)
    : around(order.size()), next(order.size() + 1), jump(order.size() + 1) {
  const auto end = static_cast<Place>(order.size());
  std::vector<std::uint32_t> length(order.size() + 1, 0);  // places from here to the end
  next[end] = jump[end] = end;
  for (Place at = end; at-- > 0;) {
    RegionId region = regions.of_rank[order[at]];
    next[at] = at + 1;
    while (region != 0 && intervals.first[region] == at) {
      next[at] = intervals.last[region] + 1;
      region = regions.all[region].parent;
    }
    around[at] = region;
    const Place then = next[at];
    const Place further = jump[then];
    length[at] = length[then] + 1;
    const bool alike = length[then] - length[further] == length[further] - length[jump[further]];
    jump[at] = alike ? jump[further] : then;
  }
}

}  // namespace trunkline
