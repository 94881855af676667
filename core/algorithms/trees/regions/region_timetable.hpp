// SPDX-License-Identifier: Apache-2.0
// How few levels a tree of degree k needs below the link of each region, and which transfers achieve it.
//
// In a contention-free tree one rank outside a region sends into it, and one rank inside sends out of it. Seen from
// outside, a region is therefore a box: its height is the number of levels below its entry until all of it has the
// message, and at some level one of its ranks can serve ranks outside. Boxes within boxes are filled level by level,
// like a timetable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "network/regions.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

using Level = std::uint32_t;

/// How a region is used: `entries` sends of one outer rank go in (1 or 2), one rank inside makes `exits` sends out
/// (0, 1 or 2).
struct Passage {
  unsigned entries = 1;
  unsigned exits = 0;
};

/// One part of a region is entered.
struct PartEntry {
  RegionId part;
  Passage passage;
  unsigned outwards = 0;  ///< of its exits, those that leave the surrounding region as well
};

/// What happens at one level below a region's entry.
struct LevelPlan {
  Level level = 0;
  std::uint32_t singles = 0;     ///< ranks directly inside that get the message here
  unsigned exits_of_single = 0;  ///< sends that one of them makes out of the region
  std::vector<PartEntry> parts{};
};

/// The timetable of one region.
struct RegionTimetable {
  std::vector<LevelPlan> levels;  ///< at which something is sent
  Level within = 0;               ///< levels that it counts on: perhaps fewer than there are
  Level exit_level = 0;           ///< of the rank that sends out, where it was asked for
};

class RegionTimetables {
 public:
  /// `regions` must outlive the object; k of 2 or more. Time O(regions * levels) in practice.
  RegionTimetables(const Regions& regions, unsigned k);

  /// Fewest levels below the entry in which all ranks of the region get the message, nothing being sent out of it.
  [[nodiscard]] Level least(RegionId region, unsigned entries) const { return look(region).least[entries - 1]; }

  /// Level of the rank that sends out, as early as was found, where all ranks have to be reached within `levels`.
  [[nodiscard]] std::optional<Level> exit_level(RegionId region, Passage passage, Level levels) const {
    return look(region).exit_level(passage, levels);
  }

  /// The timetable behind the two above. `levels` is at least least().
  [[nodiscard]] RegionTimetable timetable(RegionId region, Passage passage, Level levels) const;

  [[nodiscard]] const Regions& regions() const noexcept { return regions_; }
  [[nodiscard]] unsigned degree() const noexcept { return k_; }
  /// How often a region was filled until all was known: what that took.
  [[nodiscard]] std::uint64_t runs() const;

 private:
  /// More levels than this above the fewest make no exit earlier.
  static constexpr Level slack = 6;

  struct Attempt {
    Passage passage{};
    Level levels = 0;
    Level exit_level = 0;              ///< asked of a single; without singles it is found
    bool through_part = false;         ///< a part's exits serve as the region's: of the first part that can,
    bool through_last = false;         ///< or of the last one to be entered
    bool earliest_exit_first = false;  ///< order of the parts: else the one with the least time left
    bool many_exits = false;           ///< of the parts: two at a time where they can; else the earliest one
  };
  /// One value for each way through a region: [entries][exits][levels above the least].
  template <class T>
  using ByPassage = std::array<std::array<std::array<T, slack + 1>, 2>, 2>;

  /// What the region around one sees of it.
  struct Look {
    std::array<Level, 2> least{};  ///< by entries
    ByPassage<std::optional<Level>> exits{};
    std::array<Level, 2> settled{};  ///< by entries: more levels than that make no difference to any exit

    /// Which of the levels above the least; `levels` is at least that.
    [[nodiscard]] Level above(Passage passage, Level levels) const {
      return std::min(levels - least[passage.entries - 1], slack);
    }
    [[nodiscard]] std::optional<Level> exit_level(Passage passage, Level levels) const {
      if (levels < least[passage.entries - 1]) return {};
      return exits[passage.entries - 1][passage.exits - 1][above(passage, levels)];
    }
    friend bool operator<(const Look& a, const Look& b) {
      return std::tie(a.least, a.exits) < std::tie(b.least, b.exits);
    }
  };
  using LookId = std::uint32_t;

  /// How the region comes to look so: the attempts that worked, best first found.
  struct Box {
    LookId look = 0;
    std::uint64_t runs = 0;  ///< that it took to find out
    std::array<Attempt, 2> plain{};
    ByPassage<Attempt> exits{};
  };
  /// Of regions with as many singles, and parts that look alike, the most urgent first: in long lines of switches few
  /// differ in that.
  using ClassId = std::uint32_t;
  class Filling;

  [[nodiscard]] const Look& look(RegionId region) const { return looks_[boxes_[class_of_[region]].look]; }
  [[nodiscard]] std::vector<RegionId> most_urgent_first(RegionId region) const;
  [[nodiscard]] Look fill_box(RegionId region, Box& box) const;
  [[nodiscard]] Attempt fewest_levels(RegionId region, unsigned entries, Filling& filling) const;
  [[nodiscard]] Level least_exit(RegionId region, Passage passage) const;
  [[nodiscard]] std::optional<Attempt> earliest_exit(RegionId region, Attempt attempt, Filling& filling) const;

  const Regions& regions_;
  unsigned k_;
  std::vector<ClassId> class_of_;  ///< by region
  std::vector<Box> boxes_;         ///< by class
  std::vector<Look> looks_;
};

/// Contention-free by construction: each region is entered by one rank and left by one. Degree at most that of the
/// timetables, height least(0, 1). Time O(ranks + regions * levels).
[[nodiscard]] Tree timetable_tree(const RegionTimetables& timetables);

}  // namespace trunkline
