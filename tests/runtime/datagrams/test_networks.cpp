// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/datagram/networks.hpp"

namespace trunkline::runtime {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t mask = 0xFFFFFF00;

Network network(std::uint32_t address) { return {.address = address, .mask = mask, .mtu = 1500}; }
Network loopback() { return {.address = 0x7F000001, .mask = 0xFF000000, .mtu = 65536, .is_loopback = 1}; }

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
}

TEST(SharedNetwork, IsNoneWhereMasksDiffer) {
  Network wide = network(0x0A000102);
  wide.mask = 0xFFFF0000;
  EXPECT_FALSE(shared_network(std::vector{card(1, {network(0x0A000101)}), card(2, {wide})}).has_value());
}

TEST(OwnCard, HasTheLoopbackLast) {
  const HostCard own = own_card();
  ASSERT_GT(own.count, 0U);
  EXPECT_EQ(own.networks.at(own.count - 1).is_loopback, 1U);
  EXPECT_EQ(own.host, own_card().host);
}

}  // namespace
}  // namespace trunkline::runtime
