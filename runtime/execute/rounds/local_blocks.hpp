// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "network/placement.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline::runtime {

/// A rank's own part of a plan by rounds.
struct LocalBlocks {
  std::vector<int> order;     ///< ranks of the private communicator by position
  std::vector<Rank> members;  ///< ranks of the communicator by position
  Rank position = 0;          ///< this rank's
  std::unique_ptr<const BlockSchedule> schedule;
};

}  // namespace trunkline::runtime
