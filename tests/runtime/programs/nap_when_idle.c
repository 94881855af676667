/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into all ranks: one that yields again and again sleeps now and then, for as long as a message takes on one
 * host, or for NAP_US where a test waits for long. A test has more ranks than the machine has processors, and several
 * tests run at once: ranks that only yield take turns with those that have something to do, and half of the
 * processors' time goes there. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { yields_between_naps = 3 };
static long nap_ns = 100000;

__attribute__((constructor)) static void read_setting(void) {
  const char* const set = getenv("NAP_US");
  if (set != NULL) nap_ns = 1000 * strtol(set, NULL, 10);
}

__attribute__((visibility("default"))) int sched_yield(void) {
  static _Thread_local int yields = -1;
  const struct timespec nap = {0, nap_ns};
  if (yields < 0) prctl(PR_SET_TIMERSLACK, 1UL); /* naps as short as they are meant to be */
  if (++yields < yields_between_naps) return (int)syscall(SYS_sched_yield);
  yields = 0;
  return nanosleep(&nap, NULL);
}
