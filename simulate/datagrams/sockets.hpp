// SPDX-License-Identifier: Apache-2.0
// A simulated rank's sockets.
#pragma once

#include <memory>
#include <utility>

#include "simulate/datagrams/datagram_network.hpp"
#include "transport/datagram/sockets.hpp"

namespace trunkline::simulate {

[[nodiscard]] inline Place place_of(const runtime::Address& address) {
  return {.address = address.ip().ipv4(), .port = address.port()};
}

class SimulatedSockets final : public runtime::Sockets {
 public:
  explicit SimulatedSockets(std::unique_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  [[nodiscard]] std::uint16_t port() const noexcept override { return endpoint_->place().port; }
  [[nodiscard]] std::uint32_t buffer_bytes() const override { return DatagramNetwork::buffer_bytes; }
  [[nodiscard]] std::uint64_t dropped() const override { return 0; }
  void send(const runtime::Address& to, const runtime::PacketHead& head, std::span<const std::byte> payload,
            const runtime::Sealer& sealer) override;
  void flush() override { endpoint_->finish_sending(); }
  void wake_by(const runtime::Descriptor& /*other*/) const override {}
  [[nodiscard]] std::optional<std::span<const std::byte>> receive() override { return endpoint_->receive(Way::udp); }
  [[nodiscard]] double now() const noexcept override { return trunkline_simulate_datagrams().now(); }
  void rest() override { endpoint_->rest(); }

  [[nodiscard]] Endpoint& endpoint() const noexcept { return *endpoint_; }

 private:
  std::unique_ptr<Endpoint> endpoint_;
};

}  // namespace trunkline::simulate
