/* SPDX-License-Identifier: Apache-2.0
 * Preloaded: a network that loses some datagrams, for each receiver others: one in LOST_OF of what comes in one piece
 * is changed, so its seal is wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((visibility("default"))) int recvmmsg(int socket, struct mmsghdr* messages, unsigned count, int flags,
                                                    struct timespec* timeout) {
  static int (*next)(int, struct mmsghdr*, unsigned, int, struct timespec*);
  static unsigned one_of, seed;
  if (next == NULL) {
    *(void**)&next = dlsym(RTLD_NEXT, "recvmmsg");
    const char* const told = getenv("LOST_OF");
    one_of = told != NULL ? (unsigned)atoi(told) : 20;
    seed = (unsigned)getpid();
  }
  const int got = next(socket, messages, count, flags, timeout);
  for (int i = 0; i < got; ++i) {
    char* const bytes = messages[i].msg_hdr.msg_iov[0].iov_base;
    if (messages[i].msg_len > 0 && (unsigned)rand_r(&seed) % one_of == 0) bytes[messages[i].msg_len - 1] ^= 1;
  }
  return got;
}
