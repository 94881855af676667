// SPDX-License-Identifier: Apache-2.0
// Datagrams that have come, many to a system call; where the kernel can, those that came together as one long message
// (UDP receive offload, Linux 5.0), which is cut here.
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "transport/datagram/descriptor.hpp"

namespace trunkline::runtime {

class Incoming {
 public:
  Incoming();
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;

  /// Long messages may come of that socket, where the kernel knows how.
  static void expect_long(const Descriptor& socket);

  /// All before have been taken.
  [[nodiscard]] bool is_empty() const noexcept { return taken_ == come_; }
  void clear() noexcept { come_ = taken_ = offset_ = 0; }

  /// Adds what a socket has. Whether there is room for more.
  bool take_from(int socket);

  /// As it is until clear(). Not where is_empty().
  [[nodiscard]] std::span<const std::byte> next();

  [[nodiscard]] bool has_any() const noexcept { return come_ > 0; }

 private:
  static constexpr std::size_t batch = 16;
  static constexpr std::size_t most_bytes = 65536;  ///< of a message; the kernel gives memory to used pages alone

  union Control {
    cmsghdr aligned;
    std::array<std::byte, CMSG_SPACE(sizeof(int))> bytes;
  };

  std::size_t come_ = 0;    ///< messages
  std::size_t taken_ = 0;   ///< of these
  std::size_t offset_ = 0;  ///< in the next one
  std::array<mmsghdr, batch> heads_{};
  std::array<iovec, batch> parts_{};
  std::array<Control, batch> controls_{};
  std::unique_ptr<std::byte[]> bytes_ = std::make_unique_for_overwrite<std::byte[]>(batch * most_bytes);
};

}  // namespace trunkline::runtime
