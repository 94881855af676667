// SPDX-License-Identifier: Apache-2.0
#include "algorithms/generators.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/circulant.hpp"
#include "algorithms/scatter_doubling.hpp"
#include "algorithms/scatter_ring.hpp"

namespace trunkline {
namespace {

using Schedule = std::unique_ptr<const BlockSchedule> (*)(Rank ranks, Rank position);

template <class Kind>
std::unique_ptr<const BlockSchedule> schedule_at(Rank ranks, Rank position) {
  return std::make_unique<const Kind>(ranks, position);
}

constexpr std::array<std::string_view, 3> generator_names{"scatter-ring", "scatter-doubling", "circulant"};
constexpr std::array<Schedule, 3> schedules{schedule_at<ScatterRing>, schedule_at<ScatterDoubling>,
                                            schedule_at<Circulant>};

}  // namespace

std::span<const std::string_view> generators() { return generator_names; }

Rounds generate_rounds(std::string_view generator, std::vector<Rank> order) {
  const auto found = std::ranges::find(generator_names, generator) - generator_names.begin();
  if (found == std::ssize(generator_names)) {
    throw std::invalid_argument("no generator of rounds is called '" + std::string(generator) + "'");
  }
  const auto ranks = static_cast<Rank>(order.size());
  const Schedule schedule = schedules[static_cast<std::size_t>(found)];
  return {.order = std::move(order),
          .schedule_of = [ranks, schedule](Rank position) { return schedule(ranks, position); },
          .generator = std::string(generator)};
}

}  // namespace trunkline
