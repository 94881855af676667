// SPDX-License-Identifier: Apache-2.0
#include "text/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "text/spelling.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

struct Unit {
  std::string_view name;
  int exponent;  ///< of ten, or of two where the name says so: KiB
};

constexpr std::array rate_units{Unit{"bit", 0}, Unit{"kbit", 3}, Unit{"Mbit", 6}, Unit{"Gbit", 9}};
constexpr std::array time_units{Unit{"ns", -9}, Unit{"us", -6}, Unit{"ms", -3}, Unit{"s", 0}};
constexpr std::array share_units{Unit{"%", -2}};
constexpr std::array frame_rate_units{Unit{"/s", 0}};
constexpr std::array byte_units{Unit{"B", 0},  Unit{"KiB", 10}, Unit{"MiB", 20}, Unit{"GiB", 30},
                                Unit{"kB", 3}, Unit{"MB", 6},   Unit{"GB", 9}};
constexpr std::size_t written_byte_units = 4;  ///< the first ones; decimal ones are read alone

struct Parsed {
  std::string_view number;
  const Unit* unit;
};

/// "-12.5e3 kbit" into its number and its unit; `what` and `example` go into messages.
Parsed parse_with_unit(std::string_view text, std::span<const Unit> units, const char* what, const char* example) {
  double ignored = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  const auto length = static_cast<std::size_t>(end - text.data());
  const bool is_number = error != std::errc::invalid_argument && !text.empty() &&
                         std::string_view("0123456789-.").find(text.front()) != std::string_view::npos;
  std::string all;
  std::vector<std::string_view> names;
  for (const Unit& unit : units) {
    all += (all.empty() ? "" : ", ") + std::string(unit.name);
    names.push_back(unit.name);
  }
  if (!is_number) {
    throw BadQuantity(quoted(text) + " is no " + what + "; write a number and a unit (" + all + "), such as " +
                      example);
  }
  std::string_view unit_text = text.substr(length);
  unit_text.remove_prefix(unit_text.starts_with(' ') ? 1 : 0);
  if (unit_text.empty()) {
    throw BadQuantity(quoted(text) + " has no unit; write one of " + all + " after the number, such as " + example);
  }
  for (const Unit& unit : units) {
    if (unit.name == unit_text) {
      return {text.substr(0, length), &unit};
    }
  }
  // Of a rate the prefix says it: 10G, 10gig and 10GbE are 10Gbit.
  const auto prefixed = std::ranges::find_if(
      names, [&](std::string_view name) { return edit_distance(name.substr(0, 1), unit_text.substr(0, 1)) == 0; });
  const bool is_rate = names.front() == "bit" && prefixed != names.end();
  const std::string meant =
      is_rate ? " (did you mean " + std::string(*prefixed) + "?)" : did_you_mean(unit_text, names);
  throw BadQuantity(quoted(unit_text) + " is no unit of a " + what + meant + "; known are " + all);
}

/// The decimal number times a power of ten, rounded once: "0.1" Gbit is exactly "100" Mbit.
double scaled(std::string_view number, int exponent) {
  const std::size_t mark = number.find_first_of("eE");
  int own = 0;
  if (mark != std::string_view::npos) {
    std::string_view digits = number.substr(mark + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), own);
    if (error != std::errc() || std::abs(own) > 400) {
      return std::numeric_limits<double>::infinity();
    }
  }
  const std::string text = std::string(number.substr(0, mark)) + "e" + std::to_string(own + exponent);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : std::numeric_limits<double>::infinity();
}

std::uint64_t bytes_in(const Unit& unit) {
  if (unit.name.ends_with("iB")) return 1ULL << unit.exponent;
  std::uint64_t bytes = 1;
  for (int i = 0; i < unit.exponent; ++i) bytes *= 10;
  return bytes;
}

/// The digits of "12.50" with its factor taken times ten for each one behind the point: 1250 and 100 for 12.50.
struct Decimal {
  std::uint64_t digits = 0;
  std::uint64_t divisor = 1;
  bool is_one = false;  ///< it is a decimal number that fits
};

Decimal decimal(std::string_view number) {
  const std::size_t point = number.find('.');
  std::string all(number.substr(0, point));
  Decimal read;
  if (point != std::string_view::npos) {
    std::string_view behind = number.substr(point + 1);
    behind = behind.substr(0, behind.find_last_not_of('0') + 1);
    if (behind.size() > 18) return read;
    for (std::size_t i = 0; i < behind.size(); ++i) read.divisor *= 10;
    all += behind;
  }
  const char* last = all.data() + all.size();
  const auto [end, error] = std::from_chars(all.data(), last, read.digits);
  read.is_one = error == std::errc() && end == last && all.front() != '-';
  return read;
}

std::string format(double value, std::span<const Unit> units, std::string_view zero_unit) {
  if (value == 0.0) {
    return "0" + std::string(zero_unit);
  }
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  std::string digits(1, text.front());
  digits += mark > 2 ? text.substr(2, mark - 2) : "";
  int exponent = 0;
  std::string_view exponent_text = text.substr(mark + 1);
  exponent_text.remove_prefix(exponent_text.starts_with('+') ? 1 : 0);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);

  const Unit* unit = &units.front();
  for (const Unit& candidate : units) {
    unit = exponent >= candidate.exponent ? &candidate : unit;
  }
  const int shift = exponent - unit->exponent;  // digits before the point, less one
  const auto count = static_cast<int>(digits.size());
  if (shift < -3 || shift > 18) {
    return std::string(text.substr(0, mark)) + "e" + std::to_string(shift) + std::string(unit->name);
  }
  if (shift < 0) {
    digits = "0." + std::string(static_cast<std::size_t>(-shift - 1), '0') + digits;
  } else if (shift + 1 >= count) {
    digits.append(static_cast<std::size_t>(shift + 1 - count), '0');
  } else {
    digits.insert(static_cast<std::size_t>(shift) + 1, ".");
  }
  return digits + std::string(unit->name);
}

}  // namespace

double parse_rate(std::string_view text) {
  const Parsed parsed = parse_with_unit(text, rate_units, "rate", "100Mbit");
  const double value = scaled(parsed.number, parsed.unit->exponent);
  if (!(value > 0.0)) {
    throw BadQuantity("the rate " + std::string(text) + " must be above zero");
  }
  if (value < least_rate_bps || value > most_rate_bps) {
    throw BadQuantity("the rate " + std::string(text) + " is out of range: from " + format_rate(least_rate_bps) +
                      " to " + format_rate(most_rate_bps));
  }
  return value;
}

LinkRate parse_link_rate(std::string_view text) {
  const std::size_t times = text.find('x');
  const std::string_view count = text.substr(0, times);
  const bool begins_like_a_number =
      !count.empty() && std::string_view("0123456789-.+").find(count.front()) != std::string_view::npos;
  if (times == std::string_view::npos || !begins_like_a_number) {
    return {.bps = parse_rate(text)};
  }
  std::uint32_t width = 0;
  const char* last = count.data() + count.size();
  const auto [end, error] = std::from_chars(count.data(), last, width);
  if (error != std::errc() || end != last || width == 0 || width > widest_link) {
    throw BadQuantity(quoted(text) + ": " + quoted(count) +
                      " is no number of links side by side; write a whole one from 1 to " +
                      std::to_string(widest_link) + ", such as 2x10Gbit");
  }
  return {.bps = parse_rate(text.substr(times + 1)), .width = width};
}

double parse_time(std::string_view text) {
  const Parsed parsed = parse_with_unit(text, time_units, "time", "20us");
  const double value = scaled(parsed.number, parsed.unit->exponent);
  if (!(value >= 0.0)) {
    throw BadQuantity("the time " + std::string(text) + " must be zero or more");
  }
  if (std::isinf(value)) {
    throw BadQuantity("the time " + std::string(text) + " is out of range");
  }
  return value;
}

double parse_share(std::string_view text) {
  const Parsed parsed = parse_with_unit(text, share_units, "share", "1%");
  const double value = scaled(parsed.number, parsed.unit->exponent);
  if (!(value >= 0.0 && value <= 1.0)) {
    throw BadQuantity("the share " + std::string(text) + " must be from 0% to 100%");
  }
  return value;
}

double parse_frame_rate(std::string_view text) {
  const Parsed parsed = parse_with_unit(text, frame_rate_units, "rate of frames", "1000/s");
  const double value = scaled(parsed.number, parsed.unit->exponent);
  if (!(value > 0.0) || value > most_rate_bps) {
    throw BadQuantity("the rate of frames " + std::string(text) + " must be above zero, and one that a link can have");
  }
  return value;
}

std::uint64_t parse_bytes(std::string_view text) {
  const Parsed parsed = parse_with_unit(text, byte_units, "size", "4KiB");
  const Decimal number = decimal(parsed.number);
  const std::uint64_t unit = bytes_in(*parsed.unit);
  if (number.is_one && number.digits > std::numeric_limits<std::uint64_t>::max() / unit) {
    throw BadQuantity("the size " + std::string(text) + " is out of range");
  }
  if (!number.is_one || number.digits == 0 || number.digits * unit % number.divisor != 0) {
    throw BadQuantity("the size " + std::string(text) + " must be a whole number of bytes above zero");
  }
  return number.digits * unit / number.divisor;
}

std::string format_rate(double bits_per_second) { return format(bits_per_second, rate_units, "bit"); }

std::string rate_text(double bits_per_second) {
  std::array<char, 32> text{};
  if (bits_per_second >= 1e9) {
    std::snprintf(text.data(), text.size(), "%.3g Gbit/s", bits_per_second / 1e9);
  } else {
    std::snprintf(text.data(), text.size(), "%.3g Mbit/s", bits_per_second / 1e6);
  }
  return text.data();
}

std::string format_link_rate(const LinkRate& rate) {
  return (rate.width == 1 ? "" : std::to_string(rate.width) + "x") + format_rate(rate.bps);
}

std::string format_time(double seconds) { return format(seconds, time_units, "s"); }

std::string format_short_time(double seconds) {
  if (seconds <= 0.0) return format_time(0.0);
  const double unit = std::pow(10.0, std::floor(std::log10(seconds)) - 3.0);
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4g", std::round(seconds / unit) * unit);
  return format_time(std::strtod(buffer.data(), nullptr));
}

std::string format_share(double share) { return format(share, share_units, "%"); }

std::string format_frame_rate(double frames_per_second) { return format(frames_per_second, frame_rate_units, "/s"); }

std::string format_bytes(std::uint64_t bytes) {
  if (bytes == 0) return "0B";  // a multiple of every unit
  const Unit* unit = &byte_units.front();
  for (const Unit& candidate : std::span(byte_units).first<written_byte_units>()) {
    unit = bytes % (1ULL << candidate.exponent) == 0 ? &candidate : unit;
  }
  return std::to_string(bytes >> unit->exponent) + std::string(unit->name);
}

}  // namespace trunkline
