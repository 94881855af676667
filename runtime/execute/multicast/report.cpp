// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace trunkline::runtime {
namespace {

constexpr std::size_t lost_at = 4;
constexpr std::size_t lacks_at = 8;  ///< after the base, the loss, and 2 bytes of zero
constexpr double all_lost = std::numeric_limits<std::uint16_t>::max();

void forget_from(Report& report, std::uint32_t end) {
  for (std::uint32_t i = 0; i < widest_report; ++i) {
    if ((report.first_block() + i) * report.block_packets >= end) report.lacks[i] = 0;
  }
}

}  // namespace

std::uint32_t Report::lacks_of(std::uint32_t block) const {
  return block < first_block() || block - first_block() >= widest_report ? 0 : lacks[block - first_block()];
}

void Report::set_lacks(std::uint32_t block, std::uint32_t packets) {
  lacks[block - first_block()] = static_cast<std::uint8_t>(packets);
}

Report Report::of_done(std::uint32_t packets, std::uint32_t block_packets) {
  return {.poll = std::numeric_limits<std::uint32_t>::max(),
          .end = packets,
          .base = packets,
          .block_packets = block_packets};
}

Report joined(const Report& one, const Report& other) {
  const Report& low = one.base <= other.base ? one : other;
  const Report& high = one.base <= other.base ? other : one;
  Report both = low;
  both.poll = std::min(one.poll, other.poll);
  both.end = std::min({one.end, other.end, Report::most_end(low.base, low.block_packets)});
  both.lost = std::max(one.lost, other.lost);
  for (std::uint32_t i = 0; i < widest_report; ++i) {
    both.lacks[i] = std::max(low.lacks[i], static_cast<std::uint8_t>(high.lacks_of(low.first_block() + i)));
  }
  forget_from(both, both.end);
  return both;
}

Report clipped(const Report& report, std::uint32_t end) {
  if (report.end <= end) return report;
  Report less = report;
  less.end = end;
  if (report.base >= end) {
    less.base = end;
    less.lacks = {};
  }
  forget_from(less, end);
  return less;
}

std::vector<std::byte> written(const Report& report) {
  std::size_t used = report.lacks.size();
  while (used > 0 && report.lacks[used - 1] == 0) --used;
  std::vector<std::byte> bytes(lacks_at + used);
  const auto lost = static_cast<std::uint16_t>(std::lround(std::clamp(report.lost, 0.0, 1.0) * all_lost));
  std::memcpy(bytes.data(), &report.base, sizeof report.base);
  std::memcpy(bytes.data() + lost_at, &lost, sizeof lost);
  if (used > 0) std::memcpy(bytes.data() + lacks_at, report.lacks.data(), used);
  return bytes;
}

std::optional<Report> read_report(std::span<const std::byte> payload, std::uint32_t end, std::uint32_t poll,
                                  std::uint32_t packets, std::uint32_t block_packets) {
  Report report{.poll = poll, .end = end, .block_packets = block_packets};
  if (payload.size() < lacks_at || payload.size() > lacks_at + report.lacks.size()) return {};
  std::uint16_t lost = 0;
  std::memcpy(&report.base, payload.data(), sizeof report.base);
  std::memcpy(&lost, payload.data() + lost_at, sizeof lost);
  if (payload.size() > lacks_at) std::memcpy(report.lacks.data(), payload.data() + lacks_at, payload.size() - lacks_at);
  report.lost = lost / all_lost;
  if (report.base > report.end || report.end > packets) return {};
  if (report.end > Report::most_end(report.base, block_packets)) return {};
  if (std::ranges::any_of(report.lacks, [&](std::uint8_t lacking) { return lacking > block_packets; })) return {};
  forget_from(report, report.end);
  return report;
}

}  // namespace trunkline::runtime
