// SPDX-License-Identifier: Apache-2.0
#include "priority.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace trunkline::fabric {

namespace {

/// The kernel's struct sched_attr, first version; the C library does not have it everywhere.
struct SchedulerAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime_ns;
  std::uint64_t deadline_ns;
  std::uint64_t period_ns;
};

bool take_short_slice() {
  // Since Linux 6.12 the run time of an ordinary thread is the slice it asks for; shorter slices are served sooner.
  SchedulerAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.policy = SCHED_OTHER;
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  attributes.runtime_ns = 100000;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

}  // namespace

std::string_view take_priority() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  sched_param real_time{};
  real_time.sched_priority = sched_get_priority_min(SCHED_FIFO) + 1;
  if (sched_setscheduler(0, SCHED_FIFO, &real_time) == 0) {
    return "fifo";
  }
  if (setpriority(PRIO_PROCESS, 0, -20) == 0) {
    return "nice";
  }
  return take_short_slice() ? "slice" : "none";
}

}  // namespace trunkline::fabric
