/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into ranks of MPICH, which polls UCX and never yields: where a test has more ranks than the
 * machine has processors, a rank with nothing to do would keep the one that it waits for from running. Open MPI has a
 * setting for this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned Progress(void*);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static Progress* below = NULL;
  unsigned done = 0;
  if (below == NULL) {
    void* const found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (found == NULL) abort();
    memcpy(&below, &found, sizeof below); /* C has no conversion from an object's pointer to a function's */
  }
  done = below(worker);
  if (done == 0) sched_yield();
  return done;
}
