// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/tcp_asks.hpp"

#include "simulate/datagrams/sockets.hpp"

namespace trunkline::runtime {
namespace {

simulate::Endpoint& endpoint_of(const Sockets& sockets) {
  return static_cast<const simulate::SimulatedSockets&>(sockets).endpoint();
}

}  // namespace

void TcpAsks::ask(const PacketBytes& ask) {
  endpoint_of(sockets_).send(simulate::place_of(service_), {ask}, simulate::Way::tcp);
}

std::optional<std::span<const std::byte>> TcpAsks::receive() {
  return endpoint_of(sockets_).receive(simulate::Way::tcp);
}

}  // namespace trunkline::runtime
