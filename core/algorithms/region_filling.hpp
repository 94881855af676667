// SPDX-License-Identifier: Apache-2.0
// How one region is filled: the part of region_schedule.cpp that runs for every region, set of rules and number of
// levels.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/region_schedule.hpp"

namespace trunkline {

/// One region filled level by level by one set of rules; all ranks at a level are alike, so they are only counted, and
/// so are parts of one class that stand in a row.
class RegionSchedules::Filling {
 public:
  Filling(const RegionSchedules& schedules, RegionId region)
      : all_(schedules),
        region_(schedules.regions_.all[region]),
        holds_root_(region == 0),
        home_(holds_root_ ? schedules.regions_.of_rank[schedules.regions_.root] : 0) {
    std::ranges::stable_sort(most_urgent_first_.parts = region_.parts, std::greater{},
                             [&](RegionId part) { return all_.least(part, 1); });
    count_rows(most_urgent_first_);
  }

  /// The attempt with the exit level that the rules lead to, where they lead anywhere; writes the timetable down where
  /// one is given.
  std::optional<Attempt> run(const Attempt& attempt, RegionSchedule* timetable = nullptr) {
    attempt_ = attempt;
    timetable_ = timetable;
    start();
    for (level_ = 0; level_ <= attempt_.levels && !done(); ++level_) {
      if (sends_[level_] == 0) continue;  // what is due here cannot be served later either
      if (timetable_ != nullptr) timetable_->levels.resize(level_ + 1);
      if (level_ == 0 && holds_root_) {
        if (!place_root()) return {};
        continue;
      }
      if (!place_due_parts() || !place_singles()) return {};
      place_other_parts();
    }
    if (!done()) return {};
    if (timetable_ != nullptr) {
      timetable_->within = attempt_.levels;
      timetable_->exit_level = exit_level_;
    }
    Attempt worked = attempt_;
    worked.exit_level = exit_level_;
    return worked;
  }

  /// Tries both orders of the parts and both ways to choose their exits, where these make a difference.
  std::optional<Attempt> first_working(Attempt attempt) {
    next_exit_ = never;
    for (const bool earliest : {false, true}) {
      if (earliest && !earliest_first_differs(attempt.levels)) return {};
      attempt.earliest_exit_first = earliest;
      for (const bool many : {false, true}) {
        attempt.many_exits = many;
        if (auto worked = run(attempt)) return worked;
        next_exit_ = std::min(next_exit_, possible_exit_);
        if (!had_choice_of_exits_) break;
      }
    }
    return {};
  }

  /// After no attempt with an exit by a single worked: the first later level at which one may.
  [[nodiscard]] Level next_exit() const { return next_exit_; }

 private:
  static constexpr Level never = std::numeric_limits<Level>::max();

  /// Parts of one class in a row.
  struct Row {
    ClassId alike;
    std::uint32_t first;  ///< place of the next one in the order
    std::uint32_t parts;
  };
  struct Order {
    std::vector<RegionId> parts;
    std::vector<Row> rows;
  };

  void start() {
    if (attempt_.earliest_exit_first) sort_earliest_first();
    order_ = attempt_.earliest_exit_first ? &earliest_first_ : &most_urgent_first_;
    rows_ = order_->rows;
    pending_ = region_.parts.size();
    singles_ = static_cast<std::uint32_t>(region_.singles.size());
    sends_.assign(attempt_.levels + 2, 0);
    pairs_.assign(attempt_.levels + 2, 0);
    sends_[0] = attempt_.passage.entries;
    pairs_[0] = attempt_.passage.entries / 2;
    exit_due_ = attempt_.passage.exits;
    exit_level_ = 0;
    possible_exit_ = never;
    had_choice_of_exits_ = false;
  }

  [[nodiscard]] bool done() const { return singles_ == 0 && pending_ == 0 && exit_due_ == 0; }
  [[nodiscard]] Level left() const { return attempt_.levels - level_; }
  [[nodiscard]] bool exit_by_single() const { return exit_due_ > 0 && !attempt_.through_part; }
  [[nodiscard]] const Box& box(const Row& row) const { return all_.boxes_[row.alike]; }

  /// The root's host stands alone, since it is looked for.
  void count_rows(Order& order) const {
    order.rows.clear();
    for (std::uint32_t at = 0; at < order.parts.size(); ++at) {
      const RegionId part = order.parts[at];
      const ClassId alike = all_.class_of_[part];
      const bool alone = home_ != 0 && (part == home_ || (at > 0 && order.parts[at - 1] == home_));
      if (at == 0 || alone || order.rows.back().alike != alike) order.rows.push_back({alike, at, 0});
      ++order.rows.back().parts;
    }
  }

  [[nodiscard]] Level earliest_exit(const Box& part, Level levels) const {
    return part.exit_level({1, 1}, levels).value_or(levels + 1);
  }

  [[nodiscard]] bool earliest_first_differs(Level levels) const {
    return !std::ranges::is_sorted(most_urgent_first_.rows, {},
                                   [&](const Row& row) { return earliest_exit(box(row), levels); });
  }

  void sort_earliest_first() {
    std::ranges::stable_sort(earliest_first_.parts = most_urgent_first_.parts, {}, [&](RegionId part) {
      return earliest_exit(all_.boxes_[all_.class_of_[part]], attempt_.levels);
    });
    count_rows(earliest_first_);
  }

  /// The root is there first, whatever waits: a single of the whole, or the first rank of its host.
  bool place_root() {
    if (home_ == 0) return place_single_ranks(1);
    return enter(*std::ranges::find(rows_, home_, [&](const Row& row) { return order_->parts[row.first]; }), 1);
  }

  /// Parts that would be too late at the next level.
  bool place_due_parts() {
    for (Row& row : rows_) {
      const Level single = box(row).least[0];
      const Level both = box(row).least[1];
      while (row.parts > 0) {
        if (left() == single && enter(row, 1)) continue;
        if (left() > single || left() > both) break;  // not due, or by two sends at once there is still time
        if (left() < both || !enter(row, 2)) return false;
      }
    }
    return true;
  }

  bool place_singles() {
    std::uint32_t may = singles_;
    if (exit_by_single()) {
      const bool can = singles_ > 0 && sends_[level_] > 0;
      if (can && level_ > attempt_.exit_level) {
        possible_exit_ = level_;
        return false;
      }
      if (!can || level_ < attempt_.exit_level) may -= std::min(may, 1U);  // one is kept back for it
    }
    return place_single_ranks(std::min(may, sends_[level_]));
  }

  bool place_single_ranks(std::uint32_t number) {
    if (number == 0) return true;
    take(number, 0);
    singles_ -= number;
    if (timetable_ != nullptr) timetable_->levels.back().singles = number;
    std::uint32_t whole = number;
    if (exit_by_single() && level_ == attempt_.exit_level) {
      if (timetable_ != nullptr) timetable_->levels.back().exits_of_single = exit_due_;
      exit_level_ = level_;
      possible_exit_ = level_ + 1;
      sends_[level_ + 1] += all_.k_ - exit_due_;
      pairs_[level_ + 1] += all_.k_ - exit_due_ >= 2 ? 1 : 0;
      exit_due_ = 0;
      --whole;
    }
    sends_[level_ + 1] += whole * all_.k_;
    pairs_[level_ + 1] += whole;
    return true;
  }

  void place_other_parts() {
    for (Row& row : rows_) {
      const unsigned entries = left() >= box(row).least[0] ? 1 : 2;
      if (left() < box(row).least[entries - 1]) continue;
      while (row.parts > 0 && enter(row, entries)) {
      }
      if (sends_[level_] == 0) return;
    }
  }

  /// The next part of the row gets the message at this level, where there are sends for it.
  bool enter(Row& row, unsigned entries) {
    if (sends_[level_] < entries || (entries == 2 && pairs_[level_] == 0)) return false;
    PartEntry entry{.part = order_->parts[row.first++], .passage = {entries, 0}};
    --row.parts;
    --pending_;
    take(entries == 2 ? 0 : 1, entries == 2 ? 1 : 0);
    const bool wanted = singles_ > 0 || pending_ > 0;
    const bool through = exit_due_ > 0 && attempt_.through_part && (!attempt_.through_last || pending_ == 0);
    if (wanted || through) {
      const auto one = !through || exit_due_ <= 1 ? box(row).exit_level({entries, 1}, left()) : std::nullopt;
      const auto two = box(row).exit_level({entries, 2}, left());
      had_choice_of_exits_ = had_choice_of_exits_ || (one && two);
      const bool takes_two = two && (attempt_.many_exits || !one);
      if (one || two) leave(entry, takes_two ? 2 : 1, takes_two ? *two : *one, through);
    }
    if (timetable_ != nullptr) timetable_->levels.back().parts.push_back(entry);
    return true;
  }

  /// The part hands back so many sends of a rank at that level, those first that lead out of this region.
  void leave(PartEntry& entry, unsigned exits, Level at, bool through) {
    entry.passage.exits = exits;
    if (through) {
      entry.outwards = exit_due_;
      exit_level_ = level_ + at;
      exit_due_ = 0;
    }
    const unsigned inwards = exits - entry.outwards;
    sends_[level_ + at + 1] += inwards;
    pairs_[level_ + at + 1] += inwards / 2;
  }

  /// Sends of this level that are spent: ones from whomever has fewest left, and pairs of one sender.
  void take(std::uint32_t ones, std::uint32_t pairs) {
    sends_[level_] -= ones + 2 * pairs;
    pairs_[level_] -= pairs;
    pairs_[level_] = std::min(pairs_[level_], sends_[level_] / all_.k_);
  }

  const RegionSchedules& all_;
  const Region& region_;
  bool holds_root_;
  RegionId home_;  ///< of the root, where it is a part of the region; else 0
  Order most_urgent_first_;
  Order earliest_first_;  ///< by how early a part's rank can serve others
  Attempt attempt_;
  RegionSchedule* timetable_ = nullptr;
  const Order* order_ = nullptr;
  std::vector<Row> rows_;             ///< of the order: what is left
  std::size_t pending_ = 0;           ///< parts left
  std::vector<std::uint32_t> sends_;  ///< by level of the receiver
  std::vector<std::uint32_t> pairs_;  ///< of these, senders with two to give
  std::uint32_t singles_ = 0;
  unsigned exit_due_ = 0;
  Level level_ = 0;
  Level exit_level_ = 0;
  Level possible_exit_ = never;  ///< later than was asked for, should this run lead nowhere
  Level next_exit_ = never;
  bool had_choice_of_exits_ = false;  ///< whether any part could hand back one or two
};

}  // namespace trunkline
