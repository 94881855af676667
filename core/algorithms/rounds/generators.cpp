// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/generators.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include "algorithms/rounds/circulant.hpp"
#include "algorithms/rounds/mixed_radix.hpp"
#include "algorithms/rounds/pairwise.hpp"
#include "algorithms/rounds/ring.hpp"
#include "algorithms/rounds/scatter_doubling.hpp"
#include "algorithms/rounds/scatter_ring.hpp"
#include "algorithms/rounds/swing.hpp"

namespace trunkline {
namespace {

using Schedule = std::unique_ptr<const BlockSchedule> (*)(Rank ranks, Rank position);

template <class Kind>
std::unique_ptr<const BlockSchedule> schedule_at(Rank ranks, Rank position) {
  return std::make_unique<const Kind>(ranks, position);
}

struct Generator {
  std::string_view name;
  Schedule schedule;
};

constexpr std::array generator_table{
    Generator{"scatter-ring", schedule_at<ScatterRing>},
    Generator{"scatter-doubling", schedule_at<ScatterDoubling>},
    Generator{"circulant", schedule_at<Circulant>},
    Generator{"allreduce-ring", schedule_at<Ring<RingTurns::allreduce>>},
    Generator{"reduce-scatter-ring", schedule_at<Ring<RingTurns::reduce_scatter>>},
    Generator{"allgather-ring", schedule_at<Ring<RingTurns::allgather>>},
    Generator{"halving-doubling", schedule_at<HalvingDoubling>},
    Generator{"recursive-doubling", schedule_at<RecursiveDoubling>},
    Generator{"swing", schedule_at<Swing>},
    Generator{"mixed-radix", schedule_at<MixedRadix>},
};

constexpr auto generator_names = [] {
  std::array<std::string_view, generator_table.size()> names;
  std::ranges::transform(generator_table, names.begin(), &Generator::name);
  return names;
}();

}  // namespace

std::span<const std::string_view> generators() { return generator_names; }

Schedules generate_schedules(std::string_view generator, Rank ranks) {
  const auto* const found = std::ranges::find(generator_table, generator, &Generator::name);
  if (found == generator_table.end()) {
    throw std::invalid_argument("no generator of rounds is called '" + std::string(generator) + "'");
  }
  return [ranks, schedule = found->schedule](Rank position) { return schedule(ranks, position); };
}

}  // namespace trunkline
