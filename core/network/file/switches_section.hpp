// SPDX-License-Identifier: Apache-2.0
// The switches of a cluster file: host lists, and entries of switches that have settings of their own.
#pragma once

#include "network/file/parts_read.hpp"

namespace trunkline {

/// Adds the switches to what has been read; false, and a fault, where some are not known.
[[nodiscard]] bool read_switches(const YamlNode& switches, PartsRead& read);

}  // namespace trunkline
