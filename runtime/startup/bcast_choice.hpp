// SPDX-License-Identifier: Apache-2.0
// What the user wants MPI_Bcast to run: "auto", "native" or "NAME[:SEGMENT]".
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/registry.hpp"

namespace trunkline::runtime {

struct BcastChoice {
  enum class Kind : std::uint8_t { automatic, native, forced };
  Kind kind = Kind::automatic;
  std::string_view algorithm{};     ///< forced: the registry's own text of the name
  bool needs_cluster = false;       ///< forced: the algorithm cannot be laid without one
  std::uint64_t segment_bytes = 0;  ///< forced: 0 leaves it to Trunkline

  friend bool operator==(const BcastChoice&, const BcastChoice&) = default;
};

/// Throws std::invalid_argument with what is wrong and what would be right.
[[nodiscard]] BcastChoice parse_bcast_choice(std::string_view text);

}  // namespace trunkline::runtime
