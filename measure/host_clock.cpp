// SPDX-License-Identifier: Apache-2.0
#include "host_clock.hpp"

#include <sys/timex.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

namespace trunkline::measure {
namespace {

constexpr int id_length = 36;
/// Hosts of a lab have boot ids of their own that begin like this, as no kernel's does, and one kernel (lab/host.py).
constexpr std::string_view of_a_lab = "00000000-0000-0000-0000-";

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t WatchedClock::now() {
  const std::int64_t before = nanoseconds(CLOCK_MONOTONIC);
  const std::int64_t wall = nanoseconds(CLOCK_REALTIME);
  seen(before, wall, nanoseconds(CLOCK_MONOTONIC));
  return wall;
}

bool is_one_clock(const ClockCard& one, const ClockCard& other) {
  constexpr std::int64_t slack_ns = WatchedClock::rounding_ns;
  return one.boot[0] != '\0' && std::string_view(one.boot) == other.boot &&
         one.apart_ns[0] <= other.apart_ns[1] + slack_ns && other.apart_ns[0] <= one.apart_ns[1] + slack_ns;
}

ClockCard worse_of(ClockCard before, const ClockCard& after) {
  before.is_told = std::min(before.is_told, after.is_told);
  before.is_synced = std::min(before.is_synced, after.is_synced);
  before.was_set = std::max(before.was_set, after.was_set);
  before.most_s = std::max(before.most_s, after.most_s);
  std::ranges::copy(after.apart_ns, before.apart_ns);  // of all looks so far
  return before;
}

ClockCard clock_card(const WatchedClock& clock) {
  ClockCard card;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/sys/kernel/random/boot_id", "re"),
                                                             &std::fclose);
  if (file != nullptr && std::fgets(card.boot, id_length + 1, file.get()) == nullptr) card.boot[0] = '\0';
  if (std::string_view(card.boot).starts_with(of_a_lab)) card.boot[of_a_lab.size()] = '\0';
  timex asked{};  // no modes: a question
  const int state = adjtimex(&asked);
  card.is_told = state >= 0 ? 1 : 0;
  card.is_synced = state >= 0 && state != TIME_ERROR && (asked.status & STA_UNSYNC) == 0 ? 1 : 0;
  card.most_s = 1e-6 * static_cast<double>(asked.maxerror);
  card.was_set = clock.was_set() ? 1 : 0;
  card.apart_ns[0] = clock.least_apart_ns();
  card.apart_ns[1] = clock.most_apart_ns();
  return card;
}

}  // namespace trunkline::measure
