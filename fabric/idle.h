/* SPDX-License-Identifier: Apache-2.0
 * Finds what the idle shim stands in front of. RTLD_NEXT is there only where _GNU_SOURCE is defined first.
 */
#pragma once
#include <dlfcn.h>
#include <string.h>

/* Function pointers come out of dlsym() as data pointers. */
static inline void look_up(void* into, const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  memcpy(into, &found, sizeof found);
}
