// SPDX-License-Identifier: Apache-2.0
#include "startup/arrivals.hpp"

#include <dirent.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>
#include <memory>
#include <string_view>

namespace trunkline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int waits_between_looks = 99;

/// One that is closed in all processes leaves the set by itself. Edges alone are told: this file takes nothing of what
/// has arrived.
void add(int set, int descriptor) noexcept {
  int type = 0;
  socklen_t length = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return;  // no socket
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLET;
  epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);  // where it is in the set already, it stays
}

}  // namespace

Arrivals::Arrivals() noexcept : set_(epoll_create1(EPOLL_CLOEXEC)) {}

Arrivals::~Arrivals() {
  if (set_ >= 0) close(set_);
}

void Arrivals::listen() noexcept {
  const Clock::time_point begin = Clock::now();
  if (set_ < 0 || begin < next_look_) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  while (const dirent* const entry = folder != nullptr ? readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    int descriptor = -1;
    const auto [end, error] = std::from_chars(name.begin(), name.end(), descriptor);
    if (error == std::errc() && end == name.end()) add(set_, descriptor);
  }
  const Clock::time_point end = Clock::now();
  next_look_ = end + waits_between_looks * (end - begin);
}

bool Arrivals::wait(std::chrono::nanoseconds longest) noexcept {
  constexpr std::chrono::nanoseconds second = std::chrono::seconds(1);
  pollfd set{.fd = set_, .events = POLLIN, .revents = 0};
  const timespec most{.tv_sec = longest / second, .tv_nsec = (longest % second).count()};
  if (ppoll(&set, 1, &most, nullptr) <= 0) return false;
  std::array<epoll_event, 16> events{};
  while (epoll_wait(set_, events.data(), events.size(), 0) == static_cast<int>(events.size())) {
  }
  return true;
}

}  // namespace trunkline::runtime
