// SPDX-License-Identifier: Apache-2.0
// Reads frames as packet sockets hand them over. Nothing in a frame is trusted: it comes from any program of a host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transit.hpp"

namespace trunkline::fabric {

/// Hosts' Ethernet addresses are 02:00:00:00:HH:LL with the host's index; so no table is needed to find one.
inline constexpr std::size_t address_bytes = 6;

/// What a packet socket puts before each frame (PACKET_VNET_HDR): the legacy virtio network header.
inline constexpr std::size_t offload_header_bytes = 10;

/// Offload header and Ethernet header: what every frame has.
inline constexpr std::size_t least_bytes = offload_header_bytes + 14;

/// Preamble, check sequence and gap: on the wire, but in no frame that a socket shows.
inline constexpr std::uint32_t unseen_bytes = 24;
inline constexpr std::uint32_t least_frame_bytes = 60;  ///< shorter frames are padded by the card

enum class Verdict : std::uint8_t {
  good,
  truncated,            ///< too short for its own headers
  bad_offload_header,   ///< segmentation that contradicts the frame
  unknown_destination,  ///< an address that is no host's, or the sender's own
};

struct Reading {
  Verdict verdict = Verdict::truncated;
  HostIndex to = 0;  ///< or every_host
  Burden burden;
};

/// `bytes` begins with the offload header.
[[nodiscard]] Reading read_frame(std::span<const std::uint8_t> bytes, HostIndex from, std::uint32_t host_count);

/// Where the bytes of the program begin, behind the headers of IPv4, UDP and TCP; the end where there are none.
[[nodiscard]] std::size_t payload_at(std::span<const std::uint8_t> bytes);

}  // namespace trunkline::fabric
