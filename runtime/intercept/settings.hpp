// SPDX-License-Identifier: Apache-2.0
// The settings of the preload library, all of them, from the environment.
#pragma once

#include <stdexcept>

#include "startup/setup.hpp"

namespace trunkline::runtime {

/// Unknown variables or values; the message names all of them and lists the settings.
class BadSettings : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the variables of `environment`, a null-terminated list of "NAME=VALUE". An empty value counts as none.
/// Throws BadSettings, unless TRUNKLINE_DISABLE=1 is among them.
[[nodiscard]] Setup read_settings(const char* const* environment);

}  // namespace trunkline::runtime
