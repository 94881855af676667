/* SPDX-License-Identifier: Apache-2.0
 * Preloaded: trace files lie on a file system that cannot map files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((visibility("default"))) void* mmap(void* address, size_t length, int protection, int flags, int file,
                                                  off_t offset) {
  static void* (*next)(void*, size_t, int, int, int, off_t);
  char link[64], path[PATH_MAX];
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "mmap");
  if (file >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length_of_path = readlink(link, path, sizeof path);
    if (length_of_path > 6 && memcmp(path + length_of_path - 6, ".trace", 6) == 0) {
      errno = ENODEV;
      return MAP_FAILED;
    }
  }
  return next(address, length, protection, flags, file, offset);
}
