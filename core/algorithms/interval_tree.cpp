// SPDX-License-Identifier: Apache-2.0
#include "algorithms/interval_tree.hpp"

#include <algorithm>
#include <numeric>

namespace trunkline {
namespace {

using Place = std::uint32_t;  ///< in the order

constexpr std::size_t most_entries = std::size_t{1} << 26;

/// Regions as intervals of the order.
struct Intervals {
  std::vector<Place> first;
  std::vector<Place> last;
  std::vector<std::vector<Place>> starts;  ///< of a region's singles and parts, ascending

  Intervals(const Regions& regions, const std::vector<Rank>& order)
      : first(regions.all.size(), static_cast<Place>(order.size())),
        last(regions.all.size(), 0),
        starts(regions.all.size()) {
    for (Place at = 0; at < order.size(); ++at) {
      const RegionId region = regions.of_rank[order[at]];
      first[region] = std::min(first[region], at);
      last[region] = at;
      starts[region].push_back(at);
    }
    for (std::size_t at = regions.all.size(); at > 1; --at) {
      const RegionId region = static_cast<RegionId>(at - 1);
      const RegionId outer = regions.all[region].parent;
      first[outer] = std::min(first[outer], first[region]);
      last[outer] = std::max(last[outer], last[region]);
      starts[outer].push_back(first[region]);
    }
    for (std::vector<Place>& places : starts) std::ranges::sort(places);
  }

  [[nodiscard]] bool in_a_row(const Regions& regions) const {
    for (RegionId region = 0; region < regions.all.size(); ++region) {
      if (last[region] - first[region] + 1 != regions.all[region].ranks) return false;
    }
    return true;
  }
};

class IntervalSearch {
 public:
  IntervalSearch(const Regions& regions, const std::vector<Rank>& order, unsigned k)
      : regions_(regions), order_(order), k_(k), end_(static_cast<Place>(order.size())), intervals_(regions, order) {}

  std::optional<Tree> run(std::size_t below) {
    if (order_.front() != regions_.root || !intervals_.in_a_row(regions_)) return {};
    reach_.emplace_back(end_);
    for (Place i = 0; i < end_; ++i) reach_[0][i] = i;
    full_.push_back(1);
    while (reach_.back()[0] + 1 != end_) {
      furthest_ = reach_.back();
      std::partial_sum(furthest_.begin(), furthest_.end(), furthest_.begin(),
                       [](Place a, Place b) { return std::max(a, b); });
      if (reach_.size() >= below || (reach_.size() + 1) * end_ > most_entries) return {};
      std::vector<Place> row(end_);
      full_.push_back(std::min<std::uint64_t>(end_, full_.back() * k_ + 1));
      for (Place i = 0; i < end_; ++i) {
        row[i] = i;
        each_child(i, reach_.size(), [&](Place child) { row[i] = std::max(row[i], reach_.back()[child]); });
      }
      reach_.push_back(std::move(row));
    }
    return build();
  }

 private:
  /// Calls `use` with each child of place i in a tree of that height that covers the most.
  template <class Use>
  void each_child(Place i, std::size_t height, Use use) const {
    Place child = i + 1;
    for (unsigned number = 0; number < k_ && child < end_; ++number) {
      use(child);
      if (number + 1 == k_) return;
      const Place next = next_child(i, child, height - 1);
      if (next == end_) return;
      child = next;
    }
  }

  /// The child of i after `child` from which a tree of that height covers the most, more than up to here; end_: none.
  [[nodiscard]] Place next_child(Place i, Place child, std::size_t height) const {
    const std::vector<Place>& reach = reach_[height];
    Place covered = reach[child];
    if (covered + 1 >= end_) return end_;
    RegionId left = regions_.of_rank[order_[i]];  // the first region that i leaves later than `child`'s tree could
    while (intervals_.last[left] < child) left = regions_.all[left].parent;
    const Place bound = std::min(covered, intervals_.last[left]) + 1;
    const bool latest = height + 1 == reach_.size();  // then nothing is looked at that cannot reach further
    const auto can_gain = [&](Place up_to) { return !latest || furthest_[up_to] > covered; };
    Place best = end_;
    RegionId region = regions_.of_rank[order_[child]];
    while (true) {
      const std::vector<Place>& starts = intervals_.starts[region];
      auto at = std::ranges::upper_bound(starts, bound);
      while (at != starts.begin() && *--at > child) {
        if (*at + full_[height] <= covered + 1 || !can_gain(*at)) break;  // nor can any before it reach further
        if (reach[*at] > covered) {
          covered = reach[*at];
          best = *at;
        }
      }
      if (intervals_.last[region] >= bound || region == 0 || !can_gain(bound)) return best;
      region = regions_.all[region].parent;
    }
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
  std::vector<std::vector<Place>> reach_;  ///< [height][place]
  std::vector<Place> furthest_;            ///< that any place up to this one can reach, for the last height
  std::vector<std::uint64_t> full_;        ///< ranks of a complete tree, by height
};

}  // namespace

std::optional<Tree> interval_tree(const Regions& regions, const std::vector<Rank>& order, unsigned k,
                                  std::uint32_t below) {
  return IntervalSearch(regions, order, k).run(below);
}

}  // namespace trunkline
