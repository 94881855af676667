// SPDX-License-Identifier: Apache-2.0
// Scripts of a lab: what happens to links of a running network, and when. YAML, checked against the cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "network/cluster.hpp"
#include "network/file/link_change.hpp"

namespace trunkline {

/// Changes that are made at once.
struct LabStep {
  double at_s = 0.0;  ///< since the program started
  std::vector<LinkChange> changes;

  /// As parse_link_changes() reads it.
  [[nodiscard]] std::string text() const;
};

/// The steps in the order of time. `file` is for messages. Throws FaultyFile with all faults.
[[nodiscard]] std::vector<LabStep> parse_lab_script(std::string_view yaml, const std::string& file,
                                                    const Cluster& cluster);

/// Throws FaultyFile, also where the file cannot be read.
[[nodiscard]] std::vector<LabStep> read_lab_script(const std::string& path, const Cluster& cluster);

}  // namespace trunkline
