// SPDX-License-Identifier: Apache-2.0
// How fast the memory of a host is for ranks that hand data on in it, by its processors.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace trunkline {

/// Of two ranks on two processors, as measured: docs/results/one-host.md. Rates are for what a processor has in its own
/// cache, for what the processors of a host have in theirs, and for what is in memory.
struct MemorySpeeds {
  std::string_view name;
  double tree_s = 0.0;     ///< of each way through a tree, up or down, besides its steps
  double round_s = 0.0;    ///< of each round, besides its transfers
  double message_s = 0.0;  ///< of who hands a segment on, and of each who takes it
  double further_s = 0.0;  ///< of the sender, for each further receiver of the same segment
  double operation_s = 0.0;
  std::array<double, 3> copy_byte_s{};
  /// By two ranks that exchange all that they combine, besides: what is read by the other one may not change yet.
  double exchange_copies = 0.0;
  std::array<double, 3> combine{};  ///< times as long as a library takes for a byte that is in the cache
  std::uint64_t cache_bytes = 0;
  std::uint64_t shared_cache_bytes = 0;
  /// A message to one rank that is at least so long is read from its sender's own memory, by a system call, instead of
  /// copied in and out. Where that never pays there is no such length.
  std::uint64_t read_from_bytes = std::numeric_limits<std::uint64_t>::max();
  double read_s = 0.0;
  double read_byte_s = 0.0;             ///< to where the program wants it
  double read_to_combine_byte_s = 0.0;  ///< to memory that the processor has just used
  /// A copy into a slot that takes longer is slow: the copies go past the caches then. Where that was not measured none
  /// is.
  double slow_copy_byte_s = std::numeric_limits<double>::infinity();

  [[nodiscard]] double at_size(const std::array<double, 3>& rates, std::uint64_t bytes) const {
    if (bytes <= cache_bytes) return rates[0];
    return bytes <= shared_cache_bytes ? rates[1] : rates[2];
  }
};

/// AMD EPYC, virtual, both processors share 32 MiB of cache. What counts where nothing is said.
inline constexpr MemorySpeeds usual_memory_speeds{.name = "epyc",
                                                  .message_s = 0.2e-6,
                                                  .further_s = 0.06e-6,
                                                  .operation_s = 0.2e-6,
                                                  .copy_byte_s = {0.013e-9, 0.021e-9, 0.036e-9},
                                                  .combine = {1.0, 1.0, 2.2},
                                                  .cache_bytes = std::uint64_t{512} << 10,
                                                  .shared_cache_bytes = std::uint64_t{8} << 20,
                                                  .slow_copy_byte_s = 0.12e-9};

/// Throws std::invalid_argument with the names there are.
[[nodiscard]] const MemorySpeeds& memory_speeds_named(std::string_view name);

/// Of the processor that this runs on, as far as it says whose it is. One that was not measured counts as the slower
/// one: there plans have the least to gain.
[[nodiscard]] const MemorySpeeds& memory_speeds_here();

}  // namespace trunkline
