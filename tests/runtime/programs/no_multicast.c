/* SPDX-License-Identifier: Apache-2.0
 * Preloaded: a network that passes no multicast. Who joins a group is told that all is well, and hears nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

__attribute__((visibility("default"))) int setsockopt(int socket, int level, int option, const void* value,
                                                      socklen_t length) {
  static int (*next)(int, int, int, const void*, socklen_t);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "setsockopt");
  if (level == IPPROTO_IP && option == IP_ADD_MEMBERSHIP) return 0;
  return next(socket, level, option, value, length);
}
