// SPDX-License-Identifier: Apache-2.0
// Cluster files: YAML for people, read with every fault reported at once, written back in the same form.
#pragma once

#include <string>
#include <string_view>

#include "network/cluster.hpp"
#include "text/fault.hpp"

namespace trunkline {

/// Reads a cluster from YAML text. `file` is only used in fault messages.
/// Throws FaultyFile with all faults.
[[nodiscard]] Cluster parse_cluster(std::string_view yaml, const std::string& file);

/// Reads a cluster file. Throws FaultyFile (also where the file cannot be read).
[[nodiscard]] Cluster read_cluster(const std::string& path);

/// YAML that parse_cluster reads back to an equal cluster (same fingerprint).
[[nodiscard]] std::string write_cluster(const Cluster& cluster);

}  // namespace trunkline
