// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/generators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "algorithms/rounds/circulant.hpp"
#include "algorithms/rounds/direct.hpp"
#include "algorithms/rounds/lane_direct.hpp"
#include "algorithms/rounds/lane_gather_ring.hpp"
#include "algorithms/rounds/lane_radix.hpp"
#include "algorithms/rounds/lane_ring.hpp"
#include "algorithms/rounds/mirrored.hpp"
#include "algorithms/rounds/mixed_radix.hpp"
#include "algorithms/rounds/pair_ring.hpp"
#include "algorithms/rounds/pairwise.hpp"
#include "algorithms/rounds/ring.hpp"
#include "algorithms/rounds/root_binomial.hpp"
#include "algorithms/rounds/scan.hpp"
#include "algorithms/rounds/scatter_doubling.hpp"
#include "algorithms/rounds/scatter_ring.hpp"
#include "algorithms/rounds/staggered_radix.hpp"
#include "algorithms/rounds/swing.hpp"

namespace trunkline {
namespace {

/// What stands before the name: sizes of groups in which positions in a row are nested.
using Groups = std::vector<Rank>;
using Schedule = std::unique_ptr<const BlockSchedule> (*)(const Groups& groups, Rank ranks, Rank position);

template <class Kind>
std::unique_ptr<const BlockSchedule> schedule_at(const Groups& /*groups*/, Rank ranks, Rank position) {
  return std::make_unique<const Kind>(ranks, position);
}

std::unique_ptr<const BlockSchedule> mixed_radix_at(const Groups& groups, Rank ranks, Rank position) {
  return std::make_unique<const MixedRadix>(groups, ranks, position);
}

std::unique_ptr<const BlockSchedule> staggered_radix_at(const Groups& groups, Rank ranks, Rank position) {
  return std::make_unique<const StaggeredRadix>(groups, ranks, position);
}

std::unique_ptr<const BlockSchedule> lane_radix_at(const Groups& groups, Rank ranks, Rank position) {
  return std::make_unique<const LaneRadix>(groups[0], groups[1], ranks, position);
}

template <class Kind>
std::unique_ptr<const BlockSchedule> in_lanes_at(const Groups& groups, Rank ranks, Rank position) {
  return std::make_unique<const Kind>(groups.front(), ranks, position);
}

template <class Kind>
std::unique_ptr<const BlockSchedule> mirrored_in_lanes_at(const Groups& groups, Rank ranks, Rank position) {
  return std::make_unique<const Mirrored>(in_lanes_at<Kind>(groups, ranks, position));
}

/// Of all positions, one after another: what they have in common is made once.
using Sweep = Schedules (*)(const Groups& groups, Rank ranks);

Schedules sweep_circulant(const Groups& /*groups*/, Rank ranks) {
  return [blocks = std::make_shared<const CirculantBlocks>(ranks)](Rank position) {
    return std::make_unique<const Circulant>(blocks, position);
  };
}

Schedules sweep_lane_radix(const Groups& groups, Rank ranks) {
  return [all = std::make_shared<const LaneRounds>(groups[0], groups[1], ranks)](Rank position) {
    return std::make_unique<const LaneRadix>(all, position);
  };
}

struct Generator {
  std::string_view name;
  Collective collective;
  Schedule schedule;
  std::size_t least_groups = 0;
  std::size_t most_groups = 0;
  std::string_view shown = name;  ///< to people
  Sweep sweep = nullptr;          ///< null: they have nothing in common
  bool any_blocks = false;        ///< else the message is cut into a block for each rank
};

using enum Collective;

constexpr std::array generator_table{
    Generator{"scatter-ring", bcast, schedule_at<ScatterRing>},
    Generator{"scatter-doubling", bcast, schedule_at<ScatterDoubling>},
    Generator{.name = "circulant",
              .collective = bcast,
              .schedule = schedule_at<Circulant>,
              .sweep = sweep_circulant,
              .any_blocks = true},
    Generator{"allreduce-ring", allreduce, schedule_at<Ring<RingTurns::allreduce>>},
    Generator{"reduce-scatter-ring", reduce_scatter, schedule_at<Ring<RingTurns::reduce_scatter>>},
    Generator{"allgather-ring", allgather, schedule_at<Ring<RingTurns::allgather>>},
    Generator{"allgather-direct", allgather, schedule_at<Direct>},
    Generator{"halving-doubling", allreduce, schedule_at<HalvingDoubling>},
    Generator{"recursive-doubling", allreduce, schedule_at<RecursiveDoubling>},
    Generator{"swing", allreduce, schedule_at<Swing>},
    Generator{"mixed-radix", allreduce, mixed_radix_at, 0, most_levels},
    Generator{"staggered-radix", allreduce, staggered_radix_at, 1, most_levels},
    Generator{"lane-ring", allreduce, in_lanes_at<LaneRing>, 1, 1, "K-lane-ring"},
    Generator{"lane-radix", allreduce, lane_radix_at, 2, 2, "KxR-lane-radix", sweep_lane_radix},
    Generator{"allgather-lane-ring", allgather, in_lanes_at<LaneGatherRing>, 1, 1, "K-allgather-lane-ring"},
    Generator{"allgather-lane-direct", allgather, in_lanes_at<LaneDirect>, 1, 1, "K-allgather-lane-direct"},
    Generator{"reduce-scatter-lane-ring", reduce_scatter, mirrored_in_lanes_at<LaneGatherRing>, 1, 1,
              "K-reduce-scatter-lane-ring"},
    Generator{"alltoall-ring", alltoall, schedule_at<PairRing>},
    Generator{"gather-binomial", gather, schedule_at<RootBinomial<true>>},
    Generator{"scatter-binomial", scatter, schedule_at<RootBinomial<false>>},
    Generator{"reduce-scatter-lane-direct", reduce_scatter, mirrored_in_lanes_at<LaneDirect>, 1, 1,
              "K-reduce-scatter-lane-direct"},
    Generator{"scan-line", scan, schedule_at<ScanLine>},
    Generator{"scan-doubling", scan, schedule_at<ScanDoubling>},
};

bool serves(const Generator& generator, Collective collective) {
  const CollectiveFacts& promised = facts_of(generator.collective);
  const CollectiveFacts& asked = facts_of(collective);
  const bool is_own_share = asked.after == Holding::own_block && !asked.reduces && !generator.any_blocks;
  const bool has_it_too = promised.after == Holding::all && (asked.after == Holding::all_at_root || is_own_share);
  const bool is_alike = promised.after == asked.after || (promised.makes_prefixes() && asked.makes_prefixes());
  return promised.before == asked.before && (is_alike || has_it_too);
}

struct Found {
  const Generator* row = nullptr;
  Groups groups{};
};

/// Of "16x6-mixed-radix": that row, 16 and 6.
std::optional<Found> find_generator(std::string_view text) {
  Found found;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end && *at >= '0' && *at <= '9') {
    const auto [behind, error] = std::from_chars(at, end, found.groups.emplace_back());
    if (error != std::errc{} || behind == end || (*behind != 'x' && *behind != '-')) return {};
    at = behind + 1;
    if (*behind == '-') break;
  }
  found.row = std::ranges::find(generator_table, std::string_view(at, end), &Generator::name);
  if (found.row == generator_table.end()) return {};
  const std::size_t groups = found.groups.size();
  if (groups < found.row->least_groups || groups > found.row->most_groups) return {};
  return found;
}

}  // namespace

std::vector<std::string_view> generators_of(Collective collective) {
  std::vector<std::string_view> names;
  for (const Generator& one : generator_table)
    if (serves(one, collective)) names.push_back(one.shown);
  return names;
}

bool is_generator(std::string_view text) { return find_generator(text).has_value(); }

bool is_generator_of(std::string_view text, Collective collective) {
  const std::optional<Found> found = find_generator(text);
  return found && serves(*found->row, collective);
}

std::string with_groups(std::span<const Rank> groups, std::string_view generator) {
  std::string text;
  for (const Rank group : groups) text += (text.empty() ? "" : "x") + std::to_string(group);
  return text + (text.empty() ? "" : "-") + std::string(generator);
}

Schedules generate_schedules(std::string_view generator, Rank ranks) {
  const std::optional<Found> found = find_generator(generator);
  if (!found) throw std::invalid_argument("no generator of rounds is called '" + std::string(generator) + "'");
  const auto schedules = [ranks, groups = found->groups, schedule = found->row->schedule](Rank position) {
    return schedule(groups, ranks, position);
  };
  if (ranks > 0) static_cast<void>(schedules(0));  // throws where the ranks do not make such groups
  return schedules;
}

Schedules sweep_schedules(std::string_view generator, Rank ranks) {
  const std::optional<Found> found = find_generator(generator);
  if (!found || found->row->sweep == nullptr) return generate_schedules(generator, ranks);
  return found->row->sweep(found->groups, ranks);
}

}  // namespace trunkline
