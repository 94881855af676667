// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/repair_thread.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "transport/datagram/repairs.hpp"
#include "transport/no_signals.hpp"

namespace trunkline::runtime {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(500);

bool told_of(const Descriptor& events, int operation, int descriptor, std::uint32_t what) {
  epoll_event event{.events = what, .data = {.fd = descriptor}};
  return epoll_ctl(events.number(), operation, descriptor, &event) == 0;
}

}  // namespace

std::shared_ptr<RepairThread> RepairThread::get() {
  static std::mutex over_one;
  static auto* const one = new std::weak_ptr<RepairThread>;  // never destroyed: see Registry of communicators
  const std::scoped_lock lock(over_one);
  if (auto there = one->lock()) return there;
  Descriptor events(epoll_create1(EPOLL_CLOEXEC));
  Descriptor end(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (events.number() < 0 || end.number() < 0 || !told_of(events, EPOLL_CTL_ADD, end.number(), EPOLLIN)) return nullptr;
  std::shared_ptr<RepairThread> made(new RepairThread(std::move(events), std::move(end)));
  try {
    const NoSignals none;
    made->thread_ = std::thread([thread = made.get()] { thread->run(); });
  } catch (const std::system_error&) {
    made.reset();
  }
  *one = made;
  return made;
}

RepairThread::RepairThread(Descriptor events, Descriptor end) : events_(std::move(events)), end_(std::move(end)) {}

RepairThread::~RepairThread() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  static_cast<void>(!write(end_.number(), &one, sizeof one));
  thread_.join();
}

std::unique_lock<std::mutex> RepairThread::enter() {
  ++others_;
  std::unique_lock lock(lock_);
  --others_;
  return lock;
}

/// A lock that is taken again at once may never come to another one who waits for it.
std::unique_lock<std::mutex> RepairThread::take_turn() {
  while (others_ > 0) std::this_thread::yield();
  return std::unique_lock(lock_);
}

bool RepairThread::watch(int descriptor, Repairs& owner, Until until) {
  watched_.push_back({.descriptor = descriptor, .owner = &owner});
  const std::uint32_t once = until == Until::it_changes ? std::uint32_t{EPOLLET} : 0;
  if (told_of(events_, EPOLL_CTL_ADD, descriptor, EPOLLIN | once)) return true;
  watched_.pop_back();
  return false;
}

void RepairThread::watch_again(int descriptor) {
  static_cast<void>(told_of(events_, EPOLL_CTL_MOD, descriptor, EPOLLIN | std::uint32_t{EPOLLET}));
}

void RepairThread::watch_for_room(int descriptor, bool is_full) {
  static_cast<void>(told_of(events_, EPOLL_CTL_MOD, descriptor, is_full ? EPOLLOUT : EPOLLIN));
}

void RepairThread::forget(const Repairs& owner) {
  forget_where([&](const Watched& one) { return one.owner == &owner; });
}

void RepairThread::forget(int descriptor) {
  forget_where([&](const Watched& one) { return one.descriptor == descriptor; });
}

/// Closing them is not enough: a process that was forked has them still.
template <class Wanted>
void RepairThread::forget_where(const Wanted& is_wanted) {
  for (const Watched& one : watched_) {
    if (is_wanted(one)) static_cast<void>(told_of(events_, EPOLL_CTL_DEL, one.descriptor, 0));
  }
  std::erase_if(watched_, is_wanted);
}

void RepairThread::look_in_soon() {
  if (!next_look_) next_look_ = std::chrono::steady_clock::now() + between_looks;
}

/// -1: for ever.
int RepairThread::patience_ms() const {
  if (!next_look_) return -1;
  const auto left = *next_look_ - std::chrono::steady_clock::now();
  return static_cast<int>(
      std::clamp(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0), between_looks)
          .count());
}

void RepairThread::look_in() {
  const auto now = std::chrono::steady_clock::now();
  if (!next_look_ || now < *next_look_) return;
  next_look_.reset();
  std::vector<Repairs*> owners;  // a copy: watched_ changes meanwhile
  for (const Watched& one : watched_) {
    if (std::ranges::find(owners, one.owner) == owners.end()) owners.push_back(one.owner);
  }
  for (Repairs* const owner : owners) owner->look_in(now);
}

/// A descriptor may be closed, and its number given to another one, between the wait and the lock: whoever owns it now
/// finds nothing there.
void RepairThread::run() {
  std::array<epoll_event, 16> ready{};
  int wait_ms = -1;
  while (true) {
    const int count = epoll_wait(events_.number(), ready.data(), static_cast<int>(ready.size()), wait_ms);
    for (int i = 0; i < count; ++i) {
      const int descriptor = ready[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == end_.number()) return;
      const auto lock = take_turn();
      const auto watched = std::ranges::find(watched_, descriptor, &Watched::descriptor);
      if (watched != watched_.end()) watched->owner->ready(descriptor);
    }
    const auto lock = take_turn();
    look_in();
    wait_ms = patience_ms();
  }
}

}  // namespace trunkline::runtime
