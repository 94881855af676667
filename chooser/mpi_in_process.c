/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mpi_in_process.h"

#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char standard_name[] = "libmpi_abi.so";

static const char* base_of(const char* file) {
  const char* slash = strrchr(file, '/');
  return slash == NULL ? file : slash + 1;
}

static int starts_with(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

static int collect(struct dl_phdr_info* object, size_t size, void* found) {
  struct loaded* all = found;
  (void)size;
  if (starts_with(base_of(object->dlpi_name), "libmpi") && all->count < MOST_LOADED) {
    snprintf(all->files[all->count++], PATH_MAX, "%s", object->dlpi_name);
  }
  return 0;
}

void find_loaded(struct loaded* found) {
  found->count = 0;
  dl_iterate_phdr(collect, found);
}

int is_standard(const char* file) { return starts_with(base_of(file), standard_name); }

int is_c_library(const char* file) {
  const char* base = base_of(file);
  return starts_with(base, "libmpi.so") || starts_with(base, "libmpich.so") || is_standard(file);
}
