/* SPDX-License-Identifier: Apache-2.0
 * The second part of the idle shim: MPICH 4.0.2 on UCX 1.13 (Debian 12) mostly hangs in MPI_Finalize over TCP. A rank
 * that has closed its endpoints waits for the process manager without progress while others still flush theirs to it.
 * MPICH closes endpoints only there, about to exit, so under MPICH 4.0 "already closed" (a null request) is answer
 * enough; elsewhere the call goes on.
 *
 * Without progress the end of a message also stays where UCX keeps what a full socket did not take: MPI_Send and
 * MPI_Wait count it as sent, and its receiver waits for ever. So UCX goes on while such a rank reads from the process
 * manager.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "idle.h"

enum {
  most_workers = 64,         /* MPICH has one for each virtual interface, 64 at most */
  ucs_err_unsupported = -22, /* as UCX numbers it */
  first_look_ns = 50000,     /* between two looks at UCX; doubled each time */
  longest_look_ns = 2000000,
};

static struct {
  void* of[most_workers];
  unsigned count;
} workers;
static __thread int has_closed_endpoints;

/* The library that calls UCX. Python loads it for itself alone, so that no search of all libraries finds it. */
static void* mpi_library;

static void note_caller(const void* address) {
  Dl_info caller;
  if (mpi_library == NULL && dladdr(address, &caller) != 0) {
    mpi_library = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }
}

/* A function of UCX or MPI: the next one, else the one that the caller's libraries have. */
static void look_up_there(void* into, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL && mpi_library != NULL) found = dlsym(mpi_library, name);
  memcpy(into, &found, sizeof found);
}

static int is_mpich_40(void) {
  static int known = -1;
  if (known < 0) {
    int (*version)(char*, int*);
    look_up_there(&version, "MPI_Get_library_version");
    char text[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING of every library so far */
    int length = 0;
    const char* number = NULL;
    if (version != NULL && version(text, &length) == 0 && strncmp(text, "MPICH Version:", 14) == 0) {
      number = text + 14 + strspn(text + 14, " \t");
    }
    known = number != NULL && strncmp(number, "4.0", 3) == 0;
  }
  return known;
}

void* ucp_ep_close_nb(void* endpoint, unsigned mode) {
  if (is_mpich_40()) return has_closed_endpoints = 1, NULL;
  void* (*real)(void*, unsigned);
  look_up_there(&real, "ucp_ep_close_nb");
  return real == NULL ? NULL : real(endpoint, mode);
}

void* ucp_disconnect_nb(void* endpoint) {
  if (is_mpich_40()) return has_closed_endpoints = 1, NULL;
  void* (*real)(void*);
  look_up_there(&real, "ucp_disconnect_nb");
  return real == NULL ? NULL : real(endpoint);
}

int ucp_worker_create(void* context, const void* parameters, void** worker) {
  note_caller(__builtin_return_address(0));
  int (*real)(void*, const void*, void**);
  look_up_there(&real, "ucp_worker_create");
  if (real == NULL) return ucs_err_unsupported;
  const int error = real(context, parameters, worker);
  if (error == 0 && workers.count < most_workers) workers.of[workers.count++] = *worker;
  return error;
}

void ucp_worker_destroy(void* worker) {
  void (*real)(void*);
  look_up_there(&real, "ucp_worker_destroy");
  for (unsigned i = workers.count; i > 0; --i) {
    if (workers.of[i - 1] == worker) workers.of[i - 1] = workers.of[--workers.count];
  }
  if (real != NULL) real(worker);
}

static void make_progress(void) {
  unsigned (*progress)(void*);
  look_up_there(&progress, "ucp_worker_progress");
  for (unsigned i = 0; progress != NULL && i < workers.count; ++i) {
    while (progress(workers.of[i]) != 0) continue;
  }
}

ssize_t read(int file, void* bytes, size_t count) {
  static ssize_t (*real)(int, void*, size_t);
  if (real == NULL) look_up(&real, "read");
  struct pollfd asked = {.fd = file, .events = POLLIN};
  for (int64_t wait_ns = first_look_ns; has_closed_endpoints && workers.count > 0;) {
    make_progress();
    const struct timespec limit = {0, wait_ns};
    if (ppoll(&asked, 1, &limit, NULL) != 0) break; /* what is wrong with it is said by read() */
    if (wait_ns < longest_look_ns) wait_ns *= 2;
  }
  return real(file, bytes, count);
}
