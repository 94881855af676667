// SPDX-License-Identifier: Apache-2.0
// The tree that region timetables describe.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/trees/regions/region_timetable.hpp"

namespace trunkline {
namespace {

struct Sender {
  Rank rank;
  unsigned sends;
};

class Placing {
 public:
  explicit Placing(const RegionTimetables& timetables)
      : timetables_(timetables),
        tree_(root_alone(static_cast<Rank>(timetables.regions().of_rank.size()), timetables.regions().root)) {}

  Tree place() && {
    fill(0, {.entries = 1, .exits = 0}, timetables_.least(0, 1), no_rank);
    return std::move(tree_);
  }

 private:
  /// Puts the region's ranks below `outer`. Returns the rank that sends out of the region, where one was asked for.
  Rank fill(RegionId id, Passage passage, Level levels, Rank outer) {
    const Region& region = timetables_.regions().all[id];
    const RegionTimetable plan = timetables_.timetable(id, passage, levels);
    std::map<Level, std::vector<Sender>> senders;  // by the level at which they send: few of many levels
    senders[0].push_back({outer, passage.entries});
    auto single = region.singles.begin();
    Rank leaving = no_rank;
    for (const LevelPlan& now : plan.levels) {
      const Level level = now.level;
      std::vector<Sender> givers = std::move(senders[level]);
      senders.erase(level);
      std::ranges::sort(givers, std::greater{}, &Sender::sends);
      const auto enter = [&](const PartEntry& entry) {
        const Rank from = take(givers, entry.passage.entries);
        const Rank exit = fill(entry.part, entry.passage, plan.within - level, from);
        if (entry.passage.exits == 0) return;
        if (entry.outwards > 0) leaving = exit;
        const Level at = *timetables_.exit_level(entry.part, entry.passage, plan.within - level);
        senders[level + at + 1].push_back({exit, entry.passage.exits - entry.outwards});
      };
      for (const PartEntry& entry : now.parts) {  // while pairs of one sender are still whole
        if (entry.passage.entries == 2) enter(entry);
      }
      for (std::uint32_t i = 0; i < now.singles; ++i, ++single) {
        attach(take(givers, 1), *single);
        const unsigned outwards = i == 0 ? now.exits_of_single : 0;
        if (outwards > 0) leaving = *single;
        senders[level + 1].push_back({*single, timetables_.degree() - outwards});
      }
      for (const PartEntry& entry : now.parts) {
        if (entry.passage.entries == 1) enter(entry);
      }
    }
    return leaving;
  }

  /// One or two sends of one rank: two of whoever has most, one of whoever has fewest. `givers` is sorted by sends,
  /// most first, and stays so.
  static Rank take(std::vector<Sender>& givers, unsigned sends) {
    while (givers.back().sends == 0) givers.pop_back();
    const std::size_t at = sends == 2 ? 0 : givers.size() - 1;
    const Rank rank = givers[at].rank;
    givers[at].sends -= sends;
    if (sends == 2) std::ranges::sort(givers, std::greater{}, &Sender::sends);
    return rank;
  }

  void attach(Rank parent, Rank child) {
    if (parent != no_rank) add_child(tree_, parent, child);
  }

  const RegionTimetables& timetables_;
  Tree tree_;
};

}  // namespace

Tree timetable_tree(const RegionTimetables& timetables) { return Placing(timetables).place(); }

}  // namespace trunkline
