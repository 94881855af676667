/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into all ranks: one that would yield again and again because it has nothing to do looks a few times more,
 * then sleeps for as long as a message takes on one host, or for NAP_US where a test waits for long. A test has more
 * ranks than the machine has processors, and several tests run at once: ranks that yield take turns with those that
 * have something to do, and half of the processors' time goes there. Who yields also stands behind everybody else: on a
 * busy machine a job then takes ten times as long. Who sleeps goes first when it wakes. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { looks_between_naps = 3 };
static long nap_ns = 100000;

__attribute__((constructor)) static void read_setting(void) {
  const char* const set = getenv("NAP_US");
  if (set != NULL) nap_ns = 1000 * strtol(set, NULL, 10);
}

__attribute__((visibility("default"))) int sched_yield(void) {
  static _Thread_local int looks = -1;
  const struct timespec nap = {0, nap_ns};
  if (looks < 0) prctl(PR_SET_TIMERSLACK, 1UL); /* naps as short as they are meant to be */
  if (++looks < looks_between_naps) return 0;
  looks = 0;
  return nanosleep(&nap, NULL);
}
