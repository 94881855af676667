// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace trunkline::fabric {

namespace {

constexpr std::size_t ethernet_bytes = 14;
constexpr std::uint16_t ethertype_ip4 = 0x0800;
constexpr std::uint16_t ethertype_ip6 = 0x86DD;
constexpr std::size_t least_ip4_bytes = 20;
constexpr std::size_t ip6_bytes = 40;
constexpr std::size_t least_tcp_bytes = 20;
constexpr std::size_t udp_bytes = 8;

/// The legacy virtio network header, in the machine's own byte order.
struct OffloadHeader {
  std::uint8_t flags;
  std::uint8_t segmentation;
  std::uint16_t header_bytes;
  std::uint16_t segment_bytes;
  std::uint16_t checksum_start;
  std::uint16_t checksum_offset;
};
static_assert(sizeof(OffloadHeader) == offload_header_bytes);

constexpr std::uint8_t segmentation_none = 0;
constexpr std::uint8_t segmentation_tcp4 = 1;
constexpr std::uint8_t segmentation_tcp6 = 4;
constexpr std::uint8_t segmentation_udp = 5;
constexpr std::uint8_t congestion_mark = 0x80;  ///< may come with either TCP kind

/// Bytes of the headers that every real frame of a super-frame repeats.
std::optional<std::size_t> repeated_header_bytes(std::span<const std::uint8_t> frame, std::uint8_t segmentation) {
  const auto ethertype = static_cast<std::uint16_t>(frame[12] << 8U | frame[13]);
  std::size_t at = ethernet_bytes;
  if (ethertype == ethertype_ip4 && segmentation != segmentation_tcp6) {
    if (frame.size() < at + least_ip4_bytes) {
      return std::nullopt;
    }
    const std::size_t ip4_bytes = (frame[at] & 0x0FU) * std::size_t{4};
    if (ip4_bytes < least_ip4_bytes) {
      return std::nullopt;
    }
    at += ip4_bytes;
  } else if (ethertype == ethertype_ip6 && segmentation != segmentation_tcp4) {
    at += ip6_bytes;
  } else {
    return std::nullopt;
  }
  if (segmentation == segmentation_udp) {
    return at + udp_bytes;
  }
  if (frame.size() < at + least_tcp_bytes) {
    return std::nullopt;
  }
  const std::size_t tcp_bytes = (frame[at + 12] >> 4U) * std::size_t{4};
  if (tcp_bytes < least_tcp_bytes) {
    return std::nullopt;
  }
  return at + tcp_bytes;
}

std::optional<Burden> burden_of(std::span<const std::uint8_t> frame, const OffloadHeader& offload) {
  const auto wire = [](std::size_t bytes) {
    return static_cast<std::uint32_t>(std::max<std::size_t>(bytes, least_frame_bytes)) + unseen_bytes;
  };
  const auto segmentation = static_cast<std::uint8_t>(offload.segmentation & ~congestion_mark);
  if (segmentation == segmentation_none) {
    return Burden{wire(frame.size()), wire(frame.size()), 1};
  }
  if ((segmentation != segmentation_tcp4 && segmentation != segmentation_tcp6 && segmentation != segmentation_udp) ||
      offload.segment_bytes == 0) {
    return std::nullopt;
  }
  const std::optional<std::size_t> header = repeated_header_bytes(frame, segmentation);
  if (!header || *header >= frame.size()) {
    return std::nullopt;
  }
  const std::size_t payload = frame.size() - *header;
  const std::size_t segment = std::min<std::size_t>(offload.segment_bytes, payload);
  const std::size_t full = (payload - 1) / segment;  // all but the last
  const std::size_t last = payload - full * segment;
  return Burden{static_cast<std::uint32_t>(full) * wire(*header + segment) + wire(*header + last),
                wire(*header + segment), static_cast<std::uint32_t>(full) + 1};
}

}  // namespace

Reading read_frame(std::span<const std::uint8_t> bytes, HostIndex from, std::uint32_t host_count) {
  if (bytes.size() < offload_header_bytes + ethernet_bytes) {
    return {Verdict::truncated, 0, {}};
  }
  OffloadHeader offload{};
  std::memcpy(&offload, bytes.data(), sizeof offload);
  const std::span<const std::uint8_t> frame = bytes.subspan(offload_header_bytes);

  HostIndex to = every_host;
  const bool for_many = (frame[0] & 1U) != 0;
  if (!for_many) {
    constexpr std::uint8_t prefix[] = {2, 0, 0, 0};
    to = static_cast<HostIndex>(frame[4] << 8U | frame[5]);
    if (std::memcmp(frame.data(), prefix, sizeof prefix) != 0 || to >= host_count || to == from) {
      return {Verdict::unknown_destination, 0, {}};
    }
  }
  const std::optional<Burden> burden = burden_of(frame, offload);
  if (!burden) {
    return {Verdict::bad_offload_header, 0, {}};
  }
  return {Verdict::good, to, *burden};
}

std::size_t payload_at(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t tcp = 6;
  constexpr std::uint16_t fragment_offset = 0x1FFF;
  std::size_t at = least_bytes;
  if (bytes.size() < at + least_ip4_bytes || (bytes[at - 2] << 8U | bytes[at - 1]) != ethertype_ip4) {
    return bytes.size();
  }
  const std::span<const std::uint8_t> ip = bytes.subspan(at);
  at += (ip[0] & 0x0FU) * std::size_t{4};
  if (((ip[6] << 8U | ip[7]) & fragment_offset) != 0) return std::min(at, bytes.size());  // no header in this one
  if (ip[9] != tcp) return std::min(at + udp_bytes, bytes.size());
  if (bytes.size() < at + least_tcp_bytes) return bytes.size();
  return std::min(at + (bytes[at + 12] >> 4U) * std::size_t{4}, bytes.size());
}

}  // namespace trunkline::fabric
