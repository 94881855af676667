/* SPDX-License-Identifier: Apache-2.0
 * The preload library for whichever MPI. Before a program's main() it looks which MPI library the loader has brought
 * in, and starts the program once more with that one's preload library in front. So it may stand in the environment of
 * everything that a job runs: shells, launchers, programs. A program without MPI keeps no trace of it, and a Python
 * program, whose MPI library comes later, is not served: name the preload library itself there.
 *
 * Why not hand calls on: programs ask whether functions are there, as mpi4py does for MPI_Bcast_c, so nobody may show
 * those that this MPI library lacks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "known_mpis.h"
#include "mpi_in_process.h"
#include "started.h"

static const char variable[] = "LD_PRELOAD";

/* One of a job's processes speaks. */
static int is_first_rank(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const char* rank = getenv(names[i]);
    if (rank != NULL) return strcmp(rank, "0") == 0;
  }
  return 1;
}

static void warn(const char* text, const char* file, const char* advice) {
  if (is_first_rank()) {
    fprintf(stderr, "trunkline: warning: %s %s: its collectives run as they are; %s\n", text, file, advice);
  }
}

/* Where this library is, links followed: libraries of others are beside it. */
static int own_folder(char folder[PATH_MAX]) {
  Dl_info info;
  if (dladdr(variable, &info) == 0 || realpath(info.dli_fname, folder) == NULL) return 0;
  *strrchr(folder, '/') = '\0';
  return 1;
}

/* The preload library for the program's MPI library; 0 where there is no MPI library, or none for it. */
static int find_for_program(char preload[PATH_MAX]) {
  static struct loaded mpis;
  char folder[PATH_MAX];
  const char* unserved = NULL;
  find_loaded(&mpis);
  if (mpis.count == 0 || !own_folder(folder)) return 0;
  for (int i = 0; i < mpis.count; ++i) {
    if (!is_c_library(mpis.files[i])) continue;
    if (find_preload(folder, mpis.files[i], preload)) return 1;
    unserved = mpis.files[i];
  }
  if (unserved != NULL) {
    warn("there is no preload library for", unserved,
         "'trunkline library --build --mpicc /path/to/its/mpicc' makes one");
  }
  return 0;
}

/* Whether a list begins with a preload library of one MPI library. */
static const char* behind_preload(const char* list) {
  const char* const end = list + strcspn(list, ": ");
  const char* base = end;
  while (base > list && base[-1] != '/') --base;
  static const char start[] = "libtrunkline-";
  const size_t length = sizeof start - 1;
  if ((size_t)(end - base) <= length || strncmp(base, start, length) != 0) return NULL;
  if (strncmp(base, "libtrunkline-idle", sizeof "libtrunkline-idle" - 1) == 0) return NULL;
  return *end == '\0' ? end : end + 1;
}

/* Under valgrind or an emulator it would leave that. */
static void leave_alone(const struct started* how, const char* program, const char* preload) {
  char text[PATH_MAX + 64];
  char advice[PATH_MAX + 64];
  snprintf(text, sizeof text, "%s may lose a program that starts again:", how->file);
  snprintf(advice, sizeof advice, "put %s into LD_PRELOAD in place of libtrunkline.so", preload);
  warn(text, program, advice);
}

static void start_again(const struct started* how, const char* preload, const char* others) {
  const size_t size = strlen(preload) + strlen(others) + 2;
  char* const list = malloc(size);
  char* const as_it_was = strdup(others);
  if (list != NULL && as_it_was != NULL) {
    snprintf(list, size, "%s:%s", preload, others);
    if (setenv(variable, list, 1) == 0) {
      execve(how->file, how->arguments, environ);
      warn("cannot start again with its preload library", how->file, strerror(errno));
      setenv(variable, as_it_was, 1);
    }
  }
  free(as_it_was);
  free(list);
}

/* The loader hands on what main() gets. */
__attribute__((constructor)) static void choose(int count, char** arguments) {
  const char* const list = getenv(variable);
  if (list == NULL || count < 1 || getauxval(AT_SECURE) != 0) return;
  const char* const others = behind_preload(list);
  if (others != NULL) { /* it is loaded; what this program starts is asked anew */
    char* const rest = strdup(others);
    if (rest != NULL) setenv(variable, rest, 1);
    free(rest);
    return;
  }
  char preload[PATH_MAX];
  if (!find_for_program(preload)) return;
  static struct started how;
  find_started(count, arguments, &how);
  if (how.is_certain) {
    start_again(&how, preload, list);
  } else {
    leave_alone(&how, arguments[0], preload);
  }
}
