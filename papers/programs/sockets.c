/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 600, TRY_NS = 50000000 };
static const char* const port = "9700";

static const struct machine* hub;
static int to[MOST_RANKS]; /* sockets: on rank 0 of each other rank, elsewhere of rank 0 alone */

static void demand(int right, const char* what) {
  if (!right) fail(hub, what, errno ? strerror(errno) : "the connection has ended");
}

static int to_rank(int rank) {
  demand(hub->rank == 0 || rank == 0, "ranks talk to rank 0 alone: ");
  return to[rank];
}

static void send_to(void* buffer, size_t bytes, int rank) {
  errno = 0;
  for (size_t done = 0; done < bytes;) {
    const ssize_t sent = send(to_rank(rank), (char*)buffer + done, bytes - done, MSG_NOSIGNAL);
    demand(sent > 0, "sending to another rank: ");
    done += (size_t)sent;
  }
}

static void receive_from(void* buffer, size_t bytes, int rank) {
  errno = 0;
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = recv(to_rank(rank), (char*)buffer + done, bytes - done, 0);
    if (got < 0 && errno == EINTR) continue;
    demand(got > 0, "receiving from another rank: ");
    done += (size_t)got;
  }
}

static void tell(void* message, int bytes) {
  if (hub->rank != 0) receive_from(message, (size_t)bytes, 0);
  for (int r = 1; hub->rank == 0 && r < hub->ranks; ++r) send_to(message, (size_t)bytes, r);
}

static void slowest(const double mine[2], double of_all[2]) {
  double theirs[2] = {mine[0], mine[1]};
  if (hub->rank != 0) {
    send_to(theirs, sizeof theirs, 0);
    return;
  }
  memcpy(of_all, mine, sizeof theirs);
  for (int r = 1; r < hub->ranks; ++r) {
    receive_from(theirs, sizeof theirs, r);
    for (int k = 0; k < 2; ++k) of_all[k] = theirs[k] > of_all[k] ? theirs[k] : of_all[k];
  }
}

/* The others find their connections closed, and end too. */
static void end_program(int status) { _exit(status); }

static void at_once(int s) {
  const int on = 1;
  demand(setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY: ");
}

static void accept_all(void) {
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
  struct addrinfo* own = NULL;
  demand(getaddrinfo(NULL, port, &hints, &own) == 0, "no address to listen at: ");
  const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  const struct timeval patience = {.tv_sec = (time_t)((double)TRIES * TRY_NS * 1e-9)};
  demand(s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
             setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
             bind(s, own->ai_addr, own->ai_addrlen) == 0 && listen(s, MOST_RANKS) == 0,
         "listening for the other ranks: ");
  freeaddrinfo(own);
  for (int count = 1; count < hub->ranks; ++count) {
    const int connection = accept4(s, NULL, NULL, SOCK_CLOEXEC);
    demand(connection >= 0, "not all ranks have come: ");
    at_once(connection);
    int32_t rank = 0;
    demand(recv(connection, &rank, sizeof rank, MSG_WAITALL) == (ssize_t)sizeof rank && rank > 0 && rank < hub->ranks &&
               to[rank] < 0,
           "no rank has connected: ");
    to[rank] = connection;
  }
  close(s);
}

static void connect_to(const char* host) {
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo* there = NULL;
  demand(getaddrinfo(host, port, &hints, &there) == 0, "no address of rank 0's host: ");
  for (int tries = 0; to[0] < 0; ++tries) {
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    demand(s >= 0, "a socket: ");
    if (connect(s, there->ai_addr, there->ai_addrlen) == 0) {
      to[0] = s;
      break;
    }
    demand(tries < TRIES, "connecting to rank 0: ");
    close(s);
    nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
  }
  freeaddrinfo(there);
  at_once(to[0]);
  int32_t rank = hub->rank;
  send_to(&rank, sizeof rank, 0);
}

int rank_0_gone(void) { return hub->rank == 0 ? -1 : to[0]; }

void connect_ranks(struct machine* m, int rank, const char* hosts) {
  hub = m;
  m->rank = rank;
  m->ranks = 1;
  m->tell = tell;
  m->send = send_to;
  m->receive = receive_from;
  m->slowest = slowest;
  m->end = end_program;
  for (const char* c = hosts; *c; ++c) m->ranks += *c == ',';
  if (m->ranks > MOST_RANKS || rank < 0 || rank >= m->ranks) fail(m, "--rank and --hosts do not fit", "");
  for (int r = 0; r < MOST_RANKS; ++r) to[r] = -1;
  if (rank == 0) {
    accept_all();
    return;
  }
  char first[256];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(hosts, ","), hosts);
  connect_to(first);
}
