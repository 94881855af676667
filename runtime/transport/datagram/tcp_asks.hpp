// SPDX-License-Identifier: Apache-2.0
// Asks for an eager message over TCP, where datagrams do not arrive: nothing gets lost on this way.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "transport/datagram/kept.hpp"
#include "transport/datagram/sockets.hpp"

namespace trunkline::runtime {

/// Of one call, to one rank. Never waits.
class TcpAsks {
 public:
  /// `sockets` must outlive the object; `service`: where Repairs of that rank listens.
  TcpAsks(const Sockets& sockets, const Address& service) : sockets_(sockets), service_(service) {}

  /// Over the connection that is there, or over a new one where it does not work.
  void ask(const PacketBytes& ask);

  /// A packet that has come, as it is until the next call.
  [[nodiscard]] std::optional<std::span<const std::byte>> receive();

 private:
  void connect_anew();
  void go_on_sending();
  [[nodiscard]] bool is_open() const noexcept { return socket_.number() >= 0; }

  const Sockets& sockets_;
  Address service_;
  Descriptor socket_{};
  std::chrono::steady_clock::time_point since_{};  ///< something came over this connection, or it was begun
  std::vector<std::byte> leaving_{};
  std::vector<std::byte> come_{};
  std::size_t taken_ = 0;  ///< of these
};

}  // namespace trunkline::runtime
