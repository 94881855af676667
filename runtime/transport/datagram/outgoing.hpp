// SPDX-License-Identifier: Apache-2.0
// Datagrams on their way to the kernel, many to a system call; where it can, those of one length and one destination as
// one long message, which it cuts itself (UDP segmentation offload, Linux 4.18).
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/datagram/address.hpp"
#include "transport/datagram/descriptor.hpp"
#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {

class Outgoing {
 public:
  /// Data to send must stay as they are until flush(), which a full batch calls by itself. `socket` must outlive it.
  explicit Outgoing(const Descriptor& socket) : socket_(socket) {}
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  void send(const Address& to, const PacketHead& head, std::span<const std::byte> payload, const Sealer& sealer);

  /// Waits for room in the kernel's buffer: that is as fast as the link. The system may drop any: so may every network.
  void flush();

 private:
  static constexpr std::size_t batch = 64;
  static constexpr std::size_t parts_each = 3;

  struct One {
    HeadBytes head;
    SealBytes seal;
    Address to;
    std::size_t bytes;
  };
  union Control {
    cmsghdr aligned;
    std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> bytes;
  };

  [[nodiscard]] std::size_t run_from(std::size_t first) const;
  void set_message(std::size_t message, std::size_t first, std::size_t count);

  const Descriptor& socket_;
  bool cuts_ = true;  ///< the kernel cuts long messages
  std::size_t queued_ = 0;
  std::array<One, batch> all_{};
  std::array<iovec, parts_each * batch> parts_{};
  std::array<mmsghdr, batch> messages_{};
  std::array<Control, batch> controls_{};
};

}  // namespace trunkline::runtime
