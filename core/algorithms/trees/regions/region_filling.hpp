// SPDX-License-Identifier: Apache-2.0
// How one region is filled: the part of region_timetable.cpp that runs for every region, set of rules and number of
// levels. No other file includes it.
#pragma once

#include <algorithm>
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

inline RegionTimetables::Filling::Filling(const RegionTimetables& timetables, RegionId region)
    : all_(timetables),
      region_(timetables.regions_.all[region]),
      holds_root_(region == 0),
      home_(holds_root_ ? timetables.regions_.of_rank[timetables.regions_.root] : 0) {
  most_urgent_first_.parts = timetables.most_urgent_first(region);
  count_rows(most_urgent_first_);
}

inline std::optional<RegionTimetables::Attempt> RegionTimetables::Filling::run(const Attempt& attempt,
                                                                               RegionTimetable* timetable) {
  ++runs_;
  attempt_ = attempt;
  timetable_ = timetable;
  start();
  for (now_ = 0; now_ < slots_.size() && slots_[now_].level <= attempt_.levels && !done(); ++now_) {
    level_ = slots_[now_].level;
    if (slots_[now_].sends == 0) continue;  // what is due here cannot be served later either
    if (timetable_ != nullptr) timetable_->levels.push_back({.level = level_});
    if (level_ == 0 && holds_root_) {
      if (!place_root()) return {};
      continue;
    }
    if (!place_due_parts() || !place_singles()) return {};
    place_other_parts();
  }
  if (!done()) {
    levels_mattered_ = levels_mattered_ || now_ < slots_.size();
    return {};
  }
  if (timetable_ != nullptr) {
    timetable_->within = attempt_.levels;
    timetable_->exit_level = exit_level_;
  }
  Attempt worked = attempt_;
  worked.exit_level = exit_level_;
  return worked;
}

inline std::optional<RegionTimetables::Attempt> RegionTimetables::Filling::first_working(Attempt attempt) {
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

inline Level RegionTimetables::Filling::next_exit() {
  if (next_exit_ > attempt_.levels && next_exit_ != never) levels_mattered_ = true;
  return next_exit_;
}

inline void RegionTimetables::Filling::start() {
  if (attempt_.earliest_exit_first) sort_earliest_first();
  order_ = attempt_.earliest_exit_first ? &earliest_first_ : &most_urgent_first_;
  rows_ = order_->rows;
  pending_ = region_.parts.size();
  singles_ = static_cast<std::uint32_t>(region_.singles.size());
  slots_.clear();
  give(0, attempt_.passage.entries, attempt_.passage.entries / 2);
  exit_due_ = attempt_.passage.exits;
  exit_level_ = 0;
  possible_exit_ = never;
  had_choice_of_exits_ = false;
}

inline void RegionTimetables::Filling::count_rows(Order& order) const {
  order.rows.clear();
  for (std::uint32_t at = 0; at < order.parts.size(); ++at) {
    const RegionId part = order.parts[at];
    const LookId look = all_.boxes_[all_.class_of_[part]].look;
    const bool alone = home_ != 0 && (part == home_ || (at > 0 && order.parts[at - 1] == home_));
    if (at == 0 || alone || order.rows.back().look != look) order.rows.push_back({look, at, 0});
    ++order.rows.back().parts;
  }
}

inline Level RegionTimetables::Filling::earliest_exit(const Look& part, Level levels) {
  return part.exit_level({1, 1}, levels).value_or(levels + 1);
}

inline bool RegionTimetables::Filling::earliest_first_differs(Level levels) {
  for (const Row& row : most_urgent_first_.rows) {
    if (levels < look(row).settled[0]) levels_mattered_ = true;
  }
  return !std::ranges::is_sorted(most_urgent_first_.rows, {},
                                 [&](const Row& row) { return earliest_exit(look(row), levels); });
}

inline void RegionTimetables::Filling::sort_earliest_first() {
  if (sorted_for_ == attempt_.levels) return;
  sorted_for_ = attempt_.levels;
  std::ranges::stable_sort(earliest_first_.parts = most_urgent_first_.parts, {},
                           [&](RegionId part) { return earliest_exit(all_.look(part), attempt_.levels); });
  count_rows(earliest_first_);
}

inline bool RegionTimetables::Filling::place_root() {
  if (home_ == 0) return place_single_ranks(1);
  return enter(*std::ranges::find(rows_, home_, [&](const Row& row) { return order_->parts[row.first]; }), 1);
}

inline bool RegionTimetables::Filling::place_due_parts() {
  for (Row& row : rows_) {
    const Level single = look(row).least[0];
    const Level both = look(row).least[1];
    if (row.parts > 0 && left() <= std::max(single, both)) levels_mattered_ = true;
    while (row.parts > 0) {
      if (left() == single && enter(row, 1)) continue;
      if (left() > single || left() > both) break;  // not due, or by two sends at once there is still time
      if (left() < both || !enter(row, 2)) return false;
    }
  }
  return true;
}

inline bool RegionTimetables::Filling::place_singles() {
  std::uint32_t may = singles_;
  if (exit_by_single()) {
    const bool can = singles_ > 0 && slots_[now_].sends > 0;
    if (can && level_ > attempt_.exit_level) {
      possible_exit_ = level_;
      return false;
    }
    if (!can || level_ < attempt_.exit_level) may -= std::min(may, 1U);  // one is kept back for it
  }
  return place_single_ranks(std::min(may, slots_[now_].sends));
}

inline bool RegionTimetables::Filling::place_single_ranks(std::uint32_t number) {
  if (number == 0) return true;
  take(number, 0);
  singles_ -= number;
  if (timetable_ != nullptr) timetable_->levels.back().singles = number;
  std::uint32_t whole = number;
  if (exit_by_single() && level_ == attempt_.exit_level) {
    if (timetable_ != nullptr) timetable_->levels.back().exits_of_single = exit_due_;
    exit_level_ = level_;
    possible_exit_ = level_ + 1;
    give(level_ + 1, all_.k_ - exit_due_, all_.k_ - exit_due_ >= 2 ? 1 : 0);
    exit_due_ = 0;
    --whole;
  }
  give(level_ + 1, whole * all_.k_, whole);
  return true;
}

inline void RegionTimetables::Filling::place_other_parts() {
  for (Row& row : rows_) {
    const unsigned entries = left() >= look(row).least[0] ? 1 : 2;
    if (left() < look(row).least[entries - 1]) continue;
    while (row.parts > 0 && enter(row, entries)) {
    }
    if (slots_[now_].sends == 0) return;
  }
}

inline bool RegionTimetables::Filling::enter(Row& row, unsigned entries) {
  if (slots_[now_].sends < entries || (entries == 2 && slots_[now_].pairs == 0)) return false;
  PartEntry entry{.part = order_->parts[row.first++], .passage = {entries, 0}};
  --row.parts;
  --pending_;
  take(entries == 2 ? 0 : 1, entries == 2 ? 1 : 0);
  if (left() < look(row).settled[entries - 1]) levels_mattered_ = true;
  const bool wanted = singles_ > 0 || pending_ > 0;
  const bool through = exit_due_ > 0 && attempt_.through_part && (!attempt_.through_last || pending_ == 0);
  if (wanted || through) {
    const auto one = !through || exit_due_ <= 1 ? look(row).exit_level({entries, 1}, left()) : std::nullopt;
    const auto two = look(row).exit_level({entries, 2}, left());
    had_choice_of_exits_ = had_choice_of_exits_ || (one && two);
    const bool takes_two = two && (attempt_.many_exits || !one);
    if (one || two) leave(entry, takes_two ? 2 : 1, takes_two ? *two : *one, through);
  }
  if (timetable_ != nullptr) timetable_->levels.back().parts.push_back(entry);
  return true;
}

inline void RegionTimetables::Filling::leave(PartEntry& entry, unsigned exits, Level at, bool through) {
  entry.passage.exits = exits;
  if (through) {
    entry.outwards = exit_due_;
    exit_level_ = level_ + at;
    exit_due_ = 0;
  }
  const unsigned inwards = exits - entry.outwards;
  give(level_ + at + 1, inwards, inwards / 2);
}

inline void RegionTimetables::Filling::give(Level level, std::uint32_t sends, std::uint32_t pairs) {
  auto at = slots_.end();
  while (at != slots_.begin() && (at - 1)->level >= level) --at;
  if (at == slots_.end() || at->level != level) at = slots_.insert(at, {.level = level});
  at->sends += sends;
  at->pairs += pairs;
}

inline void RegionTimetables::Filling::take(std::uint32_t ones, std::uint32_t pairs) {
  Slot& now = slots_[now_];
  now.sends -= ones + 2 * pairs;
  now.pairs = std::min(now.pairs - pairs, now.sends / all_.k_);
}

}  // namespace trunkline
