// SPDX-License-Identifier: Apache-2.0
// Instead of the file of that name in runtime/transport/datagram, as all beside it.
#include "simulate/datagrams/sockets.hpp"

namespace trunkline::simulate {

void SimulatedSockets::send(const runtime::Address& to, const runtime::PacketHead& head,
                            std::span<const std::byte> payload, const runtime::Sealer& sealer) {
  const runtime::HeadBytes first = runtime::head_of(head, payload.size(), sealer);
  const runtime::SealBytes last = sealer.seal(first, payload);
  endpoint_->send(place_of(to), {first, payload, last}, Way::udp);
}

}  // namespace trunkline::simulate

namespace trunkline::runtime {

std::unique_ptr<Sockets> Sockets::open(const Address& /*own*/, const Address& group, const Sealer& /*sealer*/,
                                       bool /*shares_host*/) {
  auto endpoint = trunkline_simulate_datagrams().open();
  endpoint->join(simulate::place_of(group));
  return std::make_unique<simulate::SimulatedSockets>(std::move(endpoint));
}

}  // namespace trunkline::runtime
