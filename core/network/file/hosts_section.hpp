// SPDX-License-Identifier: Apache-2.0
// The hosts of a cluster file, with the switches that each entry deals them over.
#pragma once

#include "network/file/parts_read.hpp"

namespace trunkline {

/// From the mapping with all keys. After the defaults and the switches.
void read_hosts(const YamlNode& root, PartsRead& read);

}  // namespace trunkline
