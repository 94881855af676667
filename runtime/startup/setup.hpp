// SPDX-License-Identifier: Apache-2.0
// What one rank was told, before the ranks agree on it.
#pragma once

#include <string>

#include "startup/bcast_choice.hpp"

namespace trunkline::runtime {

struct Setup {
  std::string cluster{};  ///< bundled name or file; empty: none
  std::string plan{};     ///< file; empty: none
  std::string tuning{};   ///< file; empty: none
  std::string host{};     ///< this rank's host; empty: the processor's name
  BcastChoice bcast{};
  double patience_s = 20.0;  ///< for ranks that have not loaded the library
  bool explain = false;
  bool strict = false;
  bool disable = false;
};

}  // namespace trunkline::runtime
