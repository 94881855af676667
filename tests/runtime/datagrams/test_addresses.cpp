// SPDX-License-Identifier: Apache-2.0
// Addresses of both kinds in one type, and what a group's address is made of.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "transport/datagram/invitation.hpp"
#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {
namespace {

in6_addr some_ipv6() {
  in6_addr made{};
  for (std::uint8_t& one : made.s6_addr) one = *rc::gen::arbitrary<std::uint8_t>();
  made.s6_addr[0] |= 0x20;  // none that stands for an IPv4 address
  return made;
}

bool bit_of(const IpAddress& ip, std::uint32_t bit) { return (ip.ipv6().s6_addr[bit / 8] >> (7 - bit % 8) & 1U) != 0; }

RC_GTEST_PROP(Addresses, OfIpv4AreAsSystemCallsTakeThem,
              (std::uint32_t ip, std::uint16_t port, std::uint32_t interface)) {
  const Address made(IpAddress(ip), port, interface);
  RC_ASSERT(made.ip().is_ipv4() && made.ip().ipv4() == ip);
  RC_ASSERT(made.port() == port && made.interface() == 0U && made.family() == AF_INET);
  RC_ASSERT(made.size() == sizeof(sockaddr_in));
  const auto* const seen = reinterpret_cast<const sockaddr_in*>(made.data());
  RC_ASSERT(seen->sin_family == AF_INET && ntohs(seen->sin_port) == port && ntohl(seen->sin_addr.s_addr) == ip);
  RC_ASSERT(made.ip().is_multicast() == (ip >> 28 == 0xE));
}

RC_GTEST_PROP(Addresses, OfIpv6AreAsSystemCallsTakeThem, (std::uint16_t port, std::uint32_t interface)) {
  const in6_addr ip = some_ipv6();
  const Address made(IpAddress(ip), port, interface);
  RC_ASSERT(!made.ip().is_ipv4() && made.ip() == IpAddress(ip));
  RC_ASSERT(made.port() == port && made.interface() == interface && made.family() == AF_INET6);
  RC_ASSERT(made.size() == sizeof(sockaddr_in6));
  const auto* const seen = reinterpret_cast<const sockaddr_in6*>(made.data());
  RC_ASSERT(seen->sin6_family == AF_INET6 && ntohs(seen->sin6_port) == port && seen->sin6_scope_id == interface);
  RC_ASSERT(IpAddress(seen->sin6_addr) == IpAddress(ip));
  RC_ASSERT(made.ip().is_multicast() == (ip.s6_addr[0] == 0xFF));
}

RC_GTEST_PROP(Addresses, KeepTheirFirstBits, (bool filler)) {
  const IpAddress ip(some_ipv6());
  const auto bits = *rc::gen::inRange<std::uint32_t>(0, 129);
  const IpAddress made = ip.with_tail(bits, filler);
  for (std::uint32_t bit = 0; bit < 128; ++bit) RC_ASSERT(bit_of(made, bit) == (bit < bits ? bit_of(ip, bit) : filler));
}

RC_GTEST_PROP(Addresses, OfNetworksAreThoseOfTheirMasks, (std::uint32_t ip)) {
  const auto bits = *rc::gen::inRange<std::uint32_t>(0, 33);
  const std::uint32_t mask = bits == 0 ? 0U : ~std::uint32_t{0} << (32 - bits);
  const Network network{.address = IpAddress(ip), .prefix_bits = bits_before_ipv4 + bits};
  RC_ASSERT(network.number() == IpAddress(ip & mask));
  RC_ASSERT(network.broadcast() == IpAddress(ip | ~mask));
  RC_ASSERT(network.allows(GroupWay::broadcast) == (bits <= 30));
}

RC_GTEST_PROP(Addresses, DifferWhereAnythingDoes, (std::uint32_t ip, std::uint16_t port)) {
  const Address made(IpAddress(ip), port);
  RC_ASSERT(made == Address(IpAddress(ip), port));
  RC_ASSERT(!(made == Address(IpAddress(ip ^ 1U), port)));
  RC_ASSERT(!(made == Address(IpAddress(ip), static_cast<std::uint16_t>(port ^ 1U))));
  const IpAddress ipv6(some_ipv6());
  RC_ASSERT(Address(ipv6, port, 1) == Address(ipv6, port, 1));
  RC_ASSERT(!(Address(ipv6, port, 1) == Address(ipv6, port, 2)));
}

TEST(Groups, AreOfTheSiteAndTakenByChance) {
  const Network ipv4{.address = IpAddress(0xC6120001), .prefix_bits = bits_before_ipv4 + 15, .interface = 3};
  const Network ipv6{.address = IpAddress(in6addr_loopback), .prefix_bits = 64, .interface = 3};
  const Invitation one = Invitation::drawn(1);
  const Invitation other = Invitation::drawn(1);
  ASSERT_EQ(one.is_drawn, 1U);
  EXPECT_GE(one.port, 49152U);
  EXPECT_LE(one.port, 65535U);

  const Address over_ipv4 = one.address_on(ipv4, GroupWay::usual);
  EXPECT_EQ(over_ipv4.ip().with_tail(bits_before_ipv4 + 16, false), IpAddress(0xEFFF0000));
  EXPECT_EQ(over_ipv4.port(), one.port);

  const Address over_ipv6 = one.address_on(ipv6, GroupWay::usual);
  EXPECT_EQ(over_ipv6.ip().ipv6().s6_addr[0], 0xFF);
  EXPECT_EQ(over_ipv6.ip().ipv6().s6_addr[1], 0x12);
  EXPECT_EQ(over_ipv6.interface(), 3U);
  EXPECT_NE(over_ipv6.ip(), other.address_on(ipv6, GroupWay::usual).ip());

  EXPECT_EQ(one.address_on(ipv4, GroupWay::broadcast).ip(), IpAddress(0xC613FFFF));
}

TEST(Payloads, FillAFrame) {
  const Address ipv4(IpAddress(0xEFFF0001), 1);
  const Address ipv6(IpAddress(in6addr_loopback), 1);
  EXPECT_EQ(payload_bytes_of(1500, ipv4), 1500 - 20 - 8 - packet_overhead_bytes);
  EXPECT_EQ(payload_bytes_of(1500, ipv6), 1500 - 40 - 8 - packet_overhead_bytes);
  EXPECT_EQ(payload_bytes_of(100, ipv6), 1280 - 40 - 8 - packet_overhead_bytes);
}

}  // namespace
}  // namespace trunkline::runtime
