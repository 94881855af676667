// SPDX-License-Identifier: Apache-2.0
#include "cluster/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cluster/spelling.hpp"
#include "cluster/yaml_text.hpp"

namespace trunkline {

namespace {

struct Unit {
  std::string_view name;
  int exponent;  ///< of ten (rates and times) or of two (bytes)
};

constexpr std::array rate_units{Unit{"bit", 0}, Unit{"kbit", 3}, Unit{"Mbit", 6}, Unit{"Gbit", 9}};
constexpr std::array time_units{Unit{"ns", -9}, Unit{"us", -6}, Unit{"ms", -3}, Unit{"s", 0}};
constexpr std::array byte_units{Unit{"B", 0}, Unit{"KiB", 10}, Unit{"MiB", 20}, Unit{"GiB", 30}};

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
  throw BadQuantity(quoted(unit_text) + " is no unit of a " + what + did_you_mean(unit_text, names) + "; known are " +
                    all);
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
  if (std::isinf(value)) {
    throw BadQuantity("the rate " + std::string(text) + " is out of range");
  }
  return value;
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

std::uint64_t parse_bytes(std::string_view text) {
  const Parsed parsed = parse_with_unit(text, byte_units, "size", "4KiB");
  std::uint64_t count = 0;
  const char* last = parsed.number.data() + parsed.number.size();
  const auto [end, error] = std::from_chars(parsed.number.data(), last, count);
  if (error != std::errc() || end != last || count == 0) {
    throw BadQuantity("the size " + std::string(text) + " must be a whole number above zero");
  }
  if (count > (std::numeric_limits<std::uint64_t>::max() >> parsed.unit->exponent)) {
    throw BadQuantity("the size " + std::string(text) + " is out of range");
  }
  return count << parsed.unit->exponent;
}

std::string format_rate(double bits_per_second) { return format(bits_per_second, rate_units, "bit"); }

std::string format_time(double seconds) { return format(seconds, time_units, "s"); }

std::string format_bytes(std::uint64_t bytes) {
  const Unit* unit = &byte_units.front();
  for (const Unit& candidate : byte_units) {
    unit = bytes % (1ULL << candidate.exponent) == 0 ? &candidate : unit;
  }
  return std::to_string(bytes >> unit->exponent) + std::string(unit->name);
}

}  // namespace trunkline
