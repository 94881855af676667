/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into ranks: one that gives a file a name that ends in .yaml dies before it has it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int rename(const char* before, const char* name) {
  const size_t length = strlen(name);
  if (length > 5 && strcmp(name + length - 5, ".yaml") == 0) kill(getpid(), SIGKILL);
  return (int)syscall(SYS_rename, before, name);
}
