// SPDX-License-Identifier: Apache-2.0
// How fast the memory of a host is for ranks that hand data on in it, by its processors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace trunkline {

/// The speed of messages of up to `bytes` bytes.
struct MemoryReach {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  double copy_byte_s = 0.0;
  double combine = 1.0;  ///< times as long as a library takes for a byte that is in the cache
};

/// Of two ranks on two processors, as measured: docs/results/one-host.md.
struct MemorySpeeds {
  std::string_view name;
  double tree_s = 0.0;     ///< of each way through a tree, up or down, besides its steps
  double round_s = 0.0;    ///< of each round, besides its transfers
  double message_s = 0.0;  ///< of who hands a segment on, and of each who takes it
  double further_s = 0.0;  ///< of the sender, for each further receiver of the same segment
  double operation_s = 0.0;
  /// From short messages to long ones; the last that counts has no limit.
  std::array<MemoryReach, 4> reaches{};
  /// Further copies by two ranks that exchange all that they combine: data that the other one reads may not change yet.
  double exchange_copies = 0.0;
  double own_share_copies = 0.0;  ///< by each rank whose share goes to all, of its own to where all of them go
  /// A message to one rank that is at least so long is read from its sender's own memory, by a system call, instead of
  /// copied in and out. Where that never pays there is no such length.
  std::uint64_t read_from_bytes = std::numeric_limits<std::uint64_t>::max();
  double read_s = 0.0;
  double read_byte_s = 0.0;             ///< to where the program wants it
  double read_to_combine_byte_s = 0.0;  ///< to memory that the processor has just used
  /// Slots that are used before one is used again: their bytes are to have left the reader's own cache by then.
  std::uint32_t slots_in_turn = 16;
  /// A copy into a slot that takes longer is slow: the copies go past the caches then. Where that was not measured none
  /// is.
  double slow_copy_byte_s = std::numeric_limits<double>::infinity();

  [[nodiscard]] const MemoryReach& reach(std::uint64_t bytes) const {
    return *std::ranges::find_if(reaches, [&](const MemoryReach& one) { return bytes <= one.bytes; });
  }
};

/// AMD EPYC, 4th generation, virtual, each processor with 1 MiB of cache of its own. What counts where nothing is said.
/// Slots of short messages are fewer bytes than that, so who writes there waits for the reader's cache.
inline constexpr MemorySpeeds usual_memory_speeds{.name = "epyc",
                                                  .round_s = 0.2e-6,
                                                  .message_s = 0.3e-6,
                                                  .further_s = 0.06e-6,
                                                  .operation_s = 0.2e-6,
                                                  .reaches = {{{std::uint64_t{24} << 10, 0.07e-9, 1.0},
                                                               {std::uint64_t{1} << 20, 0.026e-9, 1.75},
                                                               {std::uint64_t{4} << 20, 0.036e-9, 1.9},
                                                               {.copy_byte_s = 0.105e-9, .combine = 3.5}}},
                                                  .own_share_copies = 0.5,
                                                  .slots_in_turn = 64,
                                                  .slow_copy_byte_s = 0.12e-9};

/// Throws std::invalid_argument with the names there are.
[[nodiscard]] const MemorySpeeds& memory_speeds_named(std::string_view name);

/// Of the processor that this runs on, as far as it names its maker. `handing_over_s`: two ranks hand 16 KiB over
/// through one slot, again and again, in that time each; infinity: not known. One that was not measured counts as the
/// slowest one: there plans have the least to gain.
[[nodiscard]] const MemorySpeeds& memory_speeds_here(double handing_over_s = std::numeric_limits<double>::infinity());

}  // namespace trunkline
