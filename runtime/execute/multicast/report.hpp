// SPDX-License-Identifier: Apache-2.0
// What a rank and all below it in the confirm tree lack of a message, as of a poll: docs/multicast.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trunkline::runtime {

/// Blocks from the one with the first missing packet on.
inline constexpr std::uint32_t widest_report = 64;

struct Report {
  std::uint32_t poll = 0;           ///< that is answered
  std::uint32_t end = 0;            ///< it speaks of all packets before that
  std::uint32_t base = 0;           ///< everybody has all before that, and it is at most `end`
  std::uint32_t block_packets = 1;  ///< of the message; known to all, so that it is not sent
  double lost = 0.0;                ///< of the packets sent so far: what the rank that heard least missed
  std::array<std::uint8_t, widest_report> lacks{};  ///< by block, from that of `base` on: the most that a rank lacks

  [[nodiscard]] std::uint32_t first_block() const noexcept { return base / block_packets; }
  /// Of a block's packets before `end`: how many packets would serve every rank.
  [[nodiscard]] std::uint32_t lacks_of(std::uint32_t block) const;
  void set_lacks(std::uint32_t block, std::uint32_t packets);

  /// The most that a report from `base` on may speak of.
  [[nodiscard]] static std::uint32_t most_end(std::uint32_t base, std::uint32_t block_packets) {
    return (base / block_packets + widest_report) * block_packets;
  }

  /// Of a rank that has all packets and needs nothing more.
  [[nodiscard]] static Report of_done(std::uint32_t packets, std::uint32_t block_packets);
};

/// Of the ranks of both, which speak of the same message. Of the block in which one ends it may say that more is
/// lacking than before its end.
[[nodiscard]] Report joined(const Report& one, const Report& other);

/// The same of packets before `end` alone.
[[nodiscard]] Report clipped(const Report& report, std::uint32_t end);

/// As a datagram's payload, without what is zero at the end.
[[nodiscard]] std::vector<std::byte> written(const Report& report);

/// Of `packets` in blocks of `block_packets`; empty for what no rank writes.
[[nodiscard]] std::optional<Report> read_report(std::span<const std::byte> payload, std::uint32_t end,
                                                std::uint32_t poll, std::uint32_t packets, std::uint32_t block_packets);

}  // namespace trunkline::runtime
