// SPDX-License-Identifier: Apache-2.0
// Which algorithm an MPI library selects by itself, in the library's own words.
#pragma once

#include <cstdint>
#include <string_view>

#include "collective/collective.hpp"
#include "model/native/rules.hpp"
#include "network/placement.hpp"

namespace trunkline {

struct NativeChoice {
  std::string_view algorithm;  ///< as the library's settings name it; empty: not known
  /// The ranks of each host take part through the first of them, and the algorithm runs among those.
  bool by_hosts = false;
  /// Of an allreduce that is a reduce and then a broadcast, of all ranks or within each host: what each of them is.
  std::string_view reduce{};
  std::string_view bcast{};
  std::string_view unknown{};  ///< why nothing is known, for people
};

/// The selection of MPICH 4 and Open MPI 4.1 for `message_bytes`, without settings of their own; operations commute and
/// are MPI's own. Where each host has one rank, predictions of native go by it. With several ranks a host MPICH goes by
/// hosts for most calls (the selection that its library holds as text: `composition`); Open MPI does not.
[[nodiscard]] NativeChoice native_choice(NativeLibrary library, Collective collective, const Placement& placement,
                                         Rank root, std::uint64_t message_bytes);

/// Whether MPICH goes by hosts for `message_bytes` among `ranks` ranks, where hosts have several ranks and the root, if
/// any, is the first of its host.
[[nodiscard]] bool mpich_goes_by_hosts(Collective collective, Rank ranks, std::uint64_t message_bytes);

}  // namespace trunkline
