// SPDX-License-Identifier: Apache-2.0
// How one region is filled: the part of region_timetable.cpp that runs for every region, set of rules and number of
// levels. No other file includes it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/trees/regions/region_timetable.hpp"

namespace trunkline {

/// One region filled level by level by one set of rules; all ranks at a level are alike, so they are only counted, and
/// so are parts that look alike and stand in a row.
class RegionTimetables::Filling {
 public:
  Filling(const RegionTimetables& timetables, RegionId region);

  /// The attempt with the exit level that the rules lead to, where they lead anywhere; writes the timetable down where
  /// one is given.
  std::optional<Attempt> run(const Attempt& attempt, RegionTimetable* timetable = nullptr);

  /// Tries both orders of the parts and both ways to choose their exits, where these make a difference.
  std::optional<Attempt> first_working(Attempt attempt);

  [[nodiscard]] std::uint64_t runs() const { return runs_; }

  /// Whether more levels may have led elsewhere in any run since forget_levels(): not where every part had enough left
  /// to be used alike with more.
  [[nodiscard]] bool levels_mattered() const { return levels_mattered_; }
  void forget_levels() { levels_mattered_ = false; }

  /// After no attempt with an exit by a single worked: the first later level at which one may.
  [[nodiscard]] Level next_exit();

 private:
  static constexpr Level never = std::numeric_limits<Level>::max();

  /// Parts that look alike in a row.
  struct Row {
    LookId look;
    std::uint32_t first;  ///< place of the next one in the order
    std::uint32_t parts;
  };
  /// Sends that reach somebody at a level.
  struct Slot {
    Level level = 0;
    std::uint32_t sends = 0;
    std::uint32_t pairs = 0;  ///< of these, senders with two to give
  };
  struct Order {
    std::vector<RegionId> parts;
    std::vector<Row> rows;
  };

  void start();

  [[nodiscard]] bool done() const { return singles_ == 0 && pending_ == 0 && exit_due_ == 0; }
  [[nodiscard]] Level left() const { return attempt_.levels - level_; }
  [[nodiscard]] bool exit_by_single() const { return exit_due_ > 0 && !attempt_.through_part; }
  [[nodiscard]] const Look& look(const Row& row) const { return all_.looks_[row.look]; }

  /// The root's host stands alone, since it is looked for.
  void count_rows(Order& order) const;

  [[nodiscard]] static Level earliest_exit(const Look& part, Level levels);
  [[nodiscard]] bool earliest_first_differs(Level levels);
  void sort_earliest_first();

  /// The root is there first, whatever waits: a single of the whole, or the first rank of its host.
  bool place_root();

  /// Parts that would be too late at the next level.
  bool place_due_parts();
  bool place_singles();
  bool place_single_ranks(std::uint32_t number);
  void place_other_parts();

  /// The next part of the row gets the message at this level, where there are sends for it.
  bool enter(Row& row, unsigned entries);

  /// The part hands back `exits` sends of a rank at that level, those first that lead out of this region.
  void leave(PartEntry& entry, unsigned exits, Level at, bool through);

  void give(Level level, std::uint32_t sends, std::uint32_t pairs);

  /// Sends of this level that are spent: ones from whomever has fewest left, and pairs of one sender.
  void take(std::uint32_t ones, std::uint32_t pairs);

  const RegionTimetables& all_;
  const Region& region_;
  bool holds_root_;
  RegionId home_;  ///< of the root, where it is a part of the region; else 0
  Order most_urgent_first_;
  Order earliest_first_;  ///< by how early a part's rank can serve others, where as many levels are left:
  std::optional<Level> sorted_for_;
  Attempt attempt_;
  RegionTimetable* timetable_ = nullptr;
  const Order* order_ = nullptr;
  std::vector<Row> rows_;    ///< of the order: the work left
  std::size_t pending_ = 0;  ///< parts left
  std::vector<Slot> slots_;  ///< by level; few, even of many levels
  std::size_t now_ = 0;      ///< the slot that is used
  std::uint32_t singles_ = 0;
  unsigned exit_due_ = 0;
  Level level_ = 0;
  Level exit_level_ = 0;
  Level possible_exit_ = never;  ///< later than was asked for, should this run lead nowhere
  Level next_exit_ = never;
  bool had_choice_of_exits_ = false;  ///< whether any part could hand back one or two
  bool levels_mattered_ = false;
  std::uint64_t runs_ = 0;
};

}  // namespace trunkline
