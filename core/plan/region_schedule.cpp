// SPDX-License-Identifier: Apache-2.0
#include "plan/region_schedule.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

namespace trunkline {

/// One region filled level by level by one set of rules; all ranks at a level are alike, so they are only counted.
class RegionSchedules::Filling {
 public:
  Filling(const RegionSchedules& schedules, RegionId region, const Attempt& attempt)
      : all_(schedules),
        region_(schedules.regions_.all[region]),
        attempt_(attempt),
        holds_root_(region == 0),
        sends_(attempt.levels + 2, 0),
        pairs_(attempt.levels + 2, 0),
        singles_(static_cast<std::uint32_t>(region_.singles.size())),
        pending_(region_.parts) {
    sends_[0] = attempt.passage.entries;
    pairs_[0] = attempt.passage.entries / 2;
    exit_due_ = attempt.passage.exits;
    plan_.within = attempt.levels;
    order_parts();
  }

  /// The timetable, where the rules lead to one.
  std::optional<RegionSchedule> run() {
    for (level_ = 0; level_ <= attempt_.levels && !done(); ++level_) {
      plan_.levels.emplace_back();
      if (level_ == 0 && holds_root_) {
        if (!place_root()) return {};
        continue;
      }
      if (!place_due_parts() || !place_singles()) return {};
      place_other_parts();
    }
    if (!done()) return {};
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool done() const { return singles_ == 0 && pending_.empty() && exit_due_ == 0; }
  [[nodiscard]] Level left() const { return attempt_.levels - level_; }
  [[nodiscard]] bool exit_by_single() const { return exit_due_ > 0 && !attempt_.through_part; }

  void order_parts() {
    const auto exit = [&](RegionId part) {
      return all_.exit_level(part, {1, 1}, attempt_.levels).value_or(attempt_.levels + 1);
    };
    std::ranges::stable_sort(pending_, [&](RegionId a, RegionId b) {
      if (attempt_.earliest_exit_first && exit(a) != exit(b)) return exit(a) < exit(b);
      return all_.least(a, 1) > all_.least(b, 1);
    });
  }

  /// The root is there first, whatever waits: a single of the whole, or the first rank of its host.
  bool place_root() {
    const RegionId home = all_.regions_.of_rank[all_.regions_.root];
    if (home == 0) return place_single_ranks(1);
    const auto part = std::ranges::find(pending_, home);
    return enter(part - pending_.begin(), 1);
  }

  /// Parts that would be too late at the next level.
  bool place_due_parts() {
    for (std::size_t i = 0; i < pending_.size();) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      const Level single = all_.least(pending_[i], 1);
      const Level both = all_.least(pending_[i], 2);
      if (left() == single && enter(at, 1)) continue;
      if (left() > single || left() > both) {
        ++i;  // not due, or by two sends at once there is still time
      } else if (left() < both || !enter(at, 2)) {
        return false;
      }
    }
    return true;
  }

  bool place_singles() {
    std::uint32_t may = singles_;
    if (exit_by_single()) {
      const bool now = level_ == attempt_.exit_level;
      if (now && (singles_ == 0 || sends_[level_] == 0)) return false;
      if (!now && level_ < attempt_.exit_level) may -= std::min(may, 1U);  // one is kept back for it
    }
    return place_single_ranks(std::min(may, sends_[level_]));
  }

  bool place_single_ranks(std::uint32_t number) {
    if (number == 0) return true;
    take(number, 0);
    singles_ -= number;
    plan_.levels.back().singles = number;
    std::uint32_t whole = number;
    if (exit_by_single() && level_ == attempt_.exit_level) {
      plan_.levels.back().exits_of_single = exit_due_;
      plan_.exit_level = level_;
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
    for (std::size_t i = 0; i < pending_.size() && sends_[level_] > 0;) {
      const unsigned entries = left() >= all_.least(pending_[i], 1) ? 1 : 2;
      if (left() < all_.least(pending_[i], entries) || !enter(static_cast<std::ptrdiff_t>(i), entries)) ++i;
    }
  }

  /// Part number `at` of those pending gets the message at this level.
  bool enter(std::ptrdiff_t at, unsigned entries) {
    if (sends_[level_] < entries || (entries == 2 && pairs_[level_] == 0)) return false;
    const RegionId part = pending_[static_cast<std::size_t>(at)];
    pending_.erase(pending_.begin() + at);
    take(entries == 2 ? 0 : 1, entries == 2 ? 1 : 0);
    const bool wanted = singles_ > 0 || !pending_.empty();
    const bool through = exit_due_ > 0 && attempt_.through_part && (!attempt_.through_last || pending_.empty());
    PartEntry entry{.part = part, .passage = {entries, 0}};
    std::optional<Level> exit;
    const std::array<unsigned, 2> tries = attempt_.many_exits ? std::array{2U, 1U} : std::array{1U, 2U};
    for (const unsigned exits : tries) {
      if (exit || !(wanted || through) || (through && exits < exit_due_)) continue;
      exit = all_.exit_level(part, {entries, exits}, left());
      if (exit) entry.passage.exits = exits;
    }
    if (exit) {
      if (through) {
        entry.outwards = exit_due_;
        plan_.exit_level = level_ + *exit;
        exit_due_ = 0;
      }
      const unsigned inwards = entry.passage.exits - entry.outwards;
      sends_[level_ + *exit + 1] += inwards;
      pairs_[level_ + *exit + 1] += inwards / 2;
    }
    plan_.levels.back().parts.push_back(entry);
    return true;
  }

  /// Sends of this level that are spent: ones from whomever has fewest left, and pairs of one sender.
  void take(std::uint32_t ones, std::uint32_t pairs) {
    sends_[level_] -= ones + 2 * pairs;
    pairs_[level_] -= pairs;
    pairs_[level_] = std::min(pairs_[level_], sends_[level_] / all_.k_);
  }

  const RegionSchedules& all_;
  const Region& region_;
  const Attempt& attempt_;
  bool holds_root_;
  std::vector<std::uint32_t> sends_;  ///< by level of the receiver
  std::vector<std::uint32_t> pairs_;  ///< of these, senders with two to give
  std::uint32_t singles_;
  std::vector<RegionId> pending_;
  unsigned exit_due_ = 0;
  Level level_ = 0;
  RegionSchedule plan_;
};

RegionSchedules::RegionSchedules(const Regions& regions, unsigned k)
    : regions_(regions), k_(k), boxes_(regions.all.size()) {
  std::unordered_map<std::size_t, RegionId> alike;  // by number of ranks: regions without parts, often all hosts
  for (std::size_t at = regions.all.size(); at > 0; --at) {
    const auto region = static_cast<RegionId>(at - 1);
    const Region& made = regions.all[region];
    if (made.parts.empty() && region != 0) {
      const auto [known, is_new] = alike.emplace(made.singles.size(), region);
      if (!is_new) {
        boxes_[region] = boxes_[known->second];
        continue;
      }
    }
    fill_box(region);
  }
}

std::optional<RegionSchedules::Attempt> RegionSchedules::first_working(RegionId region, Attempt attempt) const {
  for (const bool earliest : {false, true}) {
    for (const bool many : {false, true}) {
      attempt.earliest_exit_first = earliest;
      attempt.many_exits = many;
      if (auto plan = Filling(*this, region, attempt).run()) {
        attempt.exit_level = plan->exit_level;
        return attempt;
      }
      if (regions_.all[region].parts.empty()) return {};
    }
  }
  return {};
}

void RegionSchedules::fill_box(RegionId region) {
  Box& box = boxes_[region];
  for (const unsigned entries : {1U, 2U}) {
    // Doubling, then halving: more levels never hurt.
    const auto works = [&](Level levels) { return first_working(region, {.passage = {entries, 0}, .levels = levels}); };
    Level high = 1;
    while (!works(high)) {
      if (high > 4 * regions_.all[region].ranks + 64) throw std::logic_error("a region that no number of levels fills");
      high *= 2;
    }
    Level low = high == 1 ? 0 : high / 2 + 1;
    while (low < high) {
      const Level middle = std::midpoint(low, high);
      if (works(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    box.least[entries - 1] = high;
    box.plain[entries - 1] = *works(high);
    if (region == 0) return;  // nothing leads in or out of the whole
    for (const unsigned exits : {1U, 2U}) {
      for (Level above = 0; above <= slack; ++above) {
        Attempt attempt{.passage = {entries, exits}, .levels = high + above};
        std::optional<Attempt>& found = box.exits[entries - 1][exits - 1][above];
        for (attempt.exit_level = 0; attempt.exit_level <= attempt.levels && !found; ++attempt.exit_level) {
          if (regions_.all[region].singles.empty()) break;
          found = first_working(region, attempt);
        }
        attempt.exit_level = 0;
        attempt.through_part = true;
        for (const bool last : {false, true}) {
          if (regions_.all[region].parts.empty() || (found && found->exit_level == 0)) break;
          attempt.through_last = last;
          const auto through = first_working(region, attempt);
          if (through && (!found || through->exit_level < found->exit_level)) found = through;
        }
      }
    }
  }
}

const std::optional<RegionSchedules::Attempt>& RegionSchedules::exit_attempt(RegionId region, Passage passage,
                                                                             Level levels) const {
  const Box& box = boxes_[region];
  const Level above = std::min(levels - box.least[passage.entries - 1], slack);
  return box.exits[passage.entries - 1][passage.exits - 1][above];
}

std::optional<Level> RegionSchedules::exit_level(RegionId region, Passage passage, Level levels) const {
  if (levels < least(region, passage.entries)) return {};
  const auto& attempt = exit_attempt(region, passage, levels);
  return attempt ? std::optional(attempt->exit_level) : std::nullopt;
}

RegionSchedule RegionSchedules::schedule(RegionId region, Passage passage, Level levels) const {
  const Attempt& attempt =
      passage.exits == 0 ? boxes_[region].plain[passage.entries - 1] : *exit_attempt(region, passage, levels);
  return *Filling(*this, region, attempt).run();
}

}  // namespace trunkline
