// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/regions/two_tree_progress.hpp"

#include <algorithm>
#include <bit>

namespace trunkline {

TwoTreeProgress::TwoTreeProgress(const Regions& regions, const Sends& sends)
    : regions_(regions), sends_(sends), state_(regions.all.size()), unreached_(regions.of_rank.size()) {
  for (std::size_t at = regions.all.size(); at > 0; --at) prepare(static_cast<RegionId>(at - 1));
  for (RegionId id = 1; id < state_.size(); ++id) state_[id].depth = state_[parent_of(id)].depth + 1;
}

void TwoTreeProgress::prepare(RegionId id) {
  const Region& region = regions_.all[id];
  State& state = state_[id];
  for (const Rank rank : region.singles) {
    (sends_[rank] > 0 ? state.givers : state.takers).push_back(rank);
    state.spare += sends_[rank] - 1;
  }
  std::ranges::reverse(state.givers);
  std::ranges::reverse(state.takers);
  state.parts = region.parts;
  state.waiting = state.last = state.last_of_equal = state.unfinished = region.parts.size();
  state.handed_out_to = id;
  for (const RegionId part : region.parts) {
    state.spare += state_[part].spare;
    state.levels = std::max(state.levels, state_[part].levels + 1);
  }
  state.levels = std::max<std::uint32_t>(state.levels, static_cast<std::uint32_t>(std::bit_width(region.ranks)));
  std::ranges::sort(state.parts, {}, [&](RegionId part) { return state_[part].levels; });
}

RegionId TwoTreeProgress::place_root() {
  const RegionId home = regions_.of_rank[regions_.root];
  reach(regions_.root);
  RegionId starts_in = home;
  state_[home].spare += 2;  // it counted among those to be reached, and its send did not count yet
  if (home != 0) {
    state_[0].spare += 2;
    if (state_[home].spare > 0 || regions_.all[home].ranks == regions_.of_rank.size()) {
      enter(home);
    } else {
      --state_[home].spare;
      starts_in = 0;
    }
  }
  ++state_[starts_in].active;
  return starts_in;
}

bool TwoTreeProgress::unfinished_around(RegionId id) const {
  const State& outer = state_[parent_of(id)];
  return outer.singles_left() || outer.unfinished > (state_[id].finished() ? 0U : 1U);
}

bool TwoTreeProgress::waits(RegionId id, RegionId part) {
  if (handed_out(id)) {
    part = outermost_handed_out(id);
    if (part == 0) return false;
    id = parent_of(part);
  }
  const State& state = state_[id];
  return state.active == 0 && state.sparing == (state_[part].serves_others() ? 1U : 0U);
}

/// The last one on the way outwards from a region that is handed out, all up to there being so. What is handed out
/// stays so: ways that were gone are remembered.
RegionId TwoTreeProgress::outermost_handed_out(RegionId region) {
  const auto next = [&](RegionId id) {
    return state_[id].handed_out_to != id ? state_[id].handed_out_to : parent_of(id);
  };
  RegionId last = region;
  while (last != 0 && (state_[last].handed_out_to != last || handed_out(parent_of(last)))) last = next(last);
  while (region != last) {
    const RegionId outer = next(region);
    state_[region].handed_out_to = last;
    region = outer;
  }
  return last;
}

RegionId TwoTreeProgress::next_part(RegionId id, bool equal) {
  State& state = state_[id];
  std::size_t& last = equal ? state.last_of_equal : state.last;
  for (; last > 0; --last) {
    const RegionId part = state.parts[last - 1];
    if (!state_[part].entered && (!equal || state_[part].spare >= 0)) return part;  // `spare` is as it was, so far
  }
  return none;
}

void TwoTreeProgress::enter(RegionId part) {
  const bool before = state_[part].serves_others();
  state_[part].entered = true;
  --state_[parent_of(part)].waiting;
  count_sparing(part, before);
}

void TwoTreeProgress::end_send(RegionId from, std::optional<RegionId> to) {
  if (!to) {
    for (; from != 0; from = parent_of(from)) add_spare(from, -1);
    add_spare(0, -1);
    return;
  }
  while (from != *to) {
    const bool leaves = state_[from].depth >= state_[*to].depth;
    RegionId& inner = leaves ? from : *to;
    add_spare(inner, leaves ? -1 : 1);
    inner = parent_of(inner);
  }
}

void TwoTreeProgress::reach(Rank rank) {
  RegionId id = regions_.of_rank[rank];
  State& home = state_[id];
  (sends_[rank] > 0 ? home.givers : home.takers).pop_back();
  home.active += sends_[rank];
  --unreached_;
  for (; id != 0 && state_[id].finished(); id = parent_of(id)) --state_[parent_of(id)].unfinished;
}

void TwoTreeProgress::add_spare(RegionId id, std::int64_t change) {
  const bool before = state_[id].serves_others();
  state_[id].spare += change;
  count_sparing(id, before);
}

/// Tells the region around this one whether it serves others now.
void TwoTreeProgress::count_sparing(RegionId id, bool before) {
  const bool now = state_[id].serves_others();
  if (id == 0 || before == now) return;
  std::size_t& sparing = state_[parent_of(id)].sparing;
  sparing = now ? sparing + 1 : sparing - 1;
}

}  // namespace trunkline
