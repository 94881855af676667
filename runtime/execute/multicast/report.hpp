// SPDX-License-Identifier: Apache-2.0
// What a rank and all below it in the confirm tree have of a message, as of a poll: docs/multicast.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trunkline::runtime {

/// Packets that may be told apart from the first missing one on.
inline constexpr std::uint32_t widest_report = 1024;

struct Report {
  static constexpr std::size_t words = widest_report / 64;

  std::uint32_t poll = 0;                      ///< that is answered
  std::uint32_t end = 0;                       ///< it speaks of all packets before that
  std::uint32_t base = 0;                      ///< everybody has all before that, and it is at most `end`
  std::array<std::uint64_t, words> missing{};  ///< from `base` on: somebody lacks it

  [[nodiscard]] bool lacks(std::uint32_t packet) const;
  void add_missing(std::uint32_t packet);

  /// Of a rank that has all packets and needs nothing more.
  [[nodiscard]] static Report of_done(std::uint32_t packets);
};

/// Of the ranks of both.
[[nodiscard]] Report joined(const Report& one, const Report& other);

/// The same of packets before `end` alone.
[[nodiscard]] Report clipped(const Report& report, std::uint32_t end);

/// As a datagram's payload, without what is zero at the end.
[[nodiscard]] std::vector<std::byte> written(const Report& report);

/// Of `packets`; empty for what no rank writes.
[[nodiscard]] std::optional<Report> read_report(std::span<const std::byte> payload, std::uint32_t end,
                                                std::uint32_t poll, std::uint32_t packets);

}  // namespace trunkline::runtime
