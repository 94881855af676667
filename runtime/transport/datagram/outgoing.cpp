// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/outgoing.hpp"

#include <cerrno>
#include <cstring>

namespace trunkline::runtime {
namespace {

/// What IPv4 carries, and IPv6 as well, in one datagram, before it is cut.
constexpr std::size_t most_long_bytes = 65507;

}  // namespace

void Outgoing::send(const Address& to, const PacketHead& head, std::span<const std::byte> payload,
                    const Sealer& sealer) {
  if (queued_ == batch) flush();
  One& one = all_[queued_];
  one.head = head_of(head, payload.size(), sealer);
  one.seal = sealer.seal(one.head, payload);
  one.to = to;
  one.bytes = packet_overhead_bytes + payload.size();
  iovec* const parts = &parts_[parts_each * queued_++];
  parts[0] = {.iov_base = one.head.data(), .iov_len = one.head.size()};
  parts[1] = {.iov_base = const_cast<std::byte*>(payload.data()), .iov_len = payload.size()};
  parts[2] = {.iov_base = one.seal.data(), .iov_len = one.seal.size()};
}

/// How many from there on go as one message: all as long as the first, but for the last one, which may be shorter.
std::size_t Outgoing::run_from(std::size_t first) const {
  if (!cuts_) return 1;
  const One& leader = all_[first];
  std::size_t bytes = leader.bytes;
  std::size_t end = first + 1;
  while (end < queued_ && all_[end - 1].bytes == leader.bytes && all_[end].bytes <= leader.bytes &&
         all_[end].to == leader.to && bytes + all_[end].bytes <= most_long_bytes) {
    bytes += all_[end++].bytes;
  }
  return end - first;
}

void Outgoing::set_message(std::size_t message, std::size_t first, std::size_t count) {
  msghdr& head = messages_[message].msg_hdr;
  head = {.msg_name = const_cast<sockaddr*>(all_[first].to.data()),  // read only
          .msg_namelen = all_[first].to.size(),
          .msg_iov = &parts_[parts_each * first],
          .msg_iovlen = parts_each * count,
          .msg_control = nullptr,
          .msg_controllen = 0,
          .msg_flags = 0};
  if (count == 1) return;
  head.msg_control = &controls_[message];
  head.msg_controllen = sizeof controls_[message].bytes;
  cmsghdr* const control = CMSG_FIRSTHDR(&head);
  control->cmsg_level = SOL_UDP;
  control->cmsg_type = UDP_SEGMENT;
  control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const auto each = static_cast<std::uint16_t>(all_[first].bytes);
  std::memcpy(CMSG_DATA(control), &each, sizeof each);
}

void Outgoing::flush() {
  std::size_t gone = 0;
  while (gone < queued_) {
    std::array<std::size_t, batch> ends{};
    std::size_t count = 0;
    for (std::size_t first = gone; first < queued_; first = ends[count++]) {
      const std::size_t run = run_from(first);
      ends[count] = first + run;
      set_message(count, first, run);
    }
    const int sent = sendmmsg(socket_.number(), messages_.data(), static_cast<unsigned>(count), 0);
    if (sent > 0) {
      gone = ends[static_cast<std::size_t>(sent) - 1];
    } else if (errno == EINTR) {
      continue;
    } else if (ends[0] > gone + 1) {
      cuts_ = false;  // it does not know how, or the interface does not; each by itself, then
    } else {
      ++gone;  // one that cannot be sent is lost, as in the network
    }
  }
  queued_ = 0;
}

}  // namespace trunkline::runtime
