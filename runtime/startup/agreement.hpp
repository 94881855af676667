// SPDX-License-Identifier: Apache-2.0
// The one exchange that makes all ranks decide alike.
#pragma once

#include <memory>

#include "startup/world.hpp"

namespace trunkline::runtime {

/// Collective over MPI_COMM_WORLD. The world, where every rank could read its settings and all read the same; else
/// null on all ranks, after a warning from the lowest rank that differs or failed, or, where one of them is strict,
/// the end of the job. Null without a word where all ranks were told to change nothing.
[[nodiscard]] std::unique_ptr<World> agree(LocalView view, bool strict);

}  // namespace trunkline::runtime
