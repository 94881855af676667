// SPDX-License-Identifier: Apache-2.0
// Rounds transfer by transfer.
#pragma once

#include <cstdint>
#include <vector>

#include "network/placement.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Blocks from one rank to another, in rows as BlockRows has them.
struct Transfer {
  Rank from = 0;
  Rank to = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  bool reduces = false;
  bool replaces = false;
  std::uint64_t rows = 1;
  std::uint64_t stride = 0;

  [[nodiscard]] BlockRows blocks() const { return {.first = first, .count = count, .rows = rows, .stride = stride}; }

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct RoundList {
  std::uint64_t blocks = 1;  ///< that the message is cut into
  std::uint64_t lead = 0;    ///< so many transfers more than it has received, since it began to send, a rank may have
                             ///< sent; 0: any number
  std::vector<std::vector<Transfer>> rounds{};

  friend bool operator==(const RoundList&, const RoundList&) = default;
};

}  // namespace trunkline
