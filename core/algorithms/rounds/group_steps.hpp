// SPDX-License-Identifier: Apache-2.0
// How members of a group, ranks of one host, tell each other what each of them has: in groups of as many as each prime
// factor of their number.
#pragma once

#include <cstddef>
#include <vector>

#include "network/placement.hpp"

namespace trunkline {

/// One sends what members in a row have had at first, and gets the same of others.
struct GroupStep {
  std::size_t stage = 0;  ///< needs what came in the stages before
  Rank to = 0;
  Rank from = 0;
  Rank sent_first = 0;  ///< member
  Rank received_first = 0;
  Rank count = 0;  ///< members
};

/// Of one member, stage by stage. After all of them each has what all have had. Sum of prime factors less their number
/// steps. Throws std::invalid_argument where `member` is not below `size`.
[[nodiscard]] std::vector<GroupStep> group_steps(Rank size, Rank member);

}  // namespace trunkline
