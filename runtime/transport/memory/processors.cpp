// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <ranges>

namespace trunkline::runtime {
namespace {

std::uint64_t online() noexcept { return static_cast<std::uint64_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)); }

}  // namespace

AllowedProcessors own_processors() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {.count = online()};  // more than a set holds
  constexpr std::uint64_t basis = 14695981039346656037U;                                // FNV-1a's
  constexpr std::uint64_t prime = 1099511628211U;
  AllowedProcessors own{.digest = basis, .count = static_cast<std::uint64_t>(CPU_COUNT(&allowed))};
  for (std::size_t one = 0; one < CPU_SETSIZE; ++one) {
    own.digest = (own.digest ^ (CPU_ISSET(one, &allowed) ? 1U : 0U)) * prime;
  }
  return own;
}

unsigned processors_of_all(std::vector<AllowedProcessors> all) {
  std::ranges::sort(all, {}, &AllowedProcessors::digest);
  const auto repeated = std::ranges::unique(all, {}, &AllowedProcessors::digest);
  std::uint64_t count = 0;
  for (const AllowedProcessors& one : std::ranges::subrange(all.begin(), repeated.begin())) count += one.count;
  return static_cast<unsigned>(std::clamp(count, std::uint64_t{1}, online()));
}

}  // namespace trunkline::runtime
