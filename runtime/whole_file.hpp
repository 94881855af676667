// SPDX-License-Identifier: Apache-2.0
// Small files in a folder that others may write to.
#pragma once

#include <string>

namespace trunkline::runtime {

/// Puts a text in the place of a file: who reads the folder meanwhile sees all of it or nothing. The text goes to a new
/// file first, whose name no one can know before, and a link that has the name of either is never followed. Returns
/// whether it worked; else errno says why not, and nothing is left.
[[nodiscard]] bool write_whole(const std::string& path, const std::string& text);

}  // namespace trunkline::runtime
