// SPDX-License-Identifier: Apache-2.0
// Lists of ranks in plan files, for people to read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "patterns/tree.hpp"

namespace trunkline {

/// [a, b, c], broken into lines no longer than people like to read.
void append_list(std::string& out, const std::vector<std::string>& items, std::size_t indent);

/// In order, three or more consecutive ones as a range.
[[nodiscard]] std::vector<std::string> ranges_of(const std::vector<Rank>& order);

/// For each rank of a tree that has any, those below it: a line for each, that far indented.
void append_children(std::string& out, const Tree& tree, std::size_t indent);

}  // namespace trunkline
