// SPDX-License-Identifier: Apache-2.0
// The networks that this process's host is in, of IPv4 and IPv6, and the one that all hosts of a group share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/datagram/address.hpp"
#include "transport/group_way.hpp"

namespace trunkline::runtime {

struct Network {
  IpAddress address{};            ///< the host's own
  std::uint32_t prefix_bits = 0;  ///< of its 128 those that all hosts of the network share
  std::uint32_t mtu = 0;          ///< bytes
  std::uint32_t interface = 0;    ///< the host's number of it
  std::uint32_t is_loopback = 0;

  [[nodiscard]] IpAddress number() const { return address.with_tail(prefix_bits, false); }
  /// Of an IPv4 network: what all its hosts hear.
  [[nodiscard]] IpAddress broadcast() const { return address.with_tail(prefix_bits, true); }
  [[nodiscard]] bool allows(GroupWay way) const;
};

/// What one rank says of its host. Sent as it lies in memory.
struct HostCard {
  static constexpr std::size_t most = 16;
  std::uint64_t host = 0;  ///< the same for ranks of one host
  std::uint32_t count = 0;
  std::array<Network, most> networks{};
};

/// The networks of this host that are up and have an address. First those of IPv4, then those of IPv6, of these the
/// ones known on one link only last, then IPv4's loopback: Linux carries no IPv6 multicast over a loopback. Of more
/// than HostCard::most the first.
[[nodiscard]] HostCard own_card();

/// By rank the place in its card of the network that all share and that allows this way: the first of rank 0's in which
/// every rank has an address, and ranks of different hosts different ones. Loopback where all are one host, and only
/// there, goes first. Empty: there is none.
[[nodiscard]] std::optional<std::vector<std::size_t>> shared_network(std::span<const HostCard> cards,
                                                                     GroupWay way = GroupWay::usual);

}  // namespace trunkline::runtime
