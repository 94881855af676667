// SPDX-License-Identifier: Apache-2.0
// Preloaded: gives hosts of a lab clocks of their own, as hosts of a cluster have them.
//
// FAKED_CLOCKS="a0 0 3000 1 0,b0 2500 3000 1 0": of each host by how many microseconds its wall clock is ahead, how far
// its kernel says that it may be off, whether it is synchronized, and after how many looks at it, since
// the kernel was asked how good it is, it jumps by a second, or 0. Other hosts keep the clock of the lab.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int is_faked;
  long ahead_us, most_us, is_synced, jumps_after;
} FakedClock;

static FakedClock own_clock(void) {
  static FakedClock clock;
  static int is_read;
  if (is_read) return clock;
  is_read = 1;
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  const char* at = getenv("FAKED_CLOCKS");
  for (; at != NULL && *at != '\0'; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    char name[65] = "";
    FakedClock one = {1, 0, 0, 0, 0};
    if (sscanf(at, "%64s %ld %ld %ld %ld", name, &one.ahead_us, &one.most_us, &one.is_synced, &one.jumps_after) != 5) {
      abort();
    }
    if (strcmp(name, host) == 0) clock = one;
  }
  return clock;
}

static long looks = -1; /* nobody has asked */

int clock_gettime(clockid_t which, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int status = real(which, now);
  const FakedClock own = own_clock();
  if (which != CLOCK_REALTIME || !own.is_faked) return status;
  if (looks >= 0) ++looks;
  long ns = now->tv_nsec + own.ahead_us % 1000000 * 1000;
  now->tv_sec += own.ahead_us / 1000000 + (own.jumps_after > 0 && looks > own.jumps_after ? 1 : 0);
  if (ns >= 1000000000) {
    ns -= 1000000000;
    ++now->tv_sec;
  } else if (ns < 0) {
    ns += 1000000000;
    --now->tv_sec;
  }
  now->tv_nsec = ns;
  return status;
}

int adjtimex(struct timex* told) {
  const FakedClock own = own_clock();
  if (looks < 0) looks = 0;
  memset(told, 0, sizeof *told);
  told->maxerror = own.is_faked ? own.most_us : 16000000;
  told->status = own.is_faked && own.is_synced ? 0 : STA_UNSYNC;
  return told->status == 0 ? TIME_OK : TIME_ERROR;
}

FILE* fopen(const char* path, const char* mode) {
  static FILE* (*real)(const char*, const char*);
  if (real == NULL) real = (FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, "fopen");
  if (strcmp(path, "/proc/sys/kernel/random/boot_id") != 0 || !own_clock().is_faked) return real(path, mode);
  static char id[128];
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  snprintf(id, sizeof id, "11111111-1111-4111-8111-%012lx\n", (unsigned long)(host[0] * 256 + host[1]));
  return fmemopen(id, strlen(id), "r");
}
