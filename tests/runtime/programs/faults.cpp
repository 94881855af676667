// SPDX-License-Identifier: Apache-2.0
// runtime-faults CASE[@CHOICE]...: faults of a program, one after another in one job; CHOICE is as for trunkline_set.
// Some cases end the job, and some want it for themselves: little memory, many communicators, being the first call.
// Rank 0 names each case before it begins. Prints "rank R: fine" on each rank where everything was as MPI promises,
// else what was not and in which case; exit status 0 or 1.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <netinet/in.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;
bool good = true;
std::string now;  ///< the case that runs, as it was asked for
int heard = 0;    ///< calls of error handlers in this case

void expect(bool ok, const std::string& what) {
  if (ok) return;
  good = false;
  std::printf("rank %d: %s: %s\n", rank, now.c_str(), what.c_str());
  std::fflush(stdout);
}

int class_of(int code) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  return found;
}

bool preloaded() { return dlsym(RTLD_DEFAULT, "trunkline_version") != nullptr; }

void choose(const char* choice) {
  using Set = int(const char*, const char*);
  auto* const set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "trunkline_set"));
  if (set == nullptr) return;
  bool taken = false;
  for (const char* const collective : {"bcast", "reduce", "allreduce", "reduce-scatter", "allgather"}) {
    set(collective, "auto");  // what has no such algorithm does not keep that of the case before
    taken = set(collective, choice) == 0 || taken;
  }
  expect(taken, std::string("refused: ") + choice);
}

MPI_Comm copy_of(MPI_Comm communicator, MPI_Errhandler handler) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(communicator, &copy);
  MPI_Comm_set_errhandler(copy, handler);
  return copy;
}

unsigned char content(std::size_t i, int serial) {
  return static_cast<unsigned char>(i * 13 + (i >> 9) + static_cast<std::size_t>(serial) * 7 + 1);
}

/// A broadcast that must be right.
void right(MPI_Comm communicator, int bytes, int root, int serial, const std::string& what) {
  int own = 0;
  MPI_Comm_rank(communicator, &own);
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes), 0);
  for (std::size_t i = 0; own == root && i < data.size(); ++i) data[i] = content(i, serial);
  const int code = MPI_Bcast(data.data(), bytes, MPI_BYTE, root, communicator);
  expect(code == MPI_SUCCESS, what + ": error " + std::to_string(class_of(code)));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) wrong += data[i] != content(i, serial) ? 1U : 0U;
  expect(wrong == 0, what + ": " + std::to_string(wrong) + " wrong bytes");
}

long resident_kib(const char* field = "VmRSS:") {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stol(line.substr(std::strlen(field)));
  }
  return 0;
}

/// The greatest size of this process counts anew. What earlier cases left free is given back, so that it hides nothing.
void forget_greatest_size() {
  malloc_trim(0);
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  expect(file.good(), "/proc/self/clear_refs cannot be written");
}

/// The last rank passes another size. It must hear of it, nobody may wait for ever, and other communicators go on.
void other_size(int usual, int last) {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int bytes = rank == ranks - 1 ? last : usual;
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes), 0);
  for (std::size_t i = 0; rank == 0 && i < data.size(); ++i) data[i] = content(i, 1);
  const int code = MPI_Bcast(data.data(), bytes, MPI_BYTE, 0, copy);
  const std::size_t usable = static_cast<std::size_t>(std::min(usual, last));
  bool same = true;
  for (std::size_t i = 0; i < usable; ++i) same = same && data[i] == content(i, 1);
  expect(code != MPI_SUCCESS || same, "success, and wrong bytes");
  if (rank == ranks - 1 && preloaded())
    expect(class_of(code) == MPI_ERR_TRUNCATE, "class " + std::to_string(class_of(code)));
  right(MPI_COMM_WORLD, 20000, 0, 2, "another communicator afterwards");
  right(MPI_COMM_WORLD, 3000, ranks - 1, 3, "another root afterwards");
}

void shorter() { other_size(50000, 100000); }
void longer() { other_size(50000, 10000); }
void little_shorter() { other_size(5000, 5001); }

void other_root() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<char> data(40000, 1);
  const int code = MPI_Bcast(data.data(), 40000, MPI_BYTE, rank == ranks - 1 ? 1 : 0, copy);
  if (preloaded() && rank == ranks - 1) expect(code != MPI_SUCCESS, "another root than the others is no error");
  right(MPI_COMM_WORLD, 20000, 0, 2, "another communicator afterwards");
}

/// A rank whose own call is wrong takes no part in it: messages for it stay behind, which are not for another
/// communicator. To be run over a tree in which the last rank has no children.
void error_elsewhere() {
  const MPI_Comm first = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right(MPI_COMM_WORLD, 4000, 0, 1, "the world");
  right(first, 4000, 0, 2, "before");
  std::vector<char> data(4000, 99);
  const int code = MPI_Bcast(data.data(), rank == ranks - 1 ? -1 : 4000, MPI_BYTE, 0, first);
  expect((code != MPI_SUCCESS) == (rank == ranks - 1), "class " + std::to_string(class_of(code)));
  const MPI_Comm second = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 5; ++turn) right(second, 4000, 0, 3 + turn, "another communicator");
  right(MPI_COMM_WORLD, 4000, 0, 9, "the world afterwards");
}

/// Rank 1 gives up, the last rank is late: what is on its way to it must not change when the root's call is over.
void late_beside_a_faulty_one() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right(copy, 4000, 0, 1, "before");
  constexpr std::size_t bytes = 512 << 10;
  std::vector<unsigned char> data(bytes, 0);
  for (std::size_t i = 0; rank == 0 && i < bytes; ++i) data[i] = content(i, 1);
  if (rank == ranks - 1) sleep(2);
  const int code = MPI_Bcast(data.data(), rank == 1 ? 4000 : static_cast<int>(bytes), MPI_BYTE, 0, copy);
  bool same = true;
  for (std::size_t i = 0; i < bytes; ++i) same = same && data[i] == content(i, 1);
  if (rank == 0) std::fill(data.begin(), data.end(), static_cast<unsigned char>(7));
  if (rank == ranks - 1) expect(code != MPI_SUCCESS || same, "success, and not what the root sent");
  if (rank == 1 && preloaded()) expect(class_of(code) == MPI_ERR_TRUNCATE, "class " + std::to_string(class_of(code)));
  right(MPI_COMM_WORLD, 20000, 0, 2, "another communicator afterwards");
}

/// As often as tags come round, and more.
void errors_again_and_again() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<char> data(9000, 1);
    MPI_Bcast(data.data(), rank == ranks - 1 ? 9000 : 5000, MPI_BYTE, 0, copy);
    for (int after = 0; after < 40; ++after) right(copy, 5000 + after, after % ranks, after, "after an error");
  }
}

/// The call that follows an erroneous one is like it in all but its data: what was on its way then, while the others
/// had not heard yet, is not for this one.
void the_same_again() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<char> data(400000, 1);
    MPI_Bcast(data.data(), rank == ranks - 1 ? 100000 : 400000, MPI_BYTE, 0, copy);
    right(copy, 400000, 0, turn, "after an error");
  }
}

struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void throwing(MPI_Comm*, int*, ...) { throw Thrown("from the handler"); }

/// A handler that leaves by an exception is caught by the program, whoever found the error.
void handler_throws() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throwing, &handler);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  right(copy, 3000, 0, 1, "before");
  std::vector<char> data(100000, 1);
  int caught = 0;
  for (int turn = 0; turn < 3; ++turn) {
    try {
      MPI_Bcast(data.data(), 3000, MPI_BYTE, ranks + 2, copy);
    } catch (const Thrown&) {
      ++caught;
    }
  }
  expect(caught == 3, "a wrong root: caught " + std::to_string(caught) + " of 3");
  if (!preloaded()) return;  // what follows is left open by MPI
  caught = 0;
  try {
    MPI_Bcast(data.data(), rank == ranks - 1 ? 100000 : 50000, MPI_BYTE, 0, copy);
  } catch (const std::exception& error) {
    caught += std::string(error.what()) == "from the handler" ? 1 : 0;
  }
  if (rank == ranks - 1) expect(caught == 1, "other sizes: not caught");
  right(MPI_COMM_WORLD, 30000, 0, 4, "afterwards");
}

MPI_Comm elsewhere = MPI_COMM_NULL;
void broadcasting(MPI_Comm*, int*, ...) {
  ++heard;
  right(elsewhere, 5000, 0, 8, "in the handler");
}

void handler_broadcasts() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(broadcasting, &handler);
  elsewhere = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  std::vector<char> data(5000, 1);
  MPI_Bcast(data.data(), 5000, MPI_BYTE, ranks + 2, copy);
  expect(heard == 1, "the handler was called " + std::to_string(heard) + " times");
}

void aborting(MPI_Comm*, int*, ...) { MPI_Abort(MPI_COMM_WORLD, 3); }

void handler_aborts() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(aborting, &handler);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  std::vector<char> data(100000, 1);
  MPI_Bcast(data.data(), rank == ranks - 1 ? 100000 : 50000, MPI_BYTE, 0, copy);
  sleep(20);  // for the others' end
}

int hear(MPI_Comm, int code) {
  ++heard;
  return code;
}
void hearing(MPI_Comm* communicator, int* code, ...) { hear(*communicator, *code); }
void unheard(MPI_Comm*, int*, ...) { expect(false, "MPI_COMM_WORLD's handler heard of it"); }

/// Reported to the communicator's handler, once.
void invalid_datatype() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler wrong = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(hearing, &handler);
  MPI_Comm_create_errhandler(unheard, &wrong);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, wrong);
  std::vector<char> data(5000, 1);
  right(copy, 5000, 0, 1, "before");
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_vector(10, 1, 2, MPI_INT, &apart);
  MPI_Bcast(data.data(), 10, apart, 0, copy);  // not committed
  expect(heard == 1, "not committed: the handler was called " + std::to_string(heard) + " times");
#ifndef OPEN_MPI  // whose handles are addresses: a wrong one is a segmentation fault, natively too
  heard = 0;
  MPI_Bcast(data.data(), 10, static_cast<MPI_Datatype>(MPI_COMM_WORLD), 0, copy);
  expect(heard == 1, "no datatype at all: the handler was called " + std::to_string(heard) + " times");
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// A callback that broadcasts on the communicator that is being freed.
int deletions = 0;
int broadcast_at_deletion(MPI_Comm communicator, int, void*, void*) {
  ++deletions;
  right(communicator, 6000, ranks - 1, 5, "in a delete callback");
  return MPI_SUCCESS;
}

void delete_callback() {
  for (const bool attribute_first : {true, false}) {
    for (const bool disconnect : {false, true}) {
      int key = MPI_KEYVAL_INVALID;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, broadcast_at_deletion, &key, nullptr);
      MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
      if (attribute_first) MPI_Comm_set_attr(copy, key, nullptr);
      right(copy, 6000, 0, 1, "before");
      if (!attribute_first) MPI_Comm_set_attr(copy, key, nullptr);
      deletions = 0;
      if (disconnect) {
        MPI_Comm_disconnect(&copy);
      } else {
        MPI_Comm_free(&copy);
      }
      expect(deletions == 1, "the callback ran " + std::to_string(deletions) + " times");
      MPI_Comm_free_keyval(&key);
      right(MPI_COMM_WORLD, 6000, 0, 2, "afterwards");
    }
  }
}

/// A duplicate that is still being made while broadcasts run on what it is made of.
void pending_idup() {
  for (int turn = 0; turn < 5; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm later = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(copy, &later, &request);
    right(copy, 20000, 0, turn, "beside MPI_Comm_idup");
    right(copy, 3000, ranks - 1, turn, "beside MPI_Comm_idup, another root");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right(later, 20000, 0, turn, "on the new one");
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
  }
}

void dist_graph() {
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 20000, turn % ranks, turn, "before");
    const int degree = 1;
    const int target = (rank + 1) % ranks;
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create(copy, 1, &rank, &degree, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    right(graph, 20000, 0, turn, "on the graph");
    MPI_Comm_free(&graph);
    MPI_Comm_free(&copy);
  }
}

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

/// As a garbage collector may: each rank in another order.
void freed_in_any_order() {
  std::vector<MPI_Comm> copies(static_cast<std::size_t>(ranks));
  for (MPI_Comm& copy : copies) copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (std::size_t i = 0; i < copies.size(); ++i) right(copies[i], 500, static_cast<int>(i), 0, "one of several");
  for (std::size_t i = 0; i < copies.size(); ++i) {
    MPI_Comm& copy = copies[(i + static_cast<std::size_t>(rank)) % copies.size()];
    MPI_Comm_free(&copy);
    usleep(20000);
  }
}

/// Of communicators that have come and gone nothing is left, but for the last few.
void freed_again_and_again() {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  std::ptrdiff_t first = 0;
  for (int turn = 0; turn < 200; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 500, turn % ranks, turn, "one after another");
    MPI_Comm_free(&copy);
    if (turn == 10) first = open_files();
  }
  const std::ptrdiff_t more = open_files() - first;
  expect(more < 40, std::to_string(more) + " more files are open");
}

/// As many as the library gives without us: MPICH has 2048.
void many_communicators() {
  std::vector<MPI_Comm> copies(1900, MPI_COMM_NULL);
  for (MPI_Comm& copy : copies) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    right(copy, 400, 0, 1, "one of 1900");
  }
  for (std::size_t i = 0; i < copies.size(); i += 100) right(copies[i], 4000, ranks - 1, 2, "again");
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  right(MPI_COMM_WORLD, 4000, 0, 3, "the world");
}

/// Calls again and again, which go from one rank to another that is late: what waits for it is bounded. First in bytes;
/// then in calls of one message to a rank, by turns on many communicators, on each of which ranks may run ahead.
void call_a_late_rank(int from, int late, const std::function<void()>& call,
                      const std::function<void(MPI_Comm)>& short_call) {
  constexpr int calls = 3000;
  constexpr int far = 2500;
  MPI_Barrier(MPI_COMM_WORLD);
  forget_greatest_size();
  const long before = resident_kib("VmHWM:");
  if (rank == late) sleep(1);
  for (int i = 0; i < calls; ++i) call();
  const long grown = resident_kib("VmHWM:") - before;
  expect(grown < 16384, std::to_string(grown) + " KiB more were in use");

  std::array<MPI_Comm, 50> copies{};
  for (MPI_Comm& copy : copies) {
    copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    short_call(copy);
  }
  MPI_Request telling = MPI_REQUEST_NULL;
  int is_far = 0;
  if (rank == late) {  // busy with something else, so that its library takes in what comes
    for (int i = 0; i < 2000 && is_far == 0; ++i) {
      MPI_Iprobe(from, 0, MPI_COMM_WORLD, &is_far, MPI_STATUS_IGNORE);
      usleep(500);
    }
    expect(is_far == 0, "a rank has made " + std::to_string(far) + " calls meanwhile");
  }
  for (int i = 0; i < calls; ++i) {
    if (i == far && rank == from) MPI_Isend(&is_far, 1, MPI_INT, late, 0, MPI_COMM_WORLD, &telling);
    short_call(copies[static_cast<std::size_t>(i) % copies.size()]);
  }
  if (rank == late) MPI_Recv(&is_far, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&telling, MPI_STATUS_IGNORE);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
}

void late_rank() {
  std::vector<char> data(4000, 1);
  const auto broadcast = [&](int bytes, MPI_Comm on) { MPI_Bcast(data.data(), bytes, MPI_BYTE, 0, on); };
  call_a_late_rank(
      0, ranks - 1, [&] { broadcast(4000, MPI_COMM_WORLD); }, [&](MPI_Comm on) { broadcast(1000, on); });
  right(MPI_COMM_WORLD, 4000, 0, 1, "afterwards");
}

/// A rank that is stopped in the middle, and goes on.
void stopped_rank() {
  std::vector<char> data(4000, 1);
  for (int call = 0; call < 2000; ++call) {
    if (call == 1000 && rank == ranks - 1) {
      const pid_t own = getpid();
      std::thread([own] {}).join();
      if (fork() == 0) {
        sleep(2);
        kill(own, SIGCONT);
        _exit(0);
      }
      raise(SIGSTOP);
    }
    MPI_Bcast(data.data(), 4000, MPI_BYTE, call % ranks, MPI_COMM_WORLD);
  }
  right(MPI_COMM_WORLD, 4000, 0, 1, "afterwards");
}

/// A correct program: the root is far ahead of the last rank, which waits for one that is late. Nobody may take
/// messages of calls to come, of other sizes, for a disagreement about this one.
void far_ahead() {
  for (int round = 0; round < 3; ++round) {
    choose("unaware-linear");
    if (rank == ranks - 2) sleep(1);
    right(MPI_COMM_WORLD, 3000, 0, 1, "down the line");
    choose("flat");
    for (int call = 0; call < 1500; ++call)
      right(MPI_COMM_WORLD, 10 + call % 700, 0, call, "call " + std::to_string(call));
  }
}

/// The launcher ends the job; nobody waits for the dead.
void killed_rank() {
  std::vector<char> data(4000, 1);
  for (int call = 0; call < 1000000; ++call) {
    if (call == 500 && rank == ranks - 1) raise(SIGKILL);
    MPI_Bcast(data.data(), 4000, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (call > 600) usleep(1000);
  }
}

/// Memory that is not there for the last rank's segments of 16 MiB: an error there, and the others do not wait for it.
void out_of_memory() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, 2, &apart);
  MPI_Type_commit(&apart);
  right(copy, 3000, 0, 1, "before");
  std::vector<char> data(std::size_t{64} << 20, 1);
  if (rank == ranks - 1) {
    constexpr rlim_t spare = 8 << 20;  // enough for the MPI library, not for segments of 16 MiB
    const rlimit limit{.rlim_cur = (static_cast<rlim_t>(resident_kib("VmSize:")) << 10) + spare,
                       .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
  }
  const int code = MPI_Bcast(data.data(), 32 << 20, apart, 0, copy);
  if (rank == ranks - 1) {
    const rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    expect(!preloaded() || class_of(code) == MPI_ERR_NO_MEM, "class " + std::to_string(class_of(code)));
  }
  right(MPI_COMM_WORLD, 3000, 0, 2, "another communicator afterwards");
}

/// For the preload library of the last rank alone: what it needs before the first message. Each call has a communicator
/// and a root of its own, so that something is always to be planned.
void without_memory_to_plan(long bytes) {
  using From = void(long);
  using Over = long();
  auto* const from_now = reinterpret_cast<From*>(dlsym(RTLD_DEFAULT, "scarce_from_now"));
  auto* const over = reinterpret_cast<Over*>(dlsym(RTLD_DEFAULT, "scarce_no_more"));
  expect(from_now != nullptr && over != nullptr, "libruntime-scarce.so is not preloaded");
  if (!good) return;
  long times = 0;
  for (int serial = 0; serial < 40; ++serial) {
    MPI_Comm part = MPI_COMM_NULL;
    const bool apart = serial % 2 == 1 && rank == 1;  // other processes: none of the plans is known
    MPI_Comm_split(MPI_COMM_WORLD, apart ? 1 : 0, serial % 3 == 0 ? -rank : rank, &part);
    int members = 0;
    MPI_Comm_size(part, &members);
    right(MPI_COMM_WORLD, 3000, 0, serial, "with memory");
    if (rank == ranks - 1) from_now(bytes + 40 * serial);
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    int own = 0;
    MPI_Comm_rank(part, &own);
    std::vector<unsigned char> data(static_cast<std::size_t>(20000 + serial), 0);
    for (std::size_t i = 0; own == serial % members && i < data.size(); ++i) data[i] = content(i, serial);
    const int code = MPI_Bcast(data.data(), 20000 + serial, MPI_BYTE, serial % members, part);
    times += over();
    bool same = true;
    for (std::size_t i = 0; i < data.size(); ++i) same = same && data[i] == content(i, serial);
    expect(code != MPI_SUCCESS || same, "success, and wrong bytes");
    expect(code == MPI_SUCCESS || class_of(code) == MPI_ERR_NO_MEM, "class " + std::to_string(class_of(code)));
    MPI_Comm_free(&part);
  }
  if (rank == ranks - 1 && preloaded()) expect(times > 0, "there was memory enough");
  right(MPI_COMM_WORLD, 3000, 0, 2, "afterwards");
}

void little_memory_to_plan() { without_memory_to_plan(0); }

/// Even the reserve is gone: the debt is greater.
void no_memory_to_plan() { without_memory_to_plan(-(1L << 40)); }

void out_of_descriptors() {
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  rlimit limit = usual;
  limit.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &limit);
  right(MPI_COMM_WORLD, 30000, 0, 1, "without descriptors");
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  right(copy, 30000, ranks - 1, 2, "on a new communicator");
  setrlimit(RLIMIT_NOFILE, &usual);
}

/// Threads that are given little stack.
void small_stack() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread{};
  const auto body = [](void*) -> void* {
    right(MPI_COMM_WORLD, 100000, 0, 1, "on a small stack");
    return nullptr;
  };
  pthread_create(&thread, &attributes, body, nullptr);
  pthread_join(thread, nullptr);
}

void ending_the_thread(MPI_Comm*, int*, ...) {
  ++heard;
  pthread_exit(nullptr);
}

/// Unwinds as thread cancellation does: no frame may stop it.
void handler_ends_thread() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(ending_the_thread, &handler);
  const auto unwound = [handler](int bytes, int root) {
    const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
    bool destroyed = false;
    struct Guard {
      bool& destroyed;
      ~Guard() { destroyed = true; }
    };
    std::thread([&] {
      const Guard guard{destroyed};
      std::vector<char> data(static_cast<std::size_t>(bytes), 1);
      MPI_Bcast(data.data(), bytes, MPI_BYTE, root, copy);
    }).join();
    return destroyed;
  };
  expect(unwound(3000, ranks + 2) && heard == 1, "a wrong root");
  if (preloaded()) expect(unwound(rank == ranks - 1 ? 100000 : 50000, 0) && (heard == 2 || rank < ranks - 1), "sizes");
  right(MPI_COMM_WORLD, 30000, 0, 4, "afterwards");
}

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
void session() {
  MPI_Session made = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(made, "mpi://WORLD", &group);
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, "runtime-faults", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &communicator);
  right(communicator, 30000, 0, 1, "on a session's communicator");
  right(MPI_COMM_WORLD, 30000, 0, 2, "the world beside it");
  right(communicator, 3000, ranks - 1, 3, "on a session's communicator, another root");
  MPI_Comm_free(&communicator);
  MPI_Group_free(&group);
  MPI_Session_finalize(&made);
}
#endif

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
/// A root that revokes the communicator: the others wait in the broadcast already, and hear of it; so do later calls.
void revoked() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right(copy, 30000, 0, 1, "before");
  if (rank == 0) {
    sleep(1);
    MPIX_Comm_revoke(copy);
  }
  std::vector<double> data(5000, 1.0);
  const int waiting = MPI_Bcast(data.data(), 5000, MPI_DOUBLE, 0, copy);
  expect(class_of(waiting) == MPIX_ERR_REVOKED, "waiting: class " + std::to_string(class_of(waiting)));
  const int later = MPI_Allreduce(MPI_IN_PLACE, data.data(), 5000, MPI_DOUBLE, MPI_SUM, copy);
  expect(class_of(later) == MPIX_ERR_REVOKED, "later: class " + std::to_string(class_of(later)));
  right(MPI_COMM_WORLD, 30000, 0, 2, "the world afterwards");
}
#endif

using Sums = std::vector<long long>;

/// MPI_Reduce to rank 0, or MPI_Allreduce, of ones.
int add_up(bool to_all, const Sums& own, Sums& all, MPI_Comm communicator) {
  const int count = static_cast<int>(own.size());
  return to_all ? MPI_Allreduce(own.data(), all.data(), count, MPI_LONG_LONG, MPI_SUM, communicator)
                : MPI_Reduce(own.data(), all.data(), count, MPI_LONG_LONG, MPI_SUM, 0, communicator);
}

/// Both kinds, which must be right.
void right_sums(MPI_Comm communicator, int count, const std::string& what) {
  for (const bool to_all : {false, true}) {
    const Sums own(static_cast<std::size_t>(count), rank + 1);
    Sums all(own.size(), -1);
    const int code = add_up(to_all, own, all, communicator);
    expect(code == MPI_SUCCESS, what + ": error " + std::to_string(class_of(code)));
    if (!to_all && rank != 0) continue;
    const long long sum = static_cast<long long>(ranks) * (ranks + 1) / 2;
    expect(std::count(all.begin(), all.end(), sum) == count, what + ": wrong sums");
  }
}

/// The last rank's operand is of another length. Nobody may wait for ever, nobody may have a wrong result without an
/// error, and other communicators go on.
void other_operand(int usual, int last) {
  for (const bool to_all : {false, true}) {
    const std::string what = to_all ? "allreduce" : "reduce";
    const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    right_sums(copy, usual, "before");
    const Sums own(static_cast<std::size_t>(rank == ranks - 1 ? last : usual), 1);
    Sums all(own.size(), -1);
    const int code = add_up(to_all, own, all, copy);
    const bool has_result = to_all || rank == 0;
    expect(code != MPI_SUCCESS || !has_result, what + ": success, and not everybody's operand");
    if (code != MPI_SUCCESS) {
      expect(class_of(code) == MPI_ERR_TRUNCATE || class_of(code) == MPI_ERR_OTHER,
             what + ": class " + std::to_string(class_of(code)));
    }
    right_sums(MPI_COMM_WORLD, 2500, "another communicator afterwards");
    right(MPI_COMM_WORLD, 20000, ranks - 1, 2, "a broadcast afterwards");
  }
}

void shorter_operand() { other_operand(6000, 3000); }
void longer_operand() { other_operand(6000, 12000); }
void little_longer_operand() { other_operand(600, 601); }

/// Ranks take one call for a reduction, the last one for a broadcast.
void other_collective() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right_sums(copy, 1000, "before");
  const Sums own(1000, 1);
  Sums all(own.size(), -1);
  const bool odd = rank == ranks - 1;
  const int code = odd ? MPI_Bcast(all.data(), 1000, MPI_LONG_LONG, 0, copy) : add_up(true, own, all, copy);
  expect(code != MPI_SUCCESS, "success of calls that do not belong together");
  right_sums(MPI_COMM_WORLD, 2500, "another communicator afterwards");
}

/// The last rank's share is shorter than the others expect, or it expects longer ones.
void other_shares() {
  const int expected = 1000;
  for (const bool reduces : {false, true}) {
    const std::string what = reduces ? "reduce-scatter" : "allgather";
    const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const bool odd = rank == ranks - 1;
    const std::vector<int> counts(static_cast<std::size_t>(ranks), odd ? 2 * expected : expected);
    Sums many(static_cast<std::size_t>(ranks) * 2 * expected, 1);
    Sums few(2 * expected, 1);
    const int code = reduces ? MPI_Reduce_scatter(many.data(), few.data(), counts.data(), MPI_LONG_LONG, MPI_SUM, copy)
                             : MPI_Allgather(few.data(), odd ? expected - 100 : expected, MPI_LONG_LONG, many.data(),
                                             expected, MPI_LONG_LONG, copy);
    expect(code != MPI_SUCCESS, what + ": success, and shares differ");
    right_sums(MPI_COMM_WORLD, 2500, "another communicator afterwards");
  }
}

void operand_handler_throws() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throwing, &handler);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  right_sums(copy, 1000, "before");
  const Sums own(rank == ranks - 1 ? 12000 : 6000, 1);
  Sums all(own.size(), -1);
  bool caught = false;
  try {
    add_up(true, own, all, copy);
  } catch (const Thrown&) {
    caught = true;
  }
  expect(caught, "other operands: not caught");
  right_sums(MPI_COMM_WORLD, 1000, "afterwards");
}

/// Reductions to one root.
void late_reduce_root() {
  const Sums own(500, 1);
  const Sums few(100, 1);
  Sums all(own.size(), -1);
  right_sums(MPI_COMM_WORLD, 500, "before");
  call_a_late_rank(
      ranks - 1, 0, [&] { add_up(false, own, all, MPI_COMM_WORLD); },
      [&](MPI_Comm on) { add_up(false, few, all, on); });
  right_sums(MPI_COMM_WORLD, 500, "afterwards");
}

void killed_in_allreduce() {
  const Sums own(500, 1);
  Sums all(own.size(), -1);
  for (int call = 0; call < 1000000; ++call) {
    if (call == 500 && rank == ranks - 1) raise(SIGKILL);
    add_up(true, own, all, MPI_COMM_WORLD);
    if (call > 600) usleep(1000);
  }
}

/// Sizes on both sides of what is worth a plan: the root is in MPI's broadcast, the others wait in ours, for ever.
void on_both_sides_of_the_floor() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(copy, "uneven");
  right(copy, 5000, 0, 1, "before");
  std::vector<char> data(5000, 1);
  alarm(15);  // ends this process, and the job with it
  MPI_Bcast(data.data(), rank == 0 ? 100 : 5000, MPI_BYTE, 0, copy);
  if (rank == 0) sleep(30);
}

/// Late by longer than others keep silent; then all is right.
void late_for_long() {
  right(MPI_COMM_WORLD, 5000, 0, 1, "before");
  if (rank == 0) sleep(11);
  right(MPI_COMM_WORLD, 5000, 0, 2, "of a late root");
  if (rank == 0) sleep(11);
  right(MPI_COMM_WORLD, 5000, 0, 3, "of a late root, again");
}

/// Allgather is the first call of the program's own: what it gets must be its own; and no message but its own is seen.
void first_allgather() {
  std::vector<int> all(static_cast<std::size_t>(ranks), -1);
  int stray = 0;
  for (int look = 0; look < 1000; ++look)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &stray, MPI_STATUS_IGNORE);
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int other = 0; other < ranks; ++other) expect(all[static_cast<std::size_t>(other)] == other, "wrong gather");
  right(MPI_COMM_WORLD, 200000, 0, 1, "a broadcast");
  MPI_Barrier(MPI_COMM_WORLD);
  if (stray == 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &stray, MPI_STATUS_IGNORE);
  expect(stray == 0, "a message that is not the program's");
}

const std::map<std::string, std::function<void()>> cases {
  {"shorter", shorter}, {"longer", longer}, {"little-shorter", little_shorter}, {"other-root", other_root},
      {"error-elsewhere", error_elsewhere}, {"late-beside-a-faulty-one", late_beside_a_faulty_one},
      {"errors-again-and-again", errors_again_and_again}, {"the-same-again", the_same_again},
      {"handler-throws", handler_throws}, {"handler-broadcasts", handler_broadcasts},
      {"handler-aborts", handler_aborts}, {"handler-ends-thread", handler_ends_thread},
      {"invalid-datatype", invalid_datatype}, {"delete-callback", delete_callback}, {"pending-idup", pending_idup},
      {"deaf-rank", [] { deaf_rank(6); }}, {"deaf-rank-later", [] { deaf_rank(30); }},
      {"absent-root", [] { absent_root(false); }}, {"absent-root-over-tcp", [] { absent_root(true); }},
      {"absent-at-the-end", absent_at_the_end}, {"freed-by-the-root", freed_by_the_root},
      {"freed-in-any-order", freed_in_any_order}, {"freed-again-and-again", freed_again_and_again},
      {"forged-datagrams", forged_datagrams}, {"dist-graph", dist_graph}, {"many-communicators", many_communicators},
      {"late-rank", late_rank}, {"stopped-rank", stopped_rank}, {"far-ahead", far_ahead}, {"killed-rank", killed_rank},
      {"out-of-memory", out_of_memory}, {"little-memory-to-plan", little_memory_to_plan},
      {"no-memory-to-plan", no_memory_to_plan}, {"out-of-descriptors", out_of_descriptors},
      {"small-stack", small_stack}, {"first-allgather", first_allgather}, {"other-shares", other_shares},
      {"shorter-operand", shorter_operand}, {"longer-operand", longer_operand},
      {"little-longer-operand", little_longer_operand}, {"other-collective", other_collective},
      {"operand-handler-throws", operand_handler_throws}, {"late-reduce-root", late_reduce_root},
      {"killed-in-allreduce", killed_in_allreduce}, {"on-both-sides-of-the-floor", on_both_sides_of_the_floor},
      {"late-for-long", late_for_long},
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
      {"session", session},
#endif
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
      {"revoked", revoked},
#endif
};

/// What was asked for: a case, and the choice of algorithm for it; "" where it keeps what there is.
struct Asked {
  std::string name;
  std::string choice;
};

Asked asked(const std::string& word) {
  const std::size_t at = word.find('@');
  return {word.substr(0, at), at == std::string::npos ? "" : word.substr(at + 1)};
}

void run(const std::string& word) {
  const Asked one = asked(word);
  now = word;
  heard = 0;
  if (rank == 0) std::printf("%s begins\n", word.c_str());
  std::fflush(stdout);
  if (!one.choice.empty()) choose(one.choice.c_str());
  cases.at(one.name)();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool known =
      std::all_of(words.begin(), words.end(), [](const std::string& word) { return cases.contains(asked(word).name); });
  // With threads, MPICH holds a lock while it calls an error handler: one that throws would leave it locked.
  const bool threads = !words.empty() && asked(words.front()).name == "small-stack";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (words.empty() || !known) {
    for (const auto& [name, body] : cases) std::printf("%s\n", name.c_str());
    MPI_Finalize();
    return 2;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) PMPI_Barrier(MPI_COMM_WORLD);  // a case that hangs is the one that was named last
    run(words[i]);
  }
  MPI_Finalize();
  if (good) std::printf("rank %d: fine\n", rank);
  return good ? 0 : 1;
}
