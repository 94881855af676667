// SPDX-License-Identifier: Apache-2.0
#include "algorithms/region_schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "algorithms/region_filling.hpp"

namespace trunkline {

RegionSchedules::RegionSchedules(const Regions& regions, unsigned k)
    : regions_(regions), k_(k), class_of_(regions.all.size()) {
  std::map<std::vector<std::uint32_t>, ClassId> known;  // by number of singles, then rows of parts: class, number
  std::vector<std::uint32_t> key;
  for (std::size_t at = regions.all.size(); at > 0; --at) {
    const auto region = static_cast<RegionId>(at - 1);
    const Region& made = regions.all[region];
    key.assign(1, static_cast<std::uint32_t>(made.singles.size()));
    for (const RegionId part : made.parts) {
      if (key.size() == 1 || key[key.size() - 2] != class_of_[part]) key.insert(key.end(), {class_of_[part], 0});
      ++key.back();
    }
    const auto next = static_cast<ClassId>(boxes_.size());
    const auto [found, is_new] = known.emplace(key, next);
    if (!is_new && region != 0) {
      class_of_[region] = found->second;
      continue;
    }
    class_of_[region] = next;
    boxes_.push_back(fill_box(region));
  }
}

RegionSchedules::Box RegionSchedules::fill_box(RegionId region) const {
  Box box;
  Filling filling(*this, region);
  for (const unsigned entries : {1U, 2U}) {
    // Doubling, then halving: more levels never hurt.
    const auto works = [&](Level levels) { return filling.first_working({.passage = {entries, 0}, .levels = levels}); };
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
    if (region == 0) return box;  // nothing leads in or out of the whole
    for (const unsigned exits : {1U, 2U}) {
      for (Level above = 0; above <= slack; ++above) {
        box.exits[entries - 1][exits - 1][above] =
            earliest_exit(region, {.passage = {entries, exits}, .levels = high + above}, filling);
      }
    }
  }
  return box;
}

std::optional<RegionSchedules::Attempt> RegionSchedules::earliest_exit(RegionId region, Attempt attempt,
                                                                       Filling& filling) const {
  std::optional<Attempt> found;
  if (!regions_.all[region].singles.empty()) {
    for (Level exit = 0; exit <= attempt.levels && !found; exit = filling.next_exit()) {
      attempt.exit_level = exit;
      found = filling.first_working(attempt);
    }
  }
  attempt.exit_level = 0;
  attempt.through_part = true;
  for (const bool last : {false, true}) {
    if (regions_.all[region].parts.empty() || (found && found->exit_level == 0)) break;
    attempt.through_last = last;
    const auto through = filling.first_working(attempt);
    if (through && (!found || through->exit_level < found->exit_level)) found = through;
  }
  return found;
}

const std::optional<RegionSchedules::Attempt>& RegionSchedules::Box::exit(Passage passage, Level levels) const {
  return exits[passage.entries - 1][passage.exits - 1][std::min(levels - least[passage.entries - 1], slack)];
}

std::optional<Level> RegionSchedules::Box::exit_level(Passage passage, Level levels) const {
  if (levels < least[passage.entries - 1]) return {};
  const auto& attempt = exit(passage, levels);
  return attempt ? std::optional(attempt->exit_level) : std::nullopt;
}

RegionSchedule RegionSchedules::schedule(RegionId region, Passage passage, Level levels) const {
  const Box& box = boxes_[class_of_[region]];
  RegionSchedule timetable;
  Filling(*this, region)
      .run(passage.exits == 0 ? box.plain[passage.entries - 1] : *box.exit(passage, levels), &timetable);
  return timetable;
}

}  // namespace trunkline
