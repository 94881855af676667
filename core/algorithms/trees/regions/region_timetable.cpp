// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/regions/region_timetable.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

#include "algorithms/trees/regions/region_filling.hpp"

namespace trunkline {

RegionTimetables::RegionTimetables(const Regions& regions, unsigned k)
    : regions_(regions), k_(k), class_of_(regions.all.size()) {
  std::map<std::vector<std::uint32_t>, ClassId> known;  // by number of singles, then rows of parts: look, number
  std::map<Look, LookId> known_looks;
  std::vector<std::uint32_t> key;
  for (std::size_t at = regions.all.size(); at > 0; --at) {
    const auto region = static_cast<RegionId>(at - 1);
    key.assign(1, static_cast<std::uint32_t>(regions.all[region].singles.size()));
    for (const RegionId part : most_urgent_first(region)) {
      const LookId look = boxes_[class_of_[part]].look;
      if (key.size() == 1 || key[key.size() - 2] != look) key.insert(key.end(), {look, 0});
      ++key.back();
    }
    const auto [found, is_new] = known.emplace(key, static_cast<ClassId>(boxes_.size()));
    if (!is_new && region != 0) {
      class_of_[region] = found->second;
      continue;
    }
    class_of_[region] = static_cast<ClassId>(boxes_.size());
    Box box;
    const auto [look, new_look] = known_looks.emplace(fill_box(region, box), static_cast<LookId>(looks_.size()));
    if (new_look) looks_.push_back(look->first);
    box.look = look->second;
    boxes_.push_back(box);
  }
}

std::vector<RegionId> RegionTimetables::most_urgent_first(RegionId region) const {
  std::vector<RegionId> parts = regions_.all[region].parts;
  const auto need = [&](RegionId part) { return least(part, 1); };
  if (!std::ranges::is_sorted(parts, std::greater{}, need)) std::ranges::stable_sort(parts, std::greater{}, need);
  return parts;
}

RegionTimetables::Look RegionTimetables::fill_box(RegionId region, Box& box) const {
  Look look;
  Filling filling(*this, region);
  for (const unsigned entries : {1U, 2U}) {
    box.plain[entries - 1] = fewest_levels(region, entries, filling);
    const Level least = look.least[entries - 1] = box.plain[entries - 1].levels;
    if (region == 0) break;  // nothing leads in or out of the whole
    for (const unsigned exits : {1U, 2U}) {
      std::optional<Attempt> found;
      auto& levels = look.exits[entries - 1][exits - 1];
      for (Level above = 0; above <= slack; ++above) {
        if (above == 0 || filling.levels_mattered()) {
          filling.forget_levels();
          found = earliest_exit(region, {.passage = {entries, exits}, .levels = least + above}, filling);
        }
        if (!found) continue;
        found->levels = least + above;
        box.exits[entries - 1][exits - 1][above] = *found;
        levels[above] = found->exit_level;
      }
      Level same = slack;
      while (same > 0 && levels[same - 1] == levels[slack]) --same;
      look.settled[entries - 1] = std::max(look.settled[entries - 1], least + same);
    }
  }
  box.runs = filling.runs();
  return look;
}

std::uint64_t RegionTimetables::runs() const {
  return std::accumulate(boxes_.begin(), boxes_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Box& box) { return sum + box.runs; });
}

/// Doubling, then halving: more levels never hurt.
RegionTimetables::Attempt RegionTimetables::fewest_levels(RegionId region, unsigned entries, Filling& filling) const {
  Level parts_need = 0;  // with fewer it is not tried
  for (const RegionId part : regions_.all[region].parts) {
    parts_need = std::max(parts_need, std::min(least(part, 1), least(part, 2)));
  }
  std::optional<Attempt> fewest;
  const auto works = [&](Level levels) {
    if (levels < parts_need) return false;
    const auto attempt = filling.first_working({.passage = {entries, 0}, .levels = levels});
    if (attempt) fewest = attempt;
    return attempt.has_value();
  };
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
  return *fewest;
}

/// The one rank that is entered first cannot make all its sends outside.
Level RegionTimetables::least_exit(RegionId region, Passage passage) const {
  return passage.entries == 1 && passage.exits == k_ && regions_.all[region].ranks > 1 ? 1 : 0;
}

std::optional<RegionTimetables::Attempt> RegionTimetables::earliest_exit(RegionId region, Attempt attempt,
                                                                         Filling& filling) const {
  const Level least = least_exit(region, attempt.passage);
  std::optional<Attempt> found;
  if (!regions_.all[region].singles.empty()) {
    for (Level exit = least; exit <= attempt.levels && !found; exit = filling.next_exit()) {
      attempt.exit_level = exit;
      found = filling.first_working(attempt);
    }
  }
  attempt.exit_level = 0;
  attempt.through_part = true;
  for (const bool last : {false, true}) {
    if (found && found->exit_level == least) break;
    if (regions_.all[region].parts.size() <= (last ? 1 : 0)) break;
    attempt.through_last = last;
    const auto through = filling.first_working(attempt);
    if (through && (!found || through->exit_level < found->exit_level)) found = through;
  }
  return found;
}

RegionTimetable RegionTimetables::timetable(RegionId region, Passage passage, Level levels) const {
  const Box& box = boxes_[class_of_[region]];
  const unsigned entries = passage.entries;
  RegionTimetable found;
  Filling(*this, region)
      .run(passage.exits == 0 ? box.plain[entries - 1]
                              : box.exits[entries - 1][passage.exits - 1][look(region).above(passage, levels)],
           &found);
  return found;
}

}  // namespace trunkline
