// SPDX-License-Identifier: Apache-2.0
// What MPICH's own algorithms take where hosts have several ranks.
#pragma once

#include <memory>

#include "model/native/native_times.hpp"

namespace trunkline {

/// Where MPICH goes by hosts (native_choice.hpp): within each host to or from its first rank, and among those. Other
/// sizes take what they take among all ranks: `flat`. Null, and `flat` untouched, where MPICH goes by hosts for none.
[[nodiscard]] std::unique_ptr<const NativeTimes> native_by_hosts(const Paths& paths, const Placement& placement,
                                                                 Collective collective, Rank root,
                                                                 const HostCosts& hosts,
                                                                 std::unique_ptr<const NativeTimes>& flat);

}  // namespace trunkline
