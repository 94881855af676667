// SPDX-License-Identifier: Apache-2.0
// Numbers with their units: 100Mbit, 20us, 4KiB.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trunkline {

/// A quantity that cannot be read; the message says what would be right.
class BadQuantity : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bits per second from "100Mbit"; decimal units bit, kbit, Mbit, Gbit. Above zero.
[[nodiscard]] double parse_rate(std::string_view text);

/// Seconds from "20us"; units ns, us, ms, s. Zero or more.
[[nodiscard]] double parse_time(std::string_view text);

/// Bytes from "2832B", "4KiB", "1.5MB"; units B, KiB, MiB, GiB, kB, MB, GB. A whole number of bytes above zero.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text);

/// The shortest text that reads back as the same number: "100Mbit", "0.5us", "0s".
[[nodiscard]] std::string format_rate(double bits_per_second);
[[nodiscard]] std::string format_time(double seconds);
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace trunkline
