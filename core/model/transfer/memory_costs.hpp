// SPDX-License-Identifier: Apache-2.0
// What ranks of one host alone take to hand data on in the memory that they share (runtime/transport/memory): the one
// place that says so, for every plan whose ranks are all on one host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/transfer/memory_speeds.hpp"

namespace trunkline {

/// Of a message of so many bytes, by these processors, where the library adds a byte in so many seconds (HostCosts).
/// Each segment is copied in by its sender, once for all who take it, and out by each of those.
class MemoryCosts {
 public:
  MemoryCosts(std::uint64_t message_bytes, const MemorySpeeds& speeds, double combine_byte_s)
      : speeds_(speeds),
        copy_byte_s_(speeds.reach(message_bytes).copy_byte_s),
        combine_byte_s_(combine_byte_s * speeds.reach(message_bytes).combine) {}

  /// Of the one who sends a segment, and of each who takes it.
  [[nodiscard]] double hand_s(std::uint64_t bytes) const {
    return speeds_.message_s + copy_byte_s_ * static_cast<double>(bytes);
  }
  /// Of the sender, for each further receiver of the same segment.
  [[nodiscard]] double further_s() const { return speeds_.further_s; }
  /// Of who adds a segment to its own.
  [[nodiscard]] double combine_s(std::uint64_t bytes) const {
    return speeds_.operation_s + combine_byte_s_ * static_cast<double>(bytes);
  }
  /// Of a message from one rank to another, who perhaps adds it to its own: by pieces, or read from its sender's
  /// memory.
  [[nodiscard]] double transfer_s(std::uint64_t bytes, bool reduces) const {
    const auto all = static_cast<double>(bytes);
    const double combined_s = reduces ? combine_byte_s_ * all : 0.0;
    if (bytes >= speeds_.read_from_bytes) {
      const double byte_s = reduces ? speeds_.read_to_combine_byte_s : speeds_.read_byte_s;
      return speeds_.read_s + byte_s * all + (reduces ? speeds_.operation_s : 0.0) + combined_s;
    }
    const double pieces = std::max(all / static_cast<double>(longest_segment), 1.0);
    const double piece_s = 2.0 * speeds_.message_s + (reduces ? speeds_.operation_s : 0.0);
    return pieces * piece_s + 2.0 * copy_byte_s_ * all + combined_s;
  }

  /// Of an exchange of all that two ranks combine, besides.
  [[nodiscard]] double exchange_s(double bytes) const { return speeds_.exchange_copies * copy_byte_s_ * bytes; }
  /// Of a rank's own share of so many bytes, which goes to all.
  [[nodiscard]] double own_share_s(double bytes) const { return speeds_.own_share_copies * copy_byte_s_ * bytes; }

  /// A longer segment to several would be read from its sender's own memory, which takes a system call and time to pin
  /// its pages.
  static constexpr std::uint64_t longest_segment = std::uint64_t{32} << 10;

 private:
  const MemorySpeeds& speeds_;
  double copy_byte_s_;
  double combine_byte_s_;
};

}  // namespace trunkline
