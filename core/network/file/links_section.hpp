// SPDX-License-Identifier: Apache-2.0
// The part of a cluster file that says how switches are joined.
#pragma once

#include "network/file/parts_read.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

/// Adds what `links` of the root lists, if it is there. An entry joins two nodes both ways (`between`), or leads one
/// way
/// (`from`, `to`): then another one must lead back, and both are one link. Switches and hosts are known already.
void read_links(const YamlNode& root, PartsRead& read);

}  // namespace trunkline
