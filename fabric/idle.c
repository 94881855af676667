/* SPDX-License-Identifier: Apache-2.0
 * The idle shim: what lets the ranks of 32 hosts share 2 processors. MPI libraries wait by polling without pause, so a
 * rank that waits takes the processor from one that has work. Preloaded into ranks of the lab, it turns polls that
 * find nothing, again and again with no time between them, into short waits that end at once when a socket is ready.
 *
 * A rank that computes between its polls never waits here: only polls with a few microseconds of work between them
 * count. Waiting covers every descriptor that the thread has lately polled, not only the one asked for, since a library
 * may look at several in turn; and it is bounded, since a library may also wait for memory that another rank writes.
 * Polls with a timeout of their own, and processes that do not poll this way, pass through untouched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "idle.h"

enum {
  patience = 1,          /* fruitless polls in a row before the first wait */
  most_descriptors = 64, /* polled together; a longer list passes through */
  most_epolls = 8,       /* epoll descriptors remembered */
  most_unheeded = 16,    /* waits ended by one that the program polls no more; a library may poll others in between */
  spinning_ns = 20000,   /* a thread that works longer than this between polls has something to do */
  /* The first wait, doubled with each fruitless one. A thread that last got something from a socket will be woken by
   * one: it may wait long. One that gets its messages through memory is woken by nothing: it has to look often. */
  socket_wait_ns = 500000,
  memory_wait_ns = 50000,
  longest_wait_ns = 2000000,
};

typedef int (*epoll_wait_type)(int, struct epoll_event*, int, int);
typedef int (*epoll_pwait_type)(int, struct epoll_event*, int, int, const sigset_t*);
typedef int (*poll_type)(struct pollfd*, nfds_t, int);
typedef int (*ppoll_type)(struct pollfd*, nfds_t, const struct timespec*, const sigset_t*);

static epoll_wait_type real_epoll_wait;
static epoll_pwait_type real_epoll_pwait;
static poll_type real_poll;
static ppoll_type real_ppoll;

__attribute__((constructor)) static void look_up_all(void) {
  look_up(&real_epoll_wait, "epoll_wait");
  look_up(&real_epoll_pwait, "epoll_pwait");
  look_up(&real_poll, "poll");
  look_up(&real_ppoll, "ppoll");
}

static __thread struct {
  unsigned fruitless;
  int64_t last_ns;
  int64_t wait_ns;
  int got_something;        /* from a socket, since the last poll that found nothing */
  int socket_had_something; /* since the last wait that nothing ended */
  struct {
    int descriptor;
    unsigned ended_waits; /* since the program last polled it */
  } epolls[most_epolls];
  unsigned epoll_count;
  struct pollfd list[most_descriptors]; /* polled last */
  nfds_t list_count;
  unsigned list_ended_waits; /* since the program last polled it */
} thread;

/* Processor time of the thread, not of day: a rank that yields to 31 others between two polls has done no work. */
static int64_t worked_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void remember_list(const struct pollfd* asked, nfds_t count) {
  memcpy(thread.list, asked, count * sizeof *asked);
  thread.list_count = count;
  thread.list_ended_waits = 0;
}

static void remember(int epoll) {
  unsigned place = 0;
  while (place < thread.epoll_count && thread.epolls[place].descriptor != epoll) ++place;
  if (place == most_epolls) place = thread.epoll_count = 0; /* who is polled still comes back at once */
  if (place == thread.epoll_count) thread.epolls[thread.epoll_count++].descriptor = epoll;
  thread.epolls[place].ended_waits = 0;
}

/* One that ended a wait. Where nobody looks at it again and again, nobody takes what it has: it would end every wait at
 * once. */
static void has_woken(unsigned place) {
  if (++thread.epolls[place].ended_waits > most_unheeded) thread.epolls[place] = thread.epolls[--thread.epoll_count];
}

static void list_has_woken(void) {
  if (++thread.list_ended_waits > most_unheeded) thread.list_count = 0;
}

static void found(void) {
  thread.fruitless = 0;
  thread.wait_ns = socket_wait_ns;
  thread.got_something = thread.socket_had_something = 1;
}

/* A poll found nothing: waits, where the thread does nothing but poll. Returns whether it is worth looking again. */
static int rest(void) {
  const int64_t now = worked_ns();
  if (now - thread.last_ns > spinning_ns && !thread.got_something) {
    thread.fruitless = 0;
    if (!thread.socket_had_something) thread.wait_ns = memory_wait_ns;
  }
  thread.got_something = 0;
  thread.last_ns = now;
  if (++thread.fruitless <= patience || real_ppoll == NULL) return 0;

  struct pollfd watched[most_descriptors + most_epolls];
  nfds_t n = 0;
  for (; n < thread.list_count; ++n) watched[n] = thread.list[n];
  const nfds_t epolls = n;
  for (unsigned i = 0; i < thread.epoll_count; ++i) {
    watched[n++] = (struct pollfd){.fd = thread.epolls[i].descriptor, .events = POLLIN};
  }
  const struct timespec limit = {0, thread.wait_ns};
  const int error = errno;
  const int ready = real_ppoll(watched, n, &limit, NULL);
  errno = error;
  for (unsigned i = ready > 0 ? thread.epoll_count : 0; i > 0; --i) {
    if (watched[epolls + i - 1].revents != 0) has_woken(i - 1);
  }
  nfds_t quiet = 0;
  while (quiet < epolls && (ready <= 0 || watched[quiet].revents == 0)) ++quiet;
  if (quiet < epolls) list_has_woken();
  if (ready != 0) {
    found();
  } else {
    thread.socket_had_something = 0;
    thread.wait_ns = thread.wait_ns * 2 < longest_wait_ns ? thread.wait_ns * 2 : longest_wait_ns;
  }
  thread.last_ns = worked_ns();
  return 1;
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  if (real_epoll_wait == NULL) look_up_all(); /* called before our constructor */
  int got = real_epoll_wait(epoll, events, most, timeout);
  if (timeout != 0) return got;
  remember(epoll);
  if (got == 0 && rest()) got = real_epoll_wait(epoll, events, most, 0);
  if (got != 0) found();
  return got;
}

int epoll_pwait(int epoll, struct epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (real_epoll_pwait == NULL) look_up_all();
  int got = real_epoll_pwait(epoll, events, most, timeout, mask);
  if (timeout != 0 || mask != NULL) return got;
  remember(epoll);
  if (got == 0 && rest()) got = real_epoll_pwait(epoll, events, most, 0, mask);
  if (got != 0) found();
  return got;
}

int poll(struct pollfd* asked, nfds_t count, int timeout) {
  if (real_poll == NULL) look_up_all();
  int got = real_poll(asked, count, timeout);
  if (timeout != 0 || count == 0 || count > most_descriptors) return got;
  remember_list(asked, count);
  if (got == 0 && rest()) got = real_poll(asked, count, 0);
  if (got != 0) found();
  return got;
}

int ppoll(struct pollfd* asked, nfds_t count, const struct timespec* timeout, const sigset_t* mask) {
  if (real_ppoll == NULL) look_up_all();
  int got = real_ppoll(asked, count, timeout, mask);
  const int at_once = timeout != NULL && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
  if (!at_once || mask != NULL || count == 0 || count > most_descriptors) return got;
  remember_list(asked, count);
  if (got == 0 && rest()) got = real_ppoll(asked, count, timeout, mask);
  if (got != 0) found();
  return got;
}
