// SPDX-License-Identifier: Apache-2.0
// The processors that the ranks of a host may run on: where there are fewer than ranks, a rank that waits is in the
// way.
#pragma once

#include <cstdint>
#include <vector>

namespace trunkline::runtime {

/// Those of one rank: how many, and a digest of which.
struct AllowedProcessors {
  std::uint64_t digest = 0;
  std::uint64_t count = 1;
};

/// By the affinity of this thread.
[[nodiscard]] AllowedProcessors own_processors() noexcept;

/// `all`: of each rank of this host. Launchers bind ranks to processors of their own, or several to the same ones;
/// where such sets overlap and differ, processors may count twice, but never above those that are online.
[[nodiscard]] unsigned processors_of_all(std::vector<AllowedProcessors> all);

}  // namespace trunkline::runtime
