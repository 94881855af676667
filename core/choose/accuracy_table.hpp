// SPDX-License-Identifier: Apache-2.0
// Written by tools/accuracy_table.py from bench/evidence/cells.json.
#pragma once

#include <array>
#include <limits>

#include "choose/accuracy.hpp"

namespace trunkline {

inline constexpr std::array<OwnAccuracy, 6> own_accuracy{{
    {.shared_hosts = false, .most_bps = 1e+09, .cells = 230, .off = 0.15},
    {.shared_hosts = false, .most_bps = 1e+10, .cells = 202, .off = 0.11},
    {.shared_hosts = false, .most_bps = std::numeric_limits<double>::infinity(), .cells = 214, .off = 0.12},
    {.shared_hosts = true, .most_bps = 1e+09, .cells = 204, .off = 0.15},
    {.shared_hosts = true, .most_bps = 1e+10, .cells = 190, .off = 0.15},
    {.shared_hosts = true, .most_bps = std::numeric_limits<double>::infinity(), .cells = 219, .off = 0.11},
}};

inline constexpr std::array<LibraryAccuracy, 4> library_accuracy{{
    {.library = NativeLibrary::mpich, .shared_hosts = false, .cells = 323, .least = 0.82, .most = 1.23},
    {.library = NativeLibrary::mpich, .shared_hosts = true, .cells = 429, .least = 0.81, .most = 1.26},
    {.library = NativeLibrary::openmpi, .shared_hosts = false, .cells = 202, .least = 0.54, .most = 1.27},
    {.library = NativeLibrary::openmpi, .shared_hosts = true, .cells = 302, .least = 0.51, .most = 1.20},
}};

}  // namespace trunkline
