// SPDX-License-Identifier: Apache-2.0
// What one rank sends to a group all ranks of its host hear, on each way on which datagrams reach all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "transport/datagram/invitation.hpp"
#include "transport/datagram/repairs.hpp"
#include "transport/datagram/sockets.hpp"

namespace trunkline::runtime {
namespace {

const Sealer own_sealer(Key{7, 8});
const Sealer other_sealer(Key{8, 7});
constexpr std::uint32_t datagrams_sent = 40;
constexpr auto longest = std::chrono::seconds(60);
/// Of a loopback's frames the buffers hold too few.
constexpr std::uint32_t most_mtu = 1500;

/// Empty: this host has no such network.
std::optional<Network> own_network(GroupWay way) {
  const HostCard card = own_card();
  const auto places = shared_network(std::vector{card}, way);
  return places ? std::optional(card.networks.at(places->front())) : std::nullopt;
}

std::set<std::uint32_t> heard_by(Sockets& sockets, std::size_t wanted = datagrams_sent) {
  std::set<std::uint32_t> numbers;
  const auto end = std::chrono::steady_clock::now() + longest;
  while (numbers.size() < wanted && std::chrono::steady_clock::now() < end) {
    while (const auto bytes = sockets.receive()) {
      if (const auto packet = read_packet(*bytes, own_sealer)) numbers.insert(packet->head.number);
    }
    std::this_thread::yield();
  }
  return numbers;
}

class SocketsOfAHost : public testing::TestWithParam<GroupWay> {};

TEST_P(SocketsOfAHost, AllHearWhatOneSendsToTheGroup) {
  const auto network = own_network(GetParam());
  if (!network) GTEST_SKIP() << "this host has no network for it; tests/runtime/with_network.sh gives one";
  const Address group = Invitation::drawn(1).address_on(*network, GetParam());
  const Address own(network->address, 0, network->interface);
  std::vector<std::unique_ptr<Sockets>> all;
  for (int rank = 0; rank < 3; ++rank) {
    all.push_back(Sockets::open(own, group, own_sealer, true));
    ASSERT_NE(all.back(), nullptr);
  }
  const std::vector<std::byte> payload(payload_bytes_of(std::min(network->mtu, most_mtu), group));
  for (std::uint32_t number = 0; number < datagrams_sent; ++number) {
    all[0]->send(group, {.number = number}, std::span(payload).first(payload.size() - number % 2), own_sealer);
  }
  all[0]->flush();
  for (const auto& one : all) EXPECT_EQ(heard_by(*one).size(), datagrams_sent);

  for (std::uint32_t number = 0; number < datagrams_sent; ++number) {
    all[1]->send(Address(network->address, all[2]->port(), network->interface), {.number = number}, {}, own_sealer);
  }
  all[1]->flush();
  EXPECT_EQ(heard_by(*all[2]).size(), datagrams_sent);
  EXPECT_FALSE(all[0]->receive());
}

/// So the service sends to the group, too, whatever that is.
TEST_P(SocketsOfAHost, AllHearWhatSeveralAskFor) {
  const auto network = own_network(GetParam());
  if (!network) GTEST_SKIP() << "this host has no network for it; tests/runtime/with_network.sh gives one";
  const Address group = Invitation::drawn(1).address_on(*network, GetParam());
  const Address own(network->address, 0, network->interface);
  const auto asks = Sockets::open(own, group, own_sealer, true);
  const auto hears = Sockets::open(own, group, own_sealer, true);
  const auto service = Repairs::open(own, group, true, own_sealer, 0);
  ASSERT_TRUE(asks && hears && service);
  service->answer_to(std::vector(2, Address(network->address, asks->port(), network->interface)));
  constexpr std::size_t packets = 6;
  service->keep(3, 1, 100, std::vector<std::byte>(packets * 100));
  const std::uint64_t all = ~std::uint64_t{0};
  for (const std::uint32_t rank : {0U, 1U}) {
    asks->send(Address(network->address, service->port(), network->interface),
               {.kind = PacketKind::ask, .sender = rank, .claim = 1, .turn = 3}, std::as_bytes(std::span(&all, 1)),
               own_sealer);
    asks->flush();
    EXPECT_EQ(heard_by(*asks, packets).size(), packets);
  }
  EXPECT_EQ(heard_by(*hears, packets).size(), packets);
}

/// More of them than any buffer holds, to each of the sockets. What has the mark and no seal comes: whoever hears a
/// group can make it.
TEST_P(SocketsOfAHost, TakeNothingWithoutTheMark) {
  const auto network = own_network(GetParam());
  if (!network) GTEST_SKIP() << "this host has no network for it; tests/runtime/with_network.sh gives one";
  const Address group = Invitation::drawn(1).address_on(*network, GetParam());
  const Address own(network->address, 0, network->interface);
  const auto ours = Sockets::open(own, group, own_sealer, true);
  const auto stranger = Sockets::open(own, group, other_sealer, true);
  ASSERT_TRUE(ours && stranger);
  const Address alone(network->address, ours->port(), network->interface);
  const std::vector<std::byte> payload(1000);
  constexpr std::uint32_t flood = 10000;
  for (std::uint32_t number = 0; number < flood; ++number) {
    stranger->send(number % 2 == 0 ? group : alone, {.number = number}, payload, other_sealer);
  }
  stranger->flush();
  EXPECT_GT(ours->dropped(), 0);  // of many that went as one message the kernel counts one
  EXPECT_FALSE(ours->receive());
  stranger->send(group, {.number = 1}, payload, own_sealer);
  stranger->flush();
  EXPECT_EQ(heard_by(*ours, 1), std::set<std::uint32_t>{1});
}

std::string name_of(const testing::TestParamInfo<GroupWay>& way) {
  constexpr std::array names{"Multicast", "Ipv6", "Broadcast"};
  return names.at(static_cast<std::size_t>(way.param));
}

INSTANTIATE_TEST_SUITE_P(Ways, SocketsOfAHost, testing::Values(GroupWay::usual, GroupWay::ipv6, GroupWay::broadcast),
                         name_of);

}  // namespace
}  // namespace trunkline::runtime
