// SPDX-License-Identifier: Apache-2.0
// The IPv4 networks that this process's host is in, and the one that all hosts of a group share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trunkline::runtime {

struct Network {
  std::uint32_t address = 0;  ///< the host's own, of most significant byte first
  std::uint32_t mask = 0;
  std::uint32_t mtu = 0;  ///< bytes
  std::uint32_t is_loopback = 0;

  [[nodiscard]] std::uint32_t number() const { return address & mask; }
};

/// What one rank says of its host. Sent as it lies in memory.
struct HostCard {
  static constexpr std::size_t most = 8;
  std::uint64_t host = 0;  ///< the same for ranks of one host
  std::uint32_t count = 0;
  std::array<Network, most> networks{};
};

/// Of this host: what is up and has an address, loopback last. Of more than HostCard::most the first.
[[nodiscard]] HostCard own_card();

/// By rank the place in its card of the network that all share: the first of rank 0's in which every rank has an
/// address, and ranks of different hosts different ones. Loopback only where all are one host. Empty: there is none.
[[nodiscard]] std::optional<std::vector<std::size_t>> shared_network(std::span<const HostCard> cards);

}  // namespace trunkline::runtime
