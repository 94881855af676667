// SPDX-License-Identifier: Apache-2.0
// A file, or a folder with all that is in it, from rank 0's host to a folder on all hosts.
#pragma once

#include <string>

#include "hosts.hpp"
#include "options.hpp"
#include "transfer.hpp"

namespace trunkline::copy {

/// All writers call it.
[[nodiscard]] Result copy_one(const std::string& file, const Writers& writers, const Options& options);

}  // namespace trunkline::copy
