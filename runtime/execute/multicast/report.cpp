// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/report.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace trunkline::runtime {
namespace {

constexpr std::uint32_t word_bits = 64;
constexpr std::size_t base_bytes = 8;  ///< the base, and 4 bytes of zero

/// Adds what a report says is missing to another one with a lower base, or the same.
void add(Report& to, const Report& from) {
  const std::uint32_t shift = from.base - to.base;
  const std::uint32_t bits = shift % word_bits;
  for (std::size_t i = 0; i < Report::words; ++i) {
    const std::size_t place = i + shift / word_bits;
    if (place >= Report::words) return;
    to.missing[place] |= from.missing[i] << bits;
    if (bits != 0 && place + 1 < Report::words) to.missing[place + 1] |= from.missing[i] >> (word_bits - bits);
  }
}

void forget_from(Report& report, std::uint32_t end) {
  const std::uint32_t kept = end - report.base;
  for (std::uint32_t i = 0; i < Report::words; ++i) {
    if (kept >= (i + 1) * word_bits) continue;
    report.missing[i] &= kept <= i * word_bits ? 0 : (std::uint64_t{1} << (kept - i * word_bits)) - 1;
  }
}

}  // namespace

bool Report::lacks(std::uint32_t packet) const {
  if (packet < base || packet - base >= widest_report) return false;
  return (missing[(packet - base) / word_bits] >> ((packet - base) % word_bits) & 1U) != 0;
}

void Report::add_missing(std::uint32_t packet) {
  missing[(packet - base) / word_bits] |= std::uint64_t{1} << ((packet - base) % word_bits);
}

Report Report::of_done(std::uint32_t packets) {
  return {.poll = std::numeric_limits<std::uint32_t>::max(), .end = packets, .base = packets};
}

Report joined(const Report& one, const Report& other) {
  const Report& low = one.base <= other.base ? one : other;
  const Report& high = one.base <= other.base ? other : one;
  Report both = low;
  both.poll = std::min(one.poll, other.poll);
  both.end = std::min({one.end, other.end, low.base + widest_report});
  add(both, high);
  forget_from(both, both.end);
  return both;
}

Report clipped(const Report& report, std::uint32_t end) {
  if (report.end <= end) return report;
  if (report.base >= end) return {.poll = report.poll, .end = end, .base = end};
  Report less = report;
  less.end = end;
  forget_from(less, end);
  return less;
}

std::vector<std::byte> written(const Report& report) {
  std::size_t used = Report::words;
  while (used > 0 && report.missing[used - 1] == 0) --used;
  std::vector<std::byte> bytes(base_bytes + used * sizeof(std::uint64_t));
  std::memcpy(bytes.data(), &report.base, sizeof report.base);
  std::memcpy(bytes.data() + base_bytes, report.missing.data(), used * sizeof(std::uint64_t));
  return bytes;
}

std::optional<Report> read_report(std::span<const std::byte> payload, std::uint32_t end, std::uint32_t poll,
                                  std::uint32_t packets) {
  if (payload.size() < base_bytes || payload.size() % sizeof(std::uint64_t) != 0) return {};
  const std::size_t bytes = payload.size() - base_bytes;
  Report report{.poll = poll, .end = end};
  if (bytes > sizeof report.missing) return {};
  std::memcpy(&report.base, payload.data(), sizeof report.base);
  std::memcpy(report.missing.data(), payload.data() + base_bytes, bytes);
  if (report.base > report.end || report.end > packets || report.end - report.base > widest_report) return {};
  forget_from(report, report.end);
  return report;
}

}  // namespace trunkline::runtime
