// SPDX-License-Identifier: Apache-2.0
// How few levels a tree of degree k needs below the link of each region, and which transfers achieve it.
//
// In a contention-free tree one rank outside a region sends into it, and one rank inside sends out of it. Seen from
// outside, a region is therefore a box: so many levels below its entry all of it has the message, and at some level
// one of its ranks can serve ranks outside. Boxes within boxes are filled level by level, like a timetable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/regions.hpp"

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
  std::uint32_t singles = 0;     ///< ranks directly inside that get the message here
  unsigned exits_of_single = 0;  ///< sends that one of them makes out of the region
  std::vector<PartEntry> parts;
};

/// The timetable of one region.
struct RegionSchedule {
  std::vector<LevelPlan> levels;
  Level within = 0;      ///< levels that it counts on: perhaps fewer than there are
  Level exit_level = 0;  ///< of the rank that sends out, where it was asked for
};

class RegionSchedules {
 public:
  /// `regions` must outlive the object; k of 2 or more. Time O(regions * levels) in practice.
  RegionSchedules(const Regions& regions, unsigned k);

  /// Fewest levels below the entry in which all ranks of the region get the message, nothing being sent out of it.
  [[nodiscard]] Level least(RegionId region, unsigned entries) const {
    return boxes_[class_of_[region]].least[entries - 1];
  }

  /// Level of the rank that sends out, as early as was found, where all ranks have to be reached within `levels`.
  [[nodiscard]] std::optional<Level> exit_level(RegionId region, Passage passage, Level levels) const {
    return boxes_[class_of_[region]].exit_level(passage, levels);
  }

  /// The timetable behind the two above. `levels` is at least least().
  [[nodiscard]] RegionSchedule schedule(RegionId region, Passage passage, Level levels) const;

  [[nodiscard]] const Regions& regions() const noexcept { return regions_; }
  [[nodiscard]] unsigned degree() const noexcept { return k_; }

 private:
  /// More levels than this above the fewest make no exit earlier.
  static constexpr Level slack = 6;

  struct Attempt {
    Passage passage;
    Level levels;
    Level exit_level = 0;              ///< asked of a single; without singles it is found
    bool through_part = false;         ///< a part's exits serve as the region's: of the first part that can,
    bool through_last = false;         ///< or of the last one to be entered
    bool earliest_exit_first = false;  ///< order of the parts: else the one with the least time left
    bool many_exits = false;           ///< of the parts: two at a time where they can; else the earliest one
  };
  struct Box {
    Level least[2] = {0, 0};
    /// [entries][exits][levels above least]: how, best first found.
    std::optional<Attempt> exits[2][2][slack + 1];
    Attempt plain[2];

    [[nodiscard]] const std::optional<Attempt>& exit(Passage passage, Level levels) const;
    [[nodiscard]] std::optional<Level> exit_level(Passage passage, Level levels) const;
  };
  using ClassId = std::uint32_t;  ///< of regions with as many singles, and parts of the same classes in the same order
  class Filling;

  [[nodiscard]] Box fill_box(RegionId region) const;
  [[nodiscard]] std::optional<Attempt> earliest_exit(RegionId region, Attempt attempt, Filling& filling) const;

  const Regions& regions_;
  unsigned k_;
  std::vector<ClassId> class_of_;  ///< by region
  std::vector<Box> boxes_;         ///< by class
};

}  // namespace trunkline
