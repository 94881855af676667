// SPDX-License-Identifier: Apache-2.0
// The sections of a cluster file.
#pragma once

#include "network/file/parts_read.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

/// From the mapping with all keys. After the defaults and the switches.
void read_hosts(const YamlNode& root, PartsRead& read);

/// Adds what `links` of the root lists, if it is there. An entry joins two nodes both ways (`between`), or leads one
/// way (`from`, `to`): then another one must lead back, and both are one link. Switches and hosts are known already.
void read_links(const YamlNode& root, PartsRead& read);

/// Adds the switches to what has been read; false, and a fault, where some are not known.
[[nodiscard]] bool read_switches(const YamlNode& switches, PartsRead& read);

}  // namespace trunkline
