// SPDX-License-Identifier: Apache-2.0
// Numbers with their units: 100Mbit, 20us, 4KiB.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trunkline {

inline constexpr std::uint64_t kib = 1024;

/// A quantity that cannot be read; the message says what would be right.
class BadQuantity : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a link may carry, bits per second: with rates beyond, times and their sums are no numbers any more.
inline constexpr double least_rate_bps = 1e-3;
inline constexpr double most_rate_bps = 1e18;

/// Bits per second from "100Mbit"; decimal units bit, kbit, Mbit, Gbit. Above zero.
[[nodiscard]] double parse_rate(std::string_view text);

/// A link of `width` equal ones side by side (a LAG, a bond), each of that rate.
struct LinkRate {
  double bps = 0.0;  ///< of one of them
  std::uint32_t width = 1;
};

/// The most links that a file may state as one; more is a mistyped number.
inline constexpr std::uint32_t widest_link = 1024;

/// "10Gbit", or "2x10Gbit" for two links side by side.
[[nodiscard]] LinkRate parse_link_rate(std::string_view text);

/// Seconds from "20us"; units ns, us, ms, s. Zero or more.
[[nodiscard]] double parse_time(std::string_view text);

/// A share of 0 to 1 from "2.5%".
[[nodiscard]] double parse_share(std::string_view text);

/// Frames a second from "1000/s". Above zero.
[[nodiscard]] double parse_frame_rate(std::string_view text);

/// Bytes from "2832B", "4KiB", "1.5MB"; units B, KiB, MiB, GiB, kB, MB, GB. A whole number of bytes above zero.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text);

/// The shortest text that reads back as the same number: "100Mbit", "0.5us", "0s".
[[nodiscard]] std::string format_rate(double bits_per_second);
/// For people: "941 Mbit/s", three digits.
[[nodiscard]] std::string rate_text(double bits_per_second);
/// "2x10Gbit"; of one link as format_rate().
[[nodiscard]] std::string format_link_rate(const LinkRate& rate);
[[nodiscard]] std::string format_time(double seconds);
/// The same with four digits: no median is known better. Nothing is below zero.
[[nodiscard]] std::string format_short_time(double seconds);
[[nodiscard]] std::string format_share(double share);
[[nodiscard]] std::string format_frame_rate(double frames_per_second);
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace trunkline
