// SPDX-License-Identifier: Apache-2.0
// What the libraries' own calls take where all ranks are on one host, as measured.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "collective/collective.hpp"
#include "model/native/native_times.hpp"
#include "model/transfer/host_costs.hpp"

namespace trunkline {

/// By the library whose costs `hosts` are, on their processors. Measured with two ranks on two processors; of more
/// ranks each has as much to send as the least that the collective allows, and of what a library adds to that nothing
/// is known, so it is not counted: they take this long at least. Null where that library's calls were not measured, and
/// for barriers.
[[nodiscard]] std::unique_ptr<const NativeTimes> native_within_host(Collective collective, Rank ranks,
                                                                    const HostCosts& hosts);

/// The sizes that were measured, ascending: between them times are interpolated.
[[nodiscard]] std::span<const std::uint64_t> sizes_within_host();

}  // namespace trunkline
