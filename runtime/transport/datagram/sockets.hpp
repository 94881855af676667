// SPDX-License-Identifier: Apache-2.0
// How a rank hears a multicast group and datagrams to it alone, and how it sends: UDP sockets, or a simulated network
// (simulate/datagrams), with the clock and the waiting that belong to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/datagram/address.hpp"
#include "transport/datagram/descriptor.hpp"
#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {

class Sockets {
 public:
  /// On the interface with the address `own`; other ranks of the same host hear the group as well where `shares_host`.
  /// `group`: a multicast address, or the IPv4 broadcast address of the network, which all its hosts hear.
  /// The kernel drops what has not the mark of `sealer`. Empty where the system refuses, with errno as it says why.
  [[nodiscard]] static std::unique_ptr<Sockets> open(const Address& own, const Address& group, const Sealer& sealer,
                                                     bool shares_host);

  virtual ~Sockets() = default;
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// Of the socket that hears this rank alone.
  [[nodiscard]] virtual std::uint16_t port() const noexcept = 0;

  /// Bytes that the kernel holds for this process, with its own for each datagram.
  [[nodiscard]] virtual std::uint32_t buffer_bytes() const = 0;

  /// Datagrams that the kernel has dropped: it had no room for them, or they had not the mark.
  [[nodiscard]] virtual std::uint64_t dropped() const = 0;

  /// The payload must stay as it is until flush(). The system may drop it: so may every network.
  virtual void send(const Address& to, const PacketHead& head, std::span<const std::byte> payload,
                    const Sealer& sealer) = 0;
  virtual void flush() = 0;

  /// Ranks of a lab that wait here are woken by that descriptor, too. Until it is closed.
  virtual void wake_by(const Descriptor& other) const = 0;

  /// One that has come, as it is until the next call; empty: none was there a moment ago.
  [[nodiscard]] virtual std::optional<std::span<const std::byte>> receive() = 0;

  /// Seconds since any time, never backwards.
  [[nodiscard]] virtual double now() const noexcept = 0;

  /// This rank has found nothing to do: others may run.
  virtual void rest() = 0;

 protected:
  Sockets() = default;
};

/// Sets a socket up to send to `group` on the interface with the address `own`; other processes of the same host hear
/// it as well where `shares_host`. Whether the system lets it.
[[nodiscard]] bool sends_from(const Descriptor& socket, const Address& own, const Address& group, bool shares_host);

/// The kernel is to drop what comes to the UDP socket without the mark of `sealer`, so that a flood of it neither fills
/// the socket's buffer nor wakes anybody. Where it cannot, such datagrams come, and are dropped here.
void take_only_marked(const Descriptor& socket, const Sealer& sealer);

}  // namespace trunkline::runtime
