// SPDX-License-Identifier: Apache-2.0
// Addresses of hosts and groups, of IPv4 or IPv6, and where a socket hears: one type for either.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>

namespace trunkline::runtime {

/// An IPv4 address is the IPv6 address that stands for it, ::ffff:a.b.c.d (RFC 4291, 2.5.5.2). Sent as it lies in
/// memory.
class IpAddress {
 public:
  IpAddress() = default;                   ///< ::, which no host has
  explicit IpAddress(std::uint32_t ipv4);  ///< of most significant byte first
  explicit IpAddress(const in6_addr& ipv6);

  [[nodiscard]] bool is_ipv4() const noexcept;
  /// Not where it is none. Most significant byte first.
  [[nodiscard]] std::uint32_t ipv4() const noexcept;
  [[nodiscard]] in6_addr ipv6() const noexcept;
  [[nodiscard]] bool is_multicast() const noexcept;
  /// Known on one link only: fe80::/10.
  [[nodiscard]] bool is_link_local() const noexcept;

  /// The first `bits` of 128 as they are, all others `filler`.
  [[nodiscard]] IpAddress with_tail(std::uint32_t bits, bool filler) const noexcept;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
  friend bool operator<(const IpAddress& one, const IpAddress& other) { return one.bytes_ < other.bytes_; }

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

/// Of 128 bits those before an IPv4 address.
inline constexpr std::uint32_t bits_before_ipv4 = 96;

/// With a port, as system calls take it.
class Address {
 public:
  Address() : Address(IpAddress(0U), 0) {}
  /// `interface`: the system's number of the one behind which the address is. It counts where the address is known on
  /// one link only.
  Address(const IpAddress& ip, std::uint16_t port, std::uint32_t interface = 0);

  /// Of a socket; 0.0.0.0 and no port where the system does not say.
  [[nodiscard]] static Address of(int socket);

  [[nodiscard]] IpAddress ip() const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept;
  [[nodiscard]] std::uint32_t interface() const noexcept { return family() == AF_INET6 ? any_.ipv6.sin6_scope_id : 0; }
  [[nodiscard]] int family() const noexcept { return any_.head.sa_family; }
  [[nodiscard]] const sockaddr* data() const noexcept { return &any_.head; }
  [[nodiscard]] socklen_t size() const noexcept;

  friend bool operator==(const Address& one, const Address& other) noexcept;

 private:
  union Any {
    sockaddr head;
    sockaddr_in ipv4;
    sockaddr_in6 ipv6;
  };
  Any any_;
};

}  // namespace trunkline::runtime
