// SPDX-License-Identifier: Apache-2.0
// The processors that ranks of the job share: where there are fewer than ranks, a rank that waits is in the way.
#pragma once

#include <cstdint>
#include <span>

namespace trunkline::runtime {

/// What one rank knows of its machine.
struct OnMachine {
  std::uint64_t machine = 0;     ///< a digest of the kernel's boot id: of containers on one machine the same
  std::uint64_t allowed = 0;     ///< a digest of the processors that this rank may run on
  std::uint64_t processors = 1;  ///< how many these are
};

/// By the affinity of this thread, which launchers set, and by the quota of its control group.
[[nodiscard]] OnMachine own_machine();

/// The job's part of a machine, whatever hosts of the cluster its ranks stand for.
struct Machine {
  std::uint64_t ranks = 1;
  std::uint64_t processors = 1;  ///< that they may run on
  bool is_crowded = false;       ///< some ranks have to share a processor
};

/// `all`: of each rank of the job. Launchers bind ranks to processors of their own, or several to the same ones. Where
/// such sets overlap and differ, their processors count twice, but never above those that are online.
[[nodiscard]] Machine machine_of(std::span<const OnMachine> all, const OnMachine& own);

}  // namespace trunkline::runtime
