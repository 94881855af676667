// SPDX-License-Identifier: Apache-2.0
// Where the file of a cluster is.
#pragma once

#include <string>

namespace trunkline::runtime {

/// The file that TRUNKLINE_CLUSTER means: itself where it has a slash or ends in .yaml or .yml, else the bundled
/// cluster of that name, which is kept in ../clusters from this library's own file. Throws std::invalid_argument
/// where no such cluster is bundled.
[[nodiscard]] std::string cluster_path(const std::string& name_or_file);

}  // namespace trunkline::runtime
