// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/address.hpp"

#include <algorithm>
#include <cstring>

namespace trunkline::runtime {
namespace {

constexpr std::array<std::uint8_t, bits_before_ipv4 / 8> stands_for_ipv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

}  // namespace

IpAddress::IpAddress(std::uint32_t ipv4) {
  std::ranges::copy(stands_for_ipv4, bytes_.begin());
  const std::uint32_t in_order = htonl(ipv4);
  std::memcpy(bytes_.data() + stands_for_ipv4.size(), &in_order, sizeof in_order);
}

IpAddress::IpAddress(const in6_addr& ipv6) { std::memcpy(bytes_.data(), &ipv6, bytes_.size()); }

bool IpAddress::is_ipv4() const noexcept {
  return std::equal(stands_for_ipv4.begin(), stands_for_ipv4.end(), bytes_.begin());
}

std::uint32_t IpAddress::ipv4() const noexcept {
  std::uint32_t in_order = 0;
  std::memcpy(&in_order, bytes_.data() + stands_for_ipv4.size(), sizeof in_order);
  return ntohl(in_order);
}

in6_addr IpAddress::ipv6() const noexcept {
  in6_addr made{};
  std::memcpy(&made, bytes_.data(), bytes_.size());
  return made;
}

bool IpAddress::is_multicast() const noexcept { return is_ipv4() ? IN_MULTICAST(ipv4()) : bytes_[0] == 0xFF; }

bool IpAddress::is_link_local() const noexcept { return bytes_[0] == 0xFE && (bytes_[1] & 0xC0U) == 0x80; }

IpAddress IpAddress::with_tail(std::uint32_t bits, bool filler) const noexcept {
  IpAddress made = *this;
  for (std::uint32_t i = 0; i < made.bytes_.size(); ++i) {
    const std::uint32_t kept = std::min(8U, bits - std::min(bits, 8 * i));
    const std::uint32_t tail = 0xFFU >> kept;
    made.bytes_[i] = static_cast<std::uint8_t>(filler ? made.bytes_[i] | tail : made.bytes_[i] & ~tail);
  }
  return made;
}

Address::Address(const IpAddress& ip, std::uint16_t port, std::uint32_t interface) : any_{} {
  if (ip.is_ipv4()) {
    any_.ipv4 = sockaddr_in{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(ip.ipv4())}, .sin_zero = {}};
  } else {
    any_.ipv6 = sockaddr_in6{.sin6_family = AF_INET6,
                             .sin6_port = htons(port),
                             .sin6_flowinfo = 0,
                             .sin6_addr = ip.ipv6(),
                             .sin6_scope_id = interface};
  }
}

Address Address::of(int socket) {
  Address found;
  Any any{};
  socklen_t length = sizeof any;
  if (getsockname(socket, &any.head, &length) == 0 &&
      (any.head.sa_family == AF_INET || any.head.sa_family == AF_INET6)) {
    found.any_ = any;
  }
  return found;
}

IpAddress Address::ip() const noexcept {
  return family() == AF_INET ? IpAddress(ntohl(any_.ipv4.sin_addr.s_addr)) : IpAddress(any_.ipv6.sin6_addr);
}

std::uint16_t Address::port() const noexcept {
  return ntohs(family() == AF_INET ? any_.ipv4.sin_port : any_.ipv6.sin6_port);
}

socklen_t Address::size() const noexcept { return family() == AF_INET ? sizeof any_.ipv4 : sizeof any_.ipv6; }

bool operator==(const Address& one, const Address& other) noexcept {
  return one.ip() == other.ip() && one.port() == other.port() && one.interface() == other.interface();
}

}  // namespace trunkline::runtime
