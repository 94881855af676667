// SPDX-License-Identifier: Apache-2.0
#include "probe/hosts.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>

namespace trunkline::fabric::probe {

namespace {

constexpr std::uint16_t port = 5201;
constexpr std::uint32_t first_address = (198U << 24U) + (18U << 16U);  // 198.18.0.0/15, for benchmarks of networks

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

sockaddr_in address_of(std::uint32_t address) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(address);
  return at;
}

void without_delay(int socket) {
  const int on = 1;
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
    fail("TCP_NODELAY");
  }
}

void enter(const Lab& lab, HostIndex host) {
  std::string path = lab.folder + "/" + lab.cluster.nodes()[lab.cluster.hosts()[host]].name;
  unsigned process = 0;
  if (std::ifstream(path) >> process) {
    path = "/proc/" + std::to_string(process) + "/ns/net";
  }
  const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) {
    fail(path);
  }
  close(space);
}

[[noreturn]] void child(const Lab& lab, HostIndex host, unsigned i, const std::function<void(unsigned)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    enter(lab, host);
    body(i);
    _exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "on host %u: %s\n", host, error.what());
    _exit(1);
  }
}

}  // namespace

struct Shared::Memory {
  pthread_barrier_t barrier;
  double seconds[];
};

Shared::Shared(unsigned processes) : bytes_(sizeof(Memory) + processes * sizeof(double)), processes_(processes) {
  void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    fail("shared memory");
  }
  memory_ = static_cast<Memory*>(mapped);
  pthread_barrierattr_t attributes{};
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&memory_->barrier, &attributes, processes);
  pthread_barrierattr_destroy(&attributes);
}

Shared::~Shared() { munmap(memory_, bytes_); }

void Shared::wait() { pthread_barrier_wait(&memory_->barrier); }

std::span<double> Shared::seconds() { return {memory_->seconds, processes_}; }

void on_each(const Lab& lab, std::span<const HostIndex> hosts, const std::function<void(unsigned)>& body) {
  std::vector<pid_t> children;
  std::fflush(nullptr);
  for (unsigned i = 0; i < hosts.size(); ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      child(lab, hosts[i], i, body);
    }
    if (pid < 0) {
      fail("fork");
    }
    children.push_back(pid);
  }
  bool failed = false;
  for (std::size_t left = children.size(); left > 0; --left) {
    int status = 0;
    if (waitpid(-1, &status, 0) < 0) {
      fail("waiting for the processes on the hosts");
    }
    if (status != 0 && !failed) {
      failed = true;
      for (const pid_t pid : children) {
        kill(pid, SIGKILL);
      }
    }
  }
  if (failed) {
    throw std::runtime_error("a process on a host failed");
  }
}

int listen_here() {
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  const sockaddr_in any = address_of(INADDR_ANY);
  if (listening < 0 || setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listening, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 || listen(listening, 1) != 0) {
    fail("listening");
  }
  return listening;
}

int accept_from(int listening) {
  const int accepted = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (accepted < 0) {
    fail("accepting");
  }
  without_delay(accepted);
  return accepted;
}

int connect_to(HostIndex host) {
  const int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = address_of(first_address + host + 1);
  if (connected < 0 || connect(connected, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    fail("connecting to host " + std::to_string(host));
  }
  without_delay(connected);
  return connected;
}

void read_all(int socket, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = read(socket, bytes.data(), bytes.size());
    if (got < 0) {
      fail("receiving");
    }
    if (got == 0) {
      throw std::runtime_error("receiving: connection closed");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void write_all(int socket, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(socket, bytes.data(), bytes.size());
    if (put < 0) {
      fail("sending");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace trunkline::fabric::probe
