// SPDX-License-Identifier: Apache-2.0
// What ranks of one host alone take to hand data on in the memory that they share (runtime/transport/memory): the one
// place that says so, for every plan whose ranks are all on one host.
#pragma once

#include <cstdint>

namespace trunkline {

/// Of a message of so many bytes, where the library adds a byte in so many seconds (HostCosts). Each segment is copied
/// in by its sender, once for all who take it, and out by each of those. Measured with two ranks on two processors
/// under four libraries, and how: docs/results/one-host.md.
class MemoryCosts {
 public:
  MemoryCosts(std::uint64_t message_bytes, double combine_byte_s)
      : copy_byte_s_(by_size(message_bytes, 0.013e-9, 0.021e-9, 0.036e-9)),
        combine_byte_s_(combine_byte_s * by_size(message_bytes, 1.0, 1.0, 2.2)) {}

  /// Of the one who sends a segment, and of each who takes it.
  [[nodiscard]] double hand_s(std::uint64_t bytes) const {
    return message_s + copy_byte_s_ * static_cast<double>(bytes);
  }
  /// Of who adds a segment to its own.
  [[nodiscard]] double combine_s(std::uint64_t bytes) const {
    return operation_s + combine_byte_s_ * static_cast<double>(bytes);
  }

  /// Of the sender, for each further receiver of the same segment.
  static constexpr double further_s = 0.06e-6;
  /// A longer segment would be read from its sender's own memory, which takes a system call and time to pin its pages.
  static constexpr std::uint64_t longest_segment = std::uint64_t{32} << 10;

 private:
  static constexpr double message_s = 0.2e-6;
  static constexpr double operation_s = 0.2e-6;

  /// What a processor has in its own cache, what the processors of a host have in theirs, and what is in memory.
  static double by_size(std::uint64_t bytes, double in_cache, double in_shared_cache, double in_memory) {
    constexpr std::uint64_t cache = std::uint64_t{512} << 10;
    constexpr std::uint64_t shared_cache = std::uint64_t{8} << 20;
    if (bytes <= cache) return in_cache;
    return bytes <= shared_cache ? in_shared_cache : in_memory;
  }

  double copy_byte_s_;
  double combine_byte_s_;
};

}  // namespace trunkline
