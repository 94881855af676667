// SPDX-License-Identifier: Apache-2.0
// Which build of this library runs: plans follow from its code as they do from the settings.
#pragma once

#include <cstdint>

namespace trunkline::runtime {

/// Of the version, the MPI library it is for, and the linker's build ID.
[[nodiscard]] std::uint64_t build_fingerprint();

}  // namespace trunkline::runtime
