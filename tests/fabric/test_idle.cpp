// SPDX-License-Identifier: Apache-2.0
// The idle shim: polls that find nothing wait for a while. The times asked for are the least that waits take, so a busy
// machine changes nothing.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int polls = 200;
/// Each wait is one of at least half a millisecond: less than half of all that polls find nothing.
constexpr std::chrono::milliseconds many_waits{40};

class Watched {
 public:
  Watched() {
    epoll_event wanted{.events = EPOLLIN, .data = {.fd = event_}};
    EXPECT_EQ(epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &wanted), 0);
  }
  ~Watched() {
    close(event_);
    close(epoll_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void gets_something() const { EXPECT_EQ(eventfd_write(event_, 1), 0); }
  void gives_it() const {
    eventfd_t value = 0;
    EXPECT_EQ(eventfd_read(event_, &value), 0);
  }
  [[nodiscard]] int epoll() const { return epoll_; }
  [[nodiscard]] int event() const { return event_; }

 private:
  int event_ = eventfd(0, EFD_CLOEXEC);
  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
};

class Idle : public ::testing::Test {
 protected:
  Idle() : shim_(dlopen(TRUNKLINE_IDLE, RTLD_NOW | RTLD_LOCAL)) {
    if (shim_ == nullptr) return;
    wait_ = reinterpret_cast<decltype(wait_)>(dlsym(shim_, "epoll_wait"));
    poll_ = reinterpret_cast<decltype(poll_)>(dlsym(shim_, "poll"));
  }
  void SetUp() override { ASSERT_TRUE(wait_ != nullptr && poll_ != nullptr) << dlerror(); }

  [[nodiscard]] int look(const Watched& at) const {
    epoll_event event{};
    return wait_(at.epoll(), &event, 1, 0);
  }

  /// As libraries look that keep a list instead of an epoll descriptor.
  [[nodiscard]] int look_in_list(const Watched& at) const {
    pollfd list{.fd = at.event(), .events = POLLIN, .revents = 0};
    return poll_(&list, 1, 0);
  }

  [[nodiscard]] Clock::duration time_of_fruitless_polls(const Watched& at) const {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < polls; ++i) EXPECT_EQ(look(at), 0);
    return Clock::now() - begin;
  }

 private:
  void* shim_;
  int (*wait_)(int, epoll_event*, int, int) = nullptr;
  int (*poll_)(pollfd*, nfds_t, int) = nullptr;
};

TEST_F(Idle, PollsThatFindNothingWait) {
  const Watched quiet;
  EXPECT_GE(time_of_fruitless_polls(quiet), many_waits);
}

TEST_F(Idle, AWaitEndsWhenAnotherDescriptorThatIsPolledHasSomething) {
  const Watched quiet;
  const Watched other;
  EXPECT_EQ(look(other), 0);
  static_cast<void>(time_of_fruitless_polls(quiet));
  other.gets_something();
  EXPECT_EQ(look(quiet), 0);
  EXPECT_EQ(look(other), 1);
}

/// One thread may look at an epoll descriptor and at a list in turn, as a rank under Open MPI does in a multicast. Were
/// the list not watched, each wait would take half a millisecond; as it is, most take no time.
TEST_F(Idle, AWaitEndsWhenTheListThatIsPolledHasSomething) {
  constexpr std::chrono::microseconds less_than_any_wait{400};
  const Watched quiet;
  const Watched in_list;
  in_list.gets_something();
  int short_waits = 0;
  for (int i = 0; i < polls; ++i) {
    EXPECT_EQ(look_in_list(in_list), 1);
    EXPECT_EQ(look(quiet), 0);
    const Clock::time_point begin = Clock::now();
    EXPECT_EQ(look(quiet), 0);
    if (Clock::now() - begin < less_than_any_wait) ++short_waits;
  }
  EXPECT_GT(short_waits, polls / 2);
}

/// A socket that a library polls in some of its calls alone may fill up in others.
TEST_F(Idle, ADescriptorThatNobodyTakesFromEndsNoMoreWaits) {
  const Watched quiet;
  const Watched left_alone;
  EXPECT_EQ(look(left_alone), 0);
  left_alone.gets_something();
  EXPECT_GE(time_of_fruitless_polls(quiet), many_waits);
  EXPECT_EQ(look(left_alone), 1);
  left_alone.gives_it();
  EXPECT_GE(time_of_fruitless_polls(left_alone), many_waits);
}

/// It sends an answer, say: it will be woken by a socket again, and need not look often.
TEST_F(Idle, WorkOnWhatASocketBroughtShortensNoWaits) {
  constexpr int rounds = 200;
  const Watched socket;
  Clock::duration waited{};
  for (int i = 0; i < rounds; ++i) {
    socket.gets_something();
    EXPECT_EQ(look(socket), 1);
    socket.gives_it();
    EXPECT_EQ(look(socket), 0);
    for (const Clock::time_point end = Clock::now() + std::chrono::microseconds(200); Clock::now() < end;) {
    }
    const Clock::time_point begin = Clock::now();
    EXPECT_EQ(look(socket), 0);
    EXPECT_EQ(look(socket), 0);
    waited += Clock::now() - begin;
  }
  EXPECT_GE(waited, 2 * many_waits);
}

TEST_F(Idle, ClosedDescriptorsAreForgotten) {
  const Watched quiet;
  {
    const Watched closed;
    EXPECT_EQ(look(closed), 0);
  }
  EXPECT_GE(time_of_fruitless_polls(quiet), many_waits);
}

}  // namespace
