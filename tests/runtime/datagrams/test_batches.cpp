// SPDX-License-Identifier: Apache-2.0
// What goes out in batches, as long messages where the kernel cuts them, comes as it was sent, one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "transport/datagram/incoming.hpp"
#include "transport/datagram/outgoing.hpp"

namespace trunkline::runtime {
namespace {

const Sealer batch_sealer(Key{5, 6});

/// A socket of the loopback of IPv4 or IPv6, and where it hears.
struct Ear {
  Descriptor socket;
  Address address;

  explicit Ear(const Address& loopback) : socket(::socket(loopback.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const int bytes = 8 << 20;
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    is_bound = bind(socket.number(), loopback.data(), loopback.size()) == 0;
    address = Address::of(socket.number());
  }

  bool is_bound = false;

  /// Numbers and lengths of the packets that have come, in their order.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::size_t>> all_heard() const {
    std::vector<std::pair<std::uint32_t, std::size_t>> heard;
    Incoming incoming;
    while (true) {
      incoming.clear();
      static_cast<void>(incoming.take_from(socket.number()));
      if (!incoming.has_any()) return heard;
      while (!incoming.is_empty()) {
        const auto packet = read_packet(incoming.next(), batch_sealer);
        if (packet) heard.emplace_back(packet->head.number, packet->payload.size());
      }
    }
  }
};

RC_GTEST_PROP(Batches, ComeAsTheyWereSent, (bool expects_long, bool over_ipv6)) {
  const Address loopback(over_ipv6 ? IpAddress(in6addr_loopback) : IpAddress(INADDR_LOOPBACK), 0);
  const std::array<Ear, 2> ears{Ear(loopback), Ear(loopback)};
  if (over_ipv6 && !ears[0].is_bound) return;  // the system has no IPv6
  RC_ASSERT(ears[0].is_bound && ears[1].is_bound);
  if (expects_long) {
    for (const Ear& ear : ears) Incoming::expect_long(ear.socket);
  }
  const Descriptor mouth(socket(loopback.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  Outgoing outgoing(mouth);
  const auto count = *rc::gen::inRange<std::uint32_t>(0, 150);
  std::deque<std::vector<std::byte>> payloads;
  std::array<std::vector<std::pair<std::uint32_t, std::size_t>>, 2> wanted;
  for (std::uint32_t number = 0; number < count; ++number) {
    const std::size_t bytes = *rc::gen::element<std::size_t>(0, 8, 1000, 1000, 1000, 1432, 9000);
    const auto to = *rc::gen::weightedElement<std::size_t>({{5, 0}, {1, 1}});
    payloads.emplace_back(bytes, static_cast<std::byte>(number));
    outgoing.send(ears.at(to).address, {.kind = PacketKind::data, .number = number}, payloads.back(), batch_sealer);
    wanted.at(to).emplace_back(number, bytes);
  }
  outgoing.flush();
  for (std::size_t i = 0; i < ears.size(); ++i) RC_ASSERT(ears.at(i).all_heard() == wanted.at(i));
}

}  // namespace
}  // namespace trunkline::runtime
