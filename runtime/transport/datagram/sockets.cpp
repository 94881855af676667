// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/sockets.hpp"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace trunkline::runtime {
namespace {

template <class Value>
bool set(const Descriptor& socket, int level, int option, const Value& value) {
  return setsockopt(socket.number(), level, option, &value, sizeof value) == 0;
}

/// Wanted of the kernel, which gives what its limits allow.
constexpr int wanted_buffer_bytes = 4 << 20;

Descriptor bound_to(const Address& address) {
  Descriptor made(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (made.number() < 0 || !set(made, SOL_SOCKET, SO_REUSEADDR, 1)) return Descriptor();
  static_cast<void>(set(made, SOL_SOCKET, SO_RCVBUF, wanted_buffer_bytes));
  static_cast<void>(set(made, SOL_SOCKET, SO_SNDBUF, wanted_buffer_bytes));
  if (bind(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return Descriptor();
  return made;
}

bool join(const Descriptor& socket, const Address& group, std::uint32_t own) {
  const ip_mreqn membership{
      .imr_multiaddr = group.sin_addr, .imr_address = address_of(own, 0).sin_addr, .imr_ifindex = 0};
  return set(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership) && set(socket, IPPROTO_IP, IP_MULTICAST_ALL, 0);
}

/// Never beyond the site: a router does not hand on what may live for one hop.
bool sends_from(const Descriptor& socket, std::uint32_t own, bool shares_host) {
  const ip_mreqn interface { .imr_multiaddr = {}, .imr_address = address_of(own, 0).sin_addr, .imr_ifindex = 0 };
  return set(socket, IPPROTO_IP, IP_MULTICAST_IF, interface) && set(socket, IPPROTO_IP, IP_MULTICAST_TTL, 1) &&
         set(socket, IPPROTO_IP, IP_MULTICAST_LOOP, shares_host ? 1 : 0);
}

bool watch(const Descriptor& events, const Descriptor& socket) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = socket.number()}};
  return epoll_ctl(events.number(), EPOLL_CTL_ADD, socket.number(), &event) == 0;
}

/// Two sockets: one hears the group, the other hears what is sent to this rank alone, and sends. Datagrams go in
/// batches, so that a system call serves several.
class UdpSockets final : public Sockets {
 public:
  UdpSockets(Descriptor group_socket, Descriptor own_socket, Descriptor events, std::uint16_t port);

  [[nodiscard]] std::uint16_t port() const noexcept override { return port_; }
  [[nodiscard]] std::uint32_t buffer_bytes() const override;
  void send(const Address& to, const PacketHead& head, std::span<const std::byte> payload, const Key& key) override;
  void flush() override;
  void wake_by(const Descriptor& other) const override;
  [[nodiscard]] std::optional<std::span<const std::byte>> receive() override;
  [[nodiscard]] double now() const noexcept override;
  void rest() override { std::this_thread::yield(); }

 private:
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

UdpSockets::UdpSockets(Descriptor group_socket, Descriptor own_socket, Descriptor events, std::uint16_t port)
    : group_socket_(std::move(group_socket)),
      own_socket_(std::move(own_socket)),
      events_(std::move(events)),
      port_(port) {
  for (std::size_t i = 0; i < batch; ++i) {
    in_parts_[i] = {.iov_base = in_bytes_.get() + i * most_bytes, .iov_len = most_bytes};
    in_heads_[i].msg_hdr.msg_iov = &in_parts_[i];
    in_heads_[i].msg_hdr.msg_iovlen = 1;
    out_heads_[i].msg_hdr.msg_name = &outgoing_[i].to;
    out_heads_[i].msg_hdr.msg_namelen = sizeof outgoing_[i].to;
    out_heads_[i].msg_hdr.msg_iov = outgoing_[i].parts.data();
    out_heads_[i].msg_hdr.msg_iovlen = outgoing_[i].parts.size();
  }
}

std::uint32_t UdpSockets::buffer_bytes() const {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  const bool known = getsockopt(group_socket_.number(), SOL_SOCKET, SO_RCVBUF, &bytes, &length) == 0;
  return known ? static_cast<std::uint32_t>(bytes) : 0;
}

void UdpSockets::send(const Address& to, const PacketHead& head, std::span<const std::byte> payload, const Key& key) {
  if (queued_ == batch) flush();
  Outgoing& one = outgoing_[queued_++];
  one.head = head_of(head, payload.size());
  one.seal = seal_of(one.head, payload, key);
  one.to = to;
  one.parts = {iovec{.iov_base = one.head.data(), .iov_len = one.head.size()},
               iovec{.iov_base = const_cast<std::byte*>(payload.data()), .iov_len = payload.size()},
               iovec{.iov_base = one.seal.data(), .iov_len = one.seal.size()}};
}

/// Waits for room in the kernel's buffer: that is as fast as the link.
void UdpSockets::flush() {
  std::size_t gone = 0;
  while (gone < queued_) {
    const int sent = sendmmsg(own_socket_.number(), &out_heads_[gone], static_cast<unsigned>(queued_ - gone), 0);
    if (sent > 0) {
      gone += static_cast<std::size_t>(sent);
    } else if (errno != EINTR) {
      ++gone;  // one that cannot be sent is lost, as in the network
    }
  }
  queued_ = 0;
}

void UdpSockets::wake_by(const Descriptor& other) const { static_cast<void>(watch(events_, other)); }

/// A poll of both sockets first: only with that an idle rank of a lab sleeps until something comes.
bool UdpSockets::fill() {
  come_ = taken_ = 0;
  std::array<epoll_event, 3> ready{};
  const int sockets = epoll_wait(events_.number(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < sockets; ++i) {
    const int number = ready[static_cast<std::size_t>(i)].data.fd;
    if (number != group_socket_.number() && number != own_socket_.number()) continue;
    const int got = recvmmsg(number, &in_heads_[come_], static_cast<unsigned>(batch - come_), MSG_DONTWAIT, nullptr);
    if (got > 0) come_ += static_cast<std::size_t>(got);
    if (come_ == batch) break;
  }
  has_taken_all_ = come_ > 0 && come_ < batch;
  return come_ > 0;
}

/// After a batch that was not full it does not look for one more at once: each look is a system call, and fruitless for
/// nearly every datagram.
std::optional<std::span<const std::byte>> UdpSockets::receive() {
  if (taken_ == come_ && (std::exchange(has_taken_all_, false) || !fill())) return {};
  const std::size_t place = taken_++;
  const bool is_cut = (in_heads_[place].msg_hdr.msg_flags & MSG_TRUNC) != 0;
  return std::span<const std::byte>(in_bytes_.get() + place * most_bytes, is_cut ? 0 : in_heads_[place].msg_len);
}

double UdpSockets::now() const noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::unique_ptr<Sockets> Sockets::open(std::uint32_t own, const Address& group, bool shares_host) {
  Descriptor hears = bound_to(group);
  if (hears.number() < 0 || !join(hears, group, own)) return nullptr;
  Descriptor alone = bound_to(address_of(own, 0));
  if (alone.number() < 0 || !sends_from(alone, own, shares_host)) return nullptr;
  Descriptor events(epoll_create1(EPOLL_CLOEXEC));
  if (events.number() < 0 || !watch(events, hears) || !watch(events, alone)) return nullptr;
  Address bound{};
  socklen_t length = sizeof bound;
  if (getsockname(alone.number(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) return nullptr;
  return std::make_unique<UdpSockets>(std::move(hears), std::move(alone), std::move(events), ntohs(bound.sin_port));
}

}  // namespace trunkline::runtime
