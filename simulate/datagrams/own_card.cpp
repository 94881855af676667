// SPDX-License-Identifier: Apache-2.0
#include "simulate/datagrams/datagram_network.hpp"
#include "transport/datagram/networks.hpp"

namespace trunkline::runtime {

HostCard own_card() {
  using simulate::DatagramNetwork;
  const std::uint32_t address = trunkline_simulate_datagrams().own_address();
  HostCard card{.host = address, .count = 1};
  card.networks[0] = {.address = IpAddress(address),
                      .prefix_bits = bits_before_ipv4 + DatagramNetwork::prefix_bits,
                      .mtu = DatagramNetwork::mtu};
  return card;
}

}  // namespace trunkline::runtime
