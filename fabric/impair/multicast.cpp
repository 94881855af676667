// SPDX-License-Identifier: Apache-2.0
#include "impair/multicast.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "frame.hpp"
#include "impair/checksum.hpp"

namespace trunkline::fabric {

namespace {

constexpr std::uint8_t igmp_protocol = 2;
constexpr std::size_t short_message = 8;             ///< of versions 1 and 2, and the head of version 3's
constexpr std::size_t record_bytes = 8;              ///< without its sources
constexpr std::uint32_t local_groups = 0xE0000000U;  ///< 224.0.0.x
constexpr std::uint32_t local_mask = 0xFFFFFF00U;

enum Message : std::uint8_t { query = 0x11, report_1 = 0x12, report_2 = 0x16, leave_2 = 0x17, report_3 = 0x22 };
enum Record : std::uint8_t { is_include = 1, is_exclude = 2, to_include = 3, to_exclude = 4, allow = 5 };

std::uint32_t address_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(word_at(bytes, at)) << 16U | word_at(bytes, at + 2);
}

std::optional<bool> joins(std::uint8_t record, std::size_t sources) {
  switch (record) {
    case is_exclude:
    case to_exclude:
    case allow:
      return true;
    case is_include:
    case to_include:
      return sources > 0;  // a source of its own choice is a membership too
    default:
      return std::nullopt;
  }
}

std::vector<Membership> records_of(std::span<const std::uint8_t> igmp) {
  std::vector<Membership> found;
  std::size_t at = short_message;
  for (unsigned left = word_at(igmp, 6); left > 0 && at + record_bytes <= igmp.size(); --left) {
    const std::size_t sources = word_at(igmp, at + 2);
    if (const auto wanted = joins(igmp[at], sources)) found.push_back({address_at(igmp, at + 4), *wanted});
    at += record_bytes + 4 * (sources + igmp[at + 1]);
  }
  return found;
}

Multicast read_igmp(std::span<const std::uint8_t> igmp) {
  using Kind = Multicast::Kind;
  if (igmp.size() < short_message) return {};
  switch (igmp[0]) {
    case query:
      return {.kind = Kind::query};
    case report_1:
    case report_2:
    case leave_2:
      return {.kind = Kind::report, .memberships = {{address_at(igmp, 4), igmp[0] != leave_2}}};
    case report_3:
      return {.kind = Kind::report, .memberships = records_of(igmp)};
    default:
      return {};
  }
}

}  // namespace

Multicast read_multicast(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint8_t, 3> prefix{0x01, 0x00, 0x5E};
  constexpr std::uint16_t ip4 = 0x0800;
  constexpr std::size_t least_ip_bytes = 20;
  if (bytes.size() < least_bytes + least_ip_bytes || word_at(bytes, least_bytes - 2) != ip4 ||
      !std::equal(prefix.begin(), prefix.end(), bytes.begin() + offload_header_bytes)) {
    return {};
  }
  const std::span<const std::uint8_t> ip = bytes.subspan(least_bytes);
  const std::size_t header = (ip[0] & 0x0FU) * std::size_t{4};
  if (ip[9] == igmp_protocol) return header <= ip.size() ? read_igmp(ip.subspan(header)) : Multicast{};
  const std::uint32_t group = address_at(ip, 16);
  if ((group & local_mask) == local_groups) return {};
  return {.kind = Multicast::Kind::data, .group = group};
}

std::vector<std::uint8_t> general_query(double answer_s, double every_s) {
  constexpr std::size_t ip_bytes = 24;
  constexpr std::size_t igmp_bytes = 12;
  constexpr double most = 127.0;  // above, the fields have another form
  std::vector<std::uint8_t> bytes(least_bytes + ip_bytes + igmp_bytes);
  const std::array<std::uint8_t, 14> ethernet{0x01, 0, 0x5E, 0, 0, 1, 2, 0xFF, 0, 0, 0, 0, 8, 0};
  std::ranges::copy(ethernet, bytes.begin() + offload_header_bytes);
  const std::span<std::uint8_t> ip = std::span(bytes).subspan(least_bytes, ip_bytes);
  // From 0.0.0.0, as of a switch without an address; to all hosts, with the router alert option.
  const std::array<std::uint8_t, ip_bytes> head{
      0x46, 0xC0, 0, ip_bytes + igmp_bytes, 0, 0, 0, 0, 1, igmp_protocol, 0, 0, 0, 0, 0, 0, 224, 0, 0, 1, 0x94,
      4,    0,    0};
  std::ranges::copy(head, ip.begin());
  put_word(ip, 10, ~static_cast<std::uint32_t>(ones_sum(ip)));
  const std::span<std::uint8_t> igmp = std::span(bytes).subspan(least_bytes + ip_bytes);
  igmp[0] = query;
  igmp[1] = static_cast<std::uint8_t>(std::clamp(answer_s * 10, 1.0, most));
  igmp[8] = 2;  // reports that may be lost, less one, before a membership ends
  igmp[9] = static_cast<std::uint8_t>(std::clamp(every_s, 1.0, most));
  put_word(igmp, 2, ~static_cast<std::uint32_t>(ones_sum(igmp)));
  return bytes;
}

}  // namespace trunkline::fabric
