// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other to become a group, by MPI alone: sent as it lies in memory.
#pragma once

#include <cstdint>

#include "transport/datagram/networks.hpp"
#include "transport/datagram/siphash.hpp"

namespace trunkline::runtime {

/// Of the first rank, to all others.
struct Invitation {
  Key key{};
  in6_addr group{};  ///< by chance, all of it
  std::uint32_t port = 0;
  std::uint32_t is_drawn = 0;
  std::int64_t number = 0;  ///< of the group among those of the same ranks

  /// With a key, a group and a port. Not `is_drawn` where the system gives no random numbers.
  [[nodiscard]] static Invitation drawn(std::int64_t number);

  /// Where the group is heard on that network.
  [[nodiscard]] Address address_on(const Network& network, GroupWay way) const;
};

/// Of each rank to all others, once its sockets are open.
struct Seat {
  IpAddress address{};
  std::uint32_t port = 0;          ///< 0: it has none
  std::uint32_t service_port = 0;  ///< of its Repairs; 0: it has none
  std::uint32_t mtu = 0;
  std::uint32_t buffer_bytes = 0;
  std::uint32_t left_behind = 0;  ///< groups of this process that others may still ask
  std::int64_t freed_before = 0;  ///< by this process: of these ranks' groups
};

/// Room for a packet's payload in a datagram that fills a frame of networks with that MTU.
[[nodiscard]] std::uint32_t payload_bytes_of(std::uint32_t mtu, const Address& group);

/// How that group reaches all, for people.
[[nodiscard]] const char* way_in_words(const Address& group);

}  // namespace trunkline::runtime
