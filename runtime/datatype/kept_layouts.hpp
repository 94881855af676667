// SPDX-License-Identifier: Apache-2.0
// What a datatype is made of is read once, at its first broadcast, and kept with the datatype.
#pragma once

#include <memory>

#include "datatype/layout.hpp"

namespace trunkline::runtime {

/// The layout of a committed datatype; it stays usable when the datatype is freed meanwhile. Any thread may call this
/// at any time. Throws MpiError.
[[nodiscard]] std::shared_ptr<const Layout> layout_of(MPI_Datatype type);

}  // namespace trunkline::runtime
