// SPDX-License-Identifier: Apache-2.0
// Two UDP sockets: one hears a multicast group, the other hears what is sent to this rank alone, and sends. Datagrams
// go in batches, so that a system call serves several.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {

/// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// In the network's order of bytes.
using Address = sockaddr_in;

/// `address` has the most significant byte first.
[[nodiscard]] Address address_of(std::uint32_t address, std::uint16_t port);

class Sockets {
 public:
  /// On the interface with the address `own`; other ranks of the same host hear the group as well where `shares_host`.
  /// Empty where the system refuses, with errno as it says why.
  [[nodiscard]] static std::unique_ptr<Sockets> open(std::uint32_t own, const Address& group, bool shares_host);

  /// Of the socket that hears this rank alone.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Bytes that the kernel holds for this process, with its own for each datagram.
  [[nodiscard]] std::uint32_t buffer_bytes() const;

  /// What is sent must stay as it is until flush(). The system may drop it: so may every network.
  void send(const Address& to, const PacketHead& head, std::span<const std::byte> payload, const Key& key);
  void flush();

  /// Ranks of a lab that wait here are woken by that descriptor, too. Until it is closed.
  void wake_by(const Descriptor& other) const;

  /// One that has come, as it is until the next call; empty: none was there a moment ago.
  [[nodiscard]] std::optional<std::span<const std::byte>> receive();

 private:
  Sockets(Descriptor group_socket, Descriptor own_socket, Descriptor events, std::uint16_t port);
  [[nodiscard]] bool fill();

  static constexpr std::size_t batch = 32;
  static constexpr std::size_t most_bytes = 9216;  ///< of a datagram; longer ones are cut, and so dropped

  struct Outgoing {
    HeadBytes head;
    SealBytes seal;
    Address to;
    std::array<iovec, 3> parts;
  };

  Descriptor group_socket_;
  Descriptor own_socket_;
  Descriptor events_;  ///< epoll: what waits for both
  std::uint16_t port_;
  std::size_t queued_ = 0;
  std::array<Outgoing, batch> outgoing_{};
  std::array<mmsghdr, batch> out_heads_{};
  std::size_t come_ = 0;        ///< in the batch
  std::size_t taken_ = 0;       ///< of these
  bool has_taken_all_ = false;  ///< that was there when it looked last
  std::array<mmsghdr, batch> in_heads_{};
  std::array<iovec, batch> in_parts_{};
  std::unique_ptr<std::byte[]> in_bytes_ = std::make_unique_for_overwrite<std::byte[]>(batch * most_bytes);
};

}  // namespace trunkline::runtime
