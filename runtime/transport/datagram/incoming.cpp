// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/incoming.hpp"

#include <algorithm>
#include <cstring>

namespace trunkline::runtime {
namespace {

/// Of each datagram in a long message; of another message all its bytes.
std::size_t bytes_of_each(const mmsghdr& message) {
  msghdr head = message.msg_hdr;
  for (cmsghdr* control = CMSG_FIRSTHDR(&head); control != nullptr; control = CMSG_NXTHDR(&head, control)) {
    if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
    int each = 0;
    std::memcpy(&each, CMSG_DATA(control), sizeof each);
    if (each > 0) return static_cast<std::size_t>(each);
  }
  return std::max<std::size_t>(message.msg_len, 1);
}

}  // namespace

Incoming::Incoming() {
  for (std::size_t i = 0; i < batch; ++i) {
    parts_[i] = {.iov_base = bytes_.get() + i * most_bytes, .iov_len = most_bytes};
    heads_[i].msg_hdr.msg_iov = &parts_[i];
    heads_[i].msg_hdr.msg_iovlen = 1;
    heads_[i].msg_hdr.msg_control = &controls_[i];
  }
}

void Incoming::expect_long(const Descriptor& socket) {
  const int on = 1;
  static_cast<void>(setsockopt(socket.number(), SOL_UDP, UDP_GRO, &on, sizeof on));  // without it they come one by one
}

bool Incoming::take_from(int socket) {
  for (std::size_t i = come_; i < batch; ++i) heads_[i].msg_hdr.msg_controllen = sizeof controls_[i].bytes;
  const int got = recvmmsg(socket, &heads_[come_], static_cast<unsigned>(batch - come_), MSG_DONTWAIT, nullptr);
  if (got > 0) come_ += static_cast<std::size_t>(got);
  return come_ < batch;
}

std::span<const std::byte> Incoming::next() {
  const mmsghdr& message = heads_[taken_];
  const std::size_t bytes = std::min(bytes_of_each(message), message.msg_len - offset_);
  const std::span<const std::byte> one(bytes_.get() + taken_ * most_bytes + offset_, bytes);
  offset_ += bytes;
  if (offset_ >= message.msg_len) {
    ++taken_;
    offset_ = 0;
  }
  return one;
}

}  // namespace trunkline::runtime
