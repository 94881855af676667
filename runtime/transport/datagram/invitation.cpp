// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/invitation.hpp"

#include <sys/random.h>

#include <algorithm>

#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::uint32_t site_local = 0xEFFF0000;  ///< 239.255.0.0/16
constexpr std::uint32_t first_port = 49152;       ///< of those that nobody registers

/// The rest of the address is by chance (RFC 4291, 2.7: transient, of one link).
constexpr std::uint8_t ipv6_group = 0xFF;
constexpr std::uint8_t transient_of_one_link = 0x12;

/// What a frame holds besides a datagram, and the shortest MTU that each IP has.
struct Carrier {
  std::uint32_t header_bytes;  ///< of IP and UDP
  std::uint32_t least_mtu;
};
constexpr Carrier ipv4_carrier{28, 576};
constexpr Carrier ipv6_carrier{48, 1280};

}  // namespace

Invitation Invitation::drawn(std::int64_t number) {
  struct {
    Key key;
    in6_addr group;
    std::uint32_t port;
  } drawn{};
  const bool is_drawn = getrandom(&drawn, sizeof drawn, 0) == static_cast<ssize_t>(sizeof drawn);
  return {.key = drawn.key,
          .group = drawn.group,
          .port = first_port + drawn.port % (65536 - first_port),
          .is_drawn = is_drawn ? 1U : 0U,
          .number = number};
}

Address Invitation::address_on(const Network& network, GroupWay way) const {
  const auto at = static_cast<std::uint16_t>(port);
  if (way == GroupWay::broadcast) return {network.broadcast(), at};
  in6_addr chosen = group;
  if (network.address.is_ipv4()) {
    return {IpAddress(site_local | static_cast<std::uint32_t>(chosen.s6_addr[14] << 8U | chosen.s6_addr[15])), at};
  }
  chosen.s6_addr[0] = ipv6_group;
  chosen.s6_addr[1] = transient_of_one_link;
  return {IpAddress(chosen), at, network.interface};
}

std::uint32_t payload_bytes_of(std::uint32_t mtu, const Address& group) {
  const Carrier& carrier = group.family() == AF_INET ? ipv4_carrier : ipv6_carrier;
  return std::max(mtu, carrier.least_mtu) - carrier.header_bytes - static_cast<std::uint32_t>(packet_overhead_bytes);
}

const char* way_in_words(const Address& group) {
  if (!group.ip().is_multicast()) return "by broadcasts over IPv4";
  return group.family() == AF_INET ? "over IPv4" : "over IPv6";
}

}  // namespace trunkline::runtime
