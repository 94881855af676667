// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/sockets.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "transport/datagram/incoming.hpp"
#include "transport/datagram/outgoing.hpp"
#include "transport/yields.hpp"

namespace trunkline::runtime {
namespace {

template <class Value>
bool set(const Descriptor& socket, int level, int option, const Value& value) {
  return setsockopt(socket.number(), level, option, &value, sizeof value) == 0;
}

/// Wanted of the kernel, which gives what its limits allow.
constexpr int wanted_buffer_bytes = 4 << 20;

/// Ranks of one host hear a group at one port. Nobody shares what hears one rank alone: of sockets that may be shared,
/// the kernel gives two the same port now and then, and one of them hears nothing.
enum class Port : bool { is_own, is_shared };

Descriptor bound_to(const Address& address, Port port) {
  Descriptor made(socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (made.number() < 0 || (port == Port::is_shared && !set(made, SOL_SOCKET, SO_REUSEADDR, 1))) return Descriptor();
  static_cast<void>(set(made, SOL_SOCKET, SO_RCVBUF, wanted_buffer_bytes));
  static_cast<void>(set(made, SOL_SOCKET, SO_SNDBUF, wanted_buffer_bytes));
  if (bind(made.number(), address.data(), address.size()) != 0) return Descriptor();
  Incoming::expect_long(made);
  return made;
}

/// Broadcasts are heard by whoever is bound to their address.
bool join(const Descriptor& socket, const Address& own, const Address& group) {
  if (!group.ip().is_multicast()) return true;
  if (group.family() == AF_INET) {
    const ip_mreqn membership{.imr_multiaddr = {.s_addr = htonl(group.ip().ipv4())},
                              .imr_address = {.s_addr = htonl(own.ip().ipv4())},
                              .imr_ifindex = 0};
    return set(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership) && set(socket, IPPROTO_IP, IP_MULTICAST_ALL, 0);
  }
  // Groups are known on one link only, so the socket is bound to its interface, and hears of no other.
  const ipv6_mreq membership{.ipv6mr_multiaddr = group.ip().ipv6(), .ipv6mr_interface = group.interface()};
  return set(socket, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, membership);
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
  [[nodiscard]] std::uint64_t dropped() const override;
  void send(const Address& to, const PacketHead& head, std::span<const std::byte> payload,
            const Sealer& sealer) override {
    outgoing_.send(to, head, payload, sealer);
  }
  void flush() override { outgoing_.flush(); }
  void wake_by(const Descriptor& other) const override;
  [[nodiscard]] std::optional<std::span<const std::byte>> receive() override;
  [[nodiscard]] double now() const noexcept override;
  void rest() override { yield_in_turn(); }

 private:
  [[nodiscard]] bool fill();

  Descriptor group_socket_;
  Descriptor own_socket_;
  Descriptor events_;  ///< epoll: what waits for both
  std::uint16_t port_;
  Outgoing outgoing_;
  Incoming incoming_{};
  bool has_taken_all_ = false;  ///< that was there when it looked last
};

UdpSockets::UdpSockets(Descriptor group_socket, Descriptor own_socket, Descriptor events, std::uint16_t port)
    : group_socket_(std::move(group_socket)),
      own_socket_(std::move(own_socket)),
      events_(std::move(events)),
      port_(port),
      outgoing_(own_socket_) {}

std::uint32_t UdpSockets::buffer_bytes() const {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  const bool known = getsockopt(group_socket_.number(), SOL_SOCKET, SO_RCVBUF, &bytes, &length) == 0;
  return known ? static_cast<std::uint32_t>(bytes) : 0;
}

std::uint64_t UdpSockets::dropped() const {
  std::uint64_t all = 0;
  for (const Descriptor* const socket : {&group_socket_, &own_socket_}) {
    std::array<std::uint32_t, SK_MEMINFO_VARS> counts{};
    socklen_t length = sizeof counts;
    if (getsockopt(socket->number(), SOL_SOCKET, SO_MEMINFO, counts.data(), &length) == 0) {
      all += counts[SK_MEMINFO_DROPS];
    }
  }
  return all;
}

void UdpSockets::wake_by(const Descriptor& other) const { static_cast<void>(watch(events_, other)); }

/// A poll of both sockets first: only with that an idle rank of a lab sleeps until something comes.
bool UdpSockets::fill() {
  incoming_.clear();
  std::array<epoll_event, 3> ready{};
  const int sockets = epoll_wait(events_.number(), ready.data(), static_cast<int>(ready.size()), 0);
  bool has_room = true;
  for (int i = 0; i < sockets && has_room; ++i) {
    const int number = ready[static_cast<std::size_t>(i)].data.fd;
    if (number == group_socket_.number() || number == own_socket_.number()) has_room = incoming_.take_from(number);
  }
  has_taken_all_ = incoming_.has_any() && has_room;
  return incoming_.has_any();
}

/// After a batch that was not full it does not look for one more at once: each look is a system call, and fruitless for
/// nearly every datagram.
std::optional<std::span<const std::byte>> UdpSockets::receive() {
  if (incoming_.is_empty() && (std::exchange(has_taken_all_, false) || !fill())) return {};
  return incoming_.next();
}

double UdpSockets::now() const noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

/// Never beyond the site: a router does not hand on what may live for one hop, nor a broadcast. The system hands every
/// broadcast to the own host as well.
bool sends_from(const Descriptor& socket, const Address& own, const Address& group, bool shares_host) {
  if (!group.ip().is_multicast()) return set(socket, SOL_SOCKET, SO_BROADCAST, 1);
  const int loops = shares_host ? 1 : 0;
  if (group.family() == AF_INET) {
    const ip_mreqn interface {
      .imr_multiaddr = {}, .imr_address = {.s_addr = htonl(own.ip().ipv4())}, .imr_ifindex = 0
    };
    return set(socket, IPPROTO_IP, IP_MULTICAST_IF, interface) && set(socket, IPPROTO_IP, IP_MULTICAST_TTL, 1) &&
           set(socket, IPPROTO_IP, IP_MULTICAST_LOOP, loops);
  }
  return set(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, static_cast<int>(group.interface())) &&
         set(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 1) && set(socket, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, loops);
}

/// A packet begins behind UDP's head, which is what a filter's places count from.
void take_only_marked(const Descriptor& socket, const Sealer& sealer) {
  constexpr std::uint32_t udp_head_bytes = 8;
  constexpr std::uint32_t all_of_it = 0xFFFFFFFF;
  std::uint32_t mark = 0;
  const MarkBytes bytes = sealer.mark();
  std::memcpy(&mark, bytes.data(), bytes.size());
  std::array<sock_filter, 4> steps{{{BPF_LD | BPF_W | BPF_ABS, 0, 0, udp_head_bytes},
                                    {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, ntohl(mark)},
                                    {BPF_RET | BPF_K, 0, 0, all_of_it},
                                    {BPF_RET | BPF_K, 0, 0, 0}}};
  const sock_fprog filter{.len = static_cast<std::uint16_t>(steps.size()), .filter = steps.data()};
  static_cast<void>(set(socket, SOL_SOCKET, SO_ATTACH_FILTER, filter));
}

std::unique_ptr<Sockets> Sockets::open(const Address& own, const Address& group, const Sealer& sealer,
                                       bool shares_host) {
  Descriptor hears = bound_to(group, Port::is_shared);
  if (hears.number() < 0 || !join(hears, own, group)) return nullptr;
  Descriptor alone = bound_to(own, Port::is_own);
  if (alone.number() < 0 || !sends_from(alone, own, group, shares_host)) return nullptr;
  take_only_marked(hears, sealer);
  take_only_marked(alone, sealer);
  Descriptor events(epoll_create1(EPOLL_CLOEXEC));
  if (events.number() < 0 || !watch(events, hears) || !watch(events, alone)) return nullptr;
  const std::uint16_t port = Address::of(alone.number()).port();
  if (port == 0) return nullptr;
  return std::make_unique<UdpSockets>(std::move(hears), std::move(alone), std::move(events), port);
}

}  // namespace trunkline::runtime
