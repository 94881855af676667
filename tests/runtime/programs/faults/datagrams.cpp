// SPDX-License-Identifier: Apache-2.0
// Multicasts whose datagrams reach a rank no more, come from a stranger, or from a root that is away.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

/// An address of IPv4 or IPv6.
struct SocketAddress {
  union {
    sockaddr any;
    sockaddr_in ipv4;
    sockaddr_in6 ipv6;
  };
  socklen_t length = sizeof ipv6;

  SocketAddress() : ipv6() {}
  [[nodiscard]] bool is_ipv6() const { return any.sa_family == AF_INET6; }
  [[nodiscard]] bool is_multicast() const {
    return is_ipv6() ? ipv6.sin6_addr.s6_addr[0] == 0xFF
                     : any.sa_family == AF_INET && IN_MULTICAST(ntohl(ipv4.sin_addr.s_addr));
  }
  /// Of the networks that these tests run in.
  [[nodiscard]] bool is_broadcast() const {
    return any.sa_family == AF_INET && (ntohl(ipv4.sin_addr.s_addr) & 0xFFU) == 0xFFU;
  }
};

/// Of this process, bound to a group or to all hosts: descriptors and addresses.
std::map<int, SocketAddress> multicast_sockets() {
  std::map<int, SocketAddress> found;
  for (int one = 0; one < 1024; ++one) {
    SocketAddress address;
    if (getsockname(one, &address.any, &address.length) != 0) continue;
    if (address.is_multicast() || address.is_broadcast()) found.emplace(one, address);
  }
  return found;
}

/// The address of the interface from which this process multicasts; 0: none.
in_addr multicast_interface() {
  for (int one = 0; one < 1024; ++one) {
    in_addr interface {};
    socklen_t length = sizeof interface;
    if (getsockopt(one, IPPROTO_IP, IP_MULTICAST_IF, &interface, &length) == 0 && interface.s_addr != 0) {
      return interface;
    }
  }
  return {};
}

/// Whether the socket hears the group, and sends to it on the same interface.
bool has_joined(int socket, const SocketAddress& group) {
  if (group.is_broadcast()) {
    const int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) == 0;
  }
  if (group.is_ipv6()) {
    const ipv6_mreq member{.ipv6mr_multiaddr = group.ipv6.sin6_addr, .ipv6mr_interface = group.ipv6.sin6_scope_id};
    return setsockopt(socket, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &member, sizeof member) == 0;
  }
  const ip_mreqn member{.imr_multiaddr = group.ipv4.sin_addr, .imr_address = multicast_interface(), .imr_ifindex = 0};
  return setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member) == 0 &&
         setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &member, sizeof member) == 0;
}

void put_nothing_in_place_of(int descriptor) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, descriptor);
  close(nothing);
}

/// Nothing that is sent to a multicast group reaches this process any more. Returns whether it had such sockets.
bool deafen() {
  const auto sockets = multicast_sockets();
  for (const auto& [one, address] : sockets) put_nothing_in_place_of(one);
  return !sockets.empty();
}

/// No datagram reaches this process any more, and none leaves it.
void cut_off_datagrams() {
  for (int one = 0; one < 1024; ++one) {
    int kind = 0;
    int family = 0;
    socklen_t length = sizeof kind;
    if (getsockopt(one, SOL_SOCKET, SO_TYPE, &kind, &length) != 0 || kind != SOCK_DGRAM) continue;
    if (getsockopt(one, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0 && (family == AF_INET || family == AF_INET6))
      put_nothing_in_place_of(one);
  }
}

/// Somebody else on the network: listens to a group and sends to it, without its key: noise, and what it heard again,
/// late, for a call to come, changed, cut and with more behind it.
class Forger {
 public:
  explicit Forger(const SocketAddress& group)
      : group_(group), socket_(socket(group.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool joins = bind(socket_, &group_.any, group_.length) == 0 && has_joined(socket_, group_);
    expect(joins, "the forger cannot join the group");
    thread_ = std::thread([this] { forge(); });
  }
  ~Forger() {
    is_over_ = true;
    thread_.join();
    close(socket_);
    expect(heard_.size() > 1, "the forger has heard nothing");
  }
  Forger(const Forger&) = delete;
  Forger& operator=(const Forger&) = delete;

 private:
  static constexpr std::size_t place_of_turn = 16;

  void forge() {
    std::minstd_rand random(1);
    while (!is_over_) {
      listen();
      std::vector<char> one(random() % 3000);
      for (char& byte : one) byte = static_cast<char>(random());
      send(one);
      if (heard_.empty()) continue;
      one = heard_[random() % heard_.size()];
      send(one);
      std::vector<char> changed = one;
      changed[random() % changed.size()] ^= static_cast<char>(1 << random() % 8);
      send(changed);
      changed = one;
      changed[place_of_turn] = static_cast<char>(changed[place_of_turn] + 1 + static_cast<char>(random() % 3));
      changed.back() ^= 1;
      send(changed);
      changed = one;
      changed.resize(random() % one.size());
      send(changed);
      one.resize(one.size() + 1 + random() % 100);
      send(one);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  /// What came last.
  void listen() {
    std::vector<char> one(65536);
    while (true) {
      const ssize_t bytes = recv(socket_, one.data(), one.size(), MSG_DONTWAIT);
      if (bytes <= 0) return;
      if (heard_.size() == 16) heard_.pop_front();
      heard_.emplace_back(one.begin(), one.begin() + bytes);
    }
  }

  void send(const std::vector<char>& bytes) const {
    sendto(socket_, bytes.data(), bytes.size(), 0, &group_.any, group_.length);
  }

  SocketAddress group_;
  int socket_;
  std::atomic<bool> is_over_ = false;
  std::deque<std::vector<char>> heard_;
  std::thread thread_;
};

/// A stranger who sends to the group changes nothing.
void forged_datagrams() {
  MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  right(copy, 20000, 0, 0, "by ourselves");
  const auto sockets = multicast_sockets();
  std::unique_ptr<Forger> forger;
  if (rank == 0 && preloaded()) {
    expect(!sockets.empty(), "it has no socket that hears a group");
    if (!sockets.empty()) forger = std::make_unique<Forger>(sockets.rbegin()->second);
  }
  for (int turn = 0; turn < 200; ++turn) right(copy, 100 + 333 * turn, turn % ranks, turn, "beside a forger");
  forger.reset();
  MPI_Comm_free(&copy);
}

/// Hears for so many calls, then no longer: as where a switch has forgotten it.
void deaf_rank(int calls) {
  MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (int turn = 0; turn < calls; ++turn) right(copy, 20000, turn % ranks, turn, "all hear");
  if (rank == ranks - 1 && preloaded()) expect(deafen(), "it has no socket that hears a group");
  for (int turn = 0; turn < 40; ++turn) right(copy, 20000, turn % ranks, turn, "one is deaf");
  MPI_Comm_free(&copy);
}

/// Several broadcasts that do not block at once, from all roots, short ones and long ones. One rank stops to hear,
/// which the ranks find out between such calls; the one that blocks at the end tells.
void deaf_rank_while_started(int calls) {
  MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  constexpr int at_once = 8;
  for (int turn = 0; turn < calls; ++turn) right(copy, 20000, turn % ranks, turn, "all hear");
  int serial = 0;
  for (int round = 0; round < 12; ++round) {
    if (round == 2 && rank == ranks - 1 && preloaded()) expect(deafen(), "it has no socket that hears a group");
    std::array<std::vector<unsigned char>, at_once> data;
    std::array<MPI_Request, at_once> requests{};
    for (int i = 0; i < at_once; ++i) {
      std::vector<unsigned char>& one = data[static_cast<std::size_t>(i)];
      one.resize(i % 3 == 0 ? 100 : i % 3 == 1 ? 9000 : 40000);
      const int root = (serial + i) % ranks;
      for (std::size_t at = 0; rank == root && at < one.size(); ++at) one[at] = content(at, serial + i);
      MPI_Ibcast(one.data(), static_cast<int>(one.size()), MPI_BYTE, root, copy,
                 &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Waitall(at_once, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < at_once; ++i) {
      const std::vector<unsigned char>& one = data[static_cast<std::size_t>(i)];
      for (std::size_t at = 0; at < one.size(); ++at) expect(one[at] == content(at, serial + i), "a started broadcast");
    }
    serial += at_once;
  }
  right(copy, 20000, 1, 9, "one is deaf");
  MPI_Comm_free(&copy);
}

/// The communicator goes while its multicasts are under way, on ranks that come late to them.
void freed_while_started() {
  for (int turn = 0; turn < 6; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 20000, 0, turn, "all hear");
    if (rank == turn % ranks) usleep(20000);
    std::vector<unsigned char> data(turn % 2 == 0 ? 100 : 200000, 0);
    const int root = (turn + 1) % ranks;
    for (std::size_t at = 0; rank == root && at < data.size(); ++at) data[at] = content(at, turn);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, root, copy, &request);
    MPI_Comm_free(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t at = 0; at < data.size(); ++at) expect(data[at] == content(at, turn), "a started broadcast");
  }
}

/// Roots of short messages leave at once. Rank 0 makes no MPI calls until the last rank has the message, which no
/// datagram to all reaches, or none at all: others repair for it.
void absent_root(bool hears_nothing) {
  MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  std::array<char, 32> path{"/tmp/trunkline-absent-XXXXXX"};
  if (rank == 0) close(mkstemp(path.data()));
  MPI_Bcast(path.data(), path.size(), MPI_CHAR, 0, copy);
  if (rank == ranks - 1 && preloaded()) {
    expect(deafen(), "it has no socket that hears a group");
    if (hears_nothing) cut_off_datagrams();
  }
  for (int turn = 0; turn < 5; ++turn) {
    right(copy, 100 + 2000 * turn, 0, turn, "the root is away");
    if (rank == ranks - 1) std::ofstream(path.data(), std::ios::app) << 'x' << std::flush;
    while (rank == 0 && std::filesystem::file_size(path.data()) <= static_cast<std::uintmax_t>(turn)) usleep(1000);
  }
  if (rank == 0) std::filesystem::remove(path.data());
  right(copy, 100, ranks - 1, 7, "from the one that hears nothing");
  right(copy, 100, 0, 8, "before the end");
  MPI_Comm_free(&copy);
}

/// The last thing on a communicator, and the last thing of all: who is late and deaf gets it all the same.
void absent_at_the_end() {
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 100, 0, 0, "all hear");
    if (rank == ranks - 1 && preloaded()) expect(deafen(), "it has no socket that hears a group");
    if (rank == ranks - 1) usleep(200000);
    right(copy, 100, 0, turn, "the last thing");
    if (turn < 2) MPI_Comm_free(&copy);
  }
}

/// MPI_Comm_free waits for nobody: the root has freed the communicator and makes no MPI calls when the last rank, which
/// hears nothing, comes to the broadcast.
void freed_by_the_root() {
  MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  std::array<char, 32> path{"/tmp/trunkline-freed-XXXXXX"};
  if (rank == 0) close(mkstemp(path.data()));
  MPI_Bcast(path.data(), path.size(), MPI_CHAR, 0, MPI_COMM_WORLD);
  right(copy, 100, 0, 0, "all hear");
  const auto wait_for = [&](std::uintmax_t bytes) {
    while (std::filesystem::file_size(path.data()) < bytes) usleep(1000);
  };
  const auto say = [&] { std::ofstream(path.data(), std::ios::app) << 'x' << std::flush; };
  if (rank == ranks - 1) {
    if (preloaded()) expect(deafen(), "it has no socket that hears a group");
    say();
    wait_for(2);
  }
  if (rank == 0) wait_for(1);
  right(copy, 5000, 0, 1, "the last thing");
  MPI_Comm_free(&copy);
  if (rank == 0 || rank == ranks - 1) say();
  if (rank == 0) wait_for(3);
  if (rank == 0) std::filesystem::remove(path.data());
}

/// What groups hold leaves the program descriptors enough.
void many_groups() {
  constexpr int own_files = 60;
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  rlimit limit = usual;
  limit.rlim_cur = 160;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::vector<MPI_Comm> copies(40);
  for (MPI_Comm& copy : copies) {
    copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 5000, 0, 1, "on one communicator of many");
  }
  std::vector<int> files;
  for (int i = 0; i < own_files; ++i) files.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  expect(files.back() >= 0, "the program cannot open its files any more");
  for (const int file : files) close(file);
  for (MPI_Comm& copy : copies) {
    right(copy, 5000, ranks - 1, 2, "once more");
    MPI_Comm_free(&copy);
  }
  setrlimit(RLIMIT_NOFILE, &usual);
}

}  // namespace

Cases datagram_cases() {
  return {
      {"deaf-rank-while-started", [] { deaf_rank_while_started(3); }},
      {"deaf-rank-while-started-later", [] { deaf_rank_while_started(30); }},
      {"freed-while-started", freed_while_started},
      {"deaf-rank", [] { deaf_rank(6); }},
      {"deaf-rank-later", [] { deaf_rank(30); }},
      {"absent-root", [] { absent_root(false); }},
      {"absent-root-over-tcp", [] { absent_root(true); }},
      {"absent-at-the-end", absent_at_the_end},
      {"freed-by-the-root", freed_by_the_root},
      {"forged-datagrams", forged_datagrams},
      {"many-groups", many_groups},
  };
}

}  // namespace faults
