// SPDX-License-Identifier: Apache-2.0
// The tree of a plan file, from what people write to what the checker passes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/yaml_document.hpp"
#include "plan/tree.hpp"

namespace trunkline {

inline constexpr Rank most_ranks = 1'000'000;

/// Reports where `root` is missing, or neither or both of `line` and `sends` are there.
void check_tree_keys(const YamlNode& plan, Faults& faults);

/// Reads `root` and either `line` (ranks in order, ranges such as 4-7 allowed) or `sends` (for each rank the ranks it
/// sends to, in order). A rank may be named by its host where `host_of_rank` gives that host one rank.
/// Empty where check_tree_keys() found a fault and, with every fault reported where it stands, unless each of `ranks`
/// ranks is reached from the root once.
[[nodiscard]] std::optional<Tree> read_tree(const YamlNode& plan, Rank ranks,
                                            const std::vector<std::string>& host_of_rank, Faults& faults);

}  // namespace trunkline
