// SPDX-License-Identifier: Apache-2.0
// How far predicted times were off where they could be compared: the one table that commands read from. What `auto`
// asks of each algorithm for that, by what was measured of it, is in candidates.hpp.
#pragma once

#include <string_view>

#include "model/native/native_times.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Of 19 in 20 cells of evidence.
struct Accuracy {
  double ours;           ///< our times are within this part of the true one
  double library_least;  ///< the library's own true times, over predicted ones: at the least,
  double library_most;   ///< and at the most
};

/// Where all of it was seen, for people.
inline constexpr std::string_view source_of_accuracy = "docs/results/evidence.md";

/// A row of the table, over cells of evidence.
struct OwnAccuracy {
  bool shared_hosts;  ///< hosts have several ranks
  double most_bps;    ///< of the fastest link of a host
  int cells;
  double off;  ///< this part of the true time at most
};
struct LibraryAccuracy {
  NativeLibrary library;
  bool shared_hosts;
  int cells;
  double least;  ///< true over predicted time
  double most;
};

/// `fastest_bps`: of links of hosts.
[[nodiscard]] Accuracy accuracy_of(NativeLibrary library, Rank ranks_per_host, double fastest_bps);

/// Of two plans that one model compares on one network: what promises less is within its error.
inline constexpr double least_gain_of_a_model = 1.1;

}  // namespace trunkline
