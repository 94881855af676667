// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/datagram/networks.hpp"

namespace trunkline::runtime {
namespace {

using ::testing::ElementsAre;

Network network(std::uint32_t address) {
  return {.address = IpAddress(address), .prefix_bits = bits_before_ipv4 + 24, .mtu = 1500};
}
Network loopback() {
  return {.address = IpAddress(INADDR_LOOPBACK), .prefix_bits = bits_before_ipv4 + 8, .mtu = 65536, .is_loopback = 1};
}

Network ipv6_network(const char* address) {
  in6_addr known{};
  inet_pton(AF_INET6, address, &known);
  return {.address = IpAddress(known), .prefix_bits = 64, .mtu = 1500};
}

HostCard card(std::uint64_t host, std::initializer_list<Network> networks) {
  HostCard made{.host = host};
  for (const Network& one : networks) made.networks.at(made.count++) = one;
  return made;
}

TEST(SharedNetwork, IsTheFirstOfRankZerosThatAllAreIn) {
  const std::vector cards{card(1, {network(0x0A000101), network(0x0A000201), loopback()}),
                          card(2, {network(0x0A000202), loopback()}),
                          card(3, {network(0x0A000903), network(0x0A000203), loopback()})};
  const auto places = shared_network(cards);
  ASSERT_TRUE(places.has_value());
  EXPECT_THAT(*places, ElementsAre(1, 0, 1));
}

/// Such as the bridge of a container runtime, which has the same address on every host.
TEST(SharedNetwork, IsNoneInWhichHostsHaveTheSameAddress) {
  const Network bridge = network(0xAC110001);
  EXPECT_FALSE(shared_network(std::vector{card(1, {bridge}), card(2, {bridge})}).has_value());
  const std::vector both{card(1, {bridge, network(0x0A000101)}), card(2, {bridge, network(0x0A000102)})};
  EXPECT_THAT(shared_network(both).value(), ElementsAre(1, 1));
}

TEST(SharedNetwork, OfOneHostMayBeItsLoopback) {
  EXPECT_THAT(shared_network(std::vector{card(1, {loopback()}), card(1, {loopback()})}).value(), ElementsAre(0, 0));
  EXPECT_FALSE(shared_network(std::vector{card(1, {loopback()}), card(2, {loopback()})}).has_value());
  const std::vector wired{card(1, {network(0x0A000101), loopback()}), card(1, {network(0x0A000101), loopback()})};
  EXPECT_THAT(shared_network(wired).value(), ElementsAre(1, 1));
  EXPECT_THAT(shared_network(wired, GroupWay::broadcast).value(), ElementsAre(1, 1));
}

TEST(SharedNetwork, IsNoneWherePrefixesDiffer) {
  Network wide = network(0x0A000102);
  wide.prefix_bits = bits_before_ipv4 + 16;
  EXPECT_FALSE(shared_network(std::vector{card(1, {network(0x0A000101)}), card(2, {wide})}).has_value());
}

TEST(SharedNetwork, OfIpv6WhereNoneOfIpv4IsShared) {
  const std::vector cards{card(1, {network(0x0A000101), ipv6_network("fd00:1::1"), ipv6_network("fe80::1")}),
                          card(2, {ipv6_network("fd00:2::1"), ipv6_network("fe80::2")})};
  EXPECT_THAT(shared_network(cards).value(), ElementsAre(2, 1));
  EXPECT_FALSE(shared_network(cards, GroupWay::broadcast).has_value());
  const std::vector both{card(1, {network(0x0A000101), ipv6_network("fd00:1::1")}),
                         card(2, {network(0x0A000102), ipv6_network("fd00:1::2")})};
  EXPECT_THAT(shared_network(both).value(), ElementsAre(0, 0));
  EXPECT_THAT(shared_network(both, GroupWay::ipv6).value(), ElementsAre(1, 1));
}

TEST(SharedNetwork, ForBroadcastsHasABroadcastAddress) {
  Network pair = network(0x0A000102);
  pair.prefix_bits = bits_before_ipv4 + 31;
  Network other = pair;
  other.address = IpAddress(0x0A000103);
  const std::vector cards{card(1, {pair, network(0x0A000201)}), card(2, {other, network(0x0A000202)})};
  EXPECT_THAT(shared_network(cards).value(), ElementsAre(0, 0));
  EXPECT_THAT(shared_network(cards, GroupWay::broadcast).value(), ElementsAre(1, 1));
}

TEST(OwnCard, HasTheLoopbackLast) {
  const HostCard own = own_card();
  ASSERT_GT(own.count, 0U);
  EXPECT_EQ(own.networks.at(own.count - 1).is_loopback, 1U);
  for (std::size_t i = 0; i < own.count; ++i) EXPECT_NE(own.networks.at(i).interface, 0U);
  EXPECT_EQ(own.host, own_card().host);
}

}  // namespace
}  // namespace trunkline::runtime
