// SPDX-License-Identifier: Apache-2.0
// What the user wants a collective to run: "auto", "native" or "NAME[:SEGMENT]"; or what the running job tries.
#pragma once

#include <cstdint>
#include <string_view>

#include "collective/collective.hpp"

namespace trunkline {

struct Wish {
  enum class Kind : std::uint8_t {
    automatic,
    native,
    forced,
    tried,  ///< by the job, in one of its trials (learn/trials.hpp)
    found,  ///< by the job to be the fastest
    known,  ///< to be that, since earlier jobs have found it
  };
  Kind kind = Kind::automatic;
  std::string_view algorithm{};     ///< all but automatic and native: the registry's own text of the name
  bool needs_cluster = false;       ///< forced: the algorithm cannot be laid without one
  bool has_one_order = true;        ///< forced: operands are combined in one order, whatever the size
  std::uint64_t segment_bytes = 0;  ///< forced: 0 leaves it to Trunkline; tried, found or known: 0 is native

  friend bool operator==(const Wish&, const Wish&) = default;
};

/// MPI counts in int; a segment this long pipelines nothing anyway.
inline constexpr std::uint64_t longest_segment = std::uint64_t{1} << 30;

/// Throws std::invalid_argument, which names the fault and what would be right.
[[nodiscard]] Wish parse_wish(Collective collective, std::string_view text);

}  // namespace trunkline
