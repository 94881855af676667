// SPDX-License-Identifier: Apache-2.0
// A rank's part of an allgather in groups: docs/multicast.md, "Shares in groups".
#pragma once

#include <memory>
#include <span>

#include "execute/part.hpp"
#include "kinds/multicast/multicast.hpp"

namespace trunkline::runtime {

/// Of the `rank`-th of the members, which are given by their ranks of the private communicator.
[[nodiscard]] std::unique_ptr<const LocalPart> grouped_turns_part(const Multicast& multicast, Rank rank,
                                                                  std::span<const int> members);

}  // namespace trunkline::runtime
