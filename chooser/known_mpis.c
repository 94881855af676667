/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "known_mpis.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi_in_process.h"

enum { MOST_LINE = 4 * PATH_MAX, LONGEST_FILE = 1 << 20 };

/* The text behind "key": in a line of mpis.json, which holds one library; paths with quotes or backslashes are none. */
static int value_of(const char* line, const char* key, char* value, size_t size) {
  char start[32];
  snprintf(start, sizeof start, "\"%s\": \"", key);
  const char* found = strstr(line, start);
  if (found == NULL) return 0;
  found += strlen(start);
  const size_t length = strcspn(found, "\"");
  if (length == 0 || length >= size) return 0;
  memcpy(value, found, length);
  value[length] = '\0';
  return 1;
}

/* Whether two names are of one file; on a machine without development packages, where the name to link with is not
 * there, whether it would be beside: libmpich.so for libmpich.so.12. */
static int is_of(const char* named, const char* loaded) {
  struct stat one;
  struct stat other;
  char real[PATH_MAX];
  char folder[PATH_MAX];
  char beside[2 * PATH_MAX];
  if (stat(loaded, &other) != 0) return 0;
  if (stat(named, &one) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino) return 1;
  snprintf(folder, sizeof folder, "%s", named);
  char* slash = strrchr(folder, '/');
  if (slash == NULL) return 0;
  *slash = '\0';
  char real_folder[PATH_MAX];
  if (realpath(folder, real_folder) == NULL || realpath(loaded, real) == NULL) return 0;
  snprintf(beside, sizeof beside, "%s/%s.", real_folder, slash + 1);
  return strncmp(real, beside, strlen(beside)) == 0;
}

static int is_for(const char* line, const char* mpi_file) {
  char family[64];
  char library[PATH_MAX];
  if (!value_of(line, "family", family, sizeof family) || !value_of(line, "library", library, sizeof library)) return 0;
  const int for_standard = strcmp(family, "mpiabi") == 0;
  if (for_standard || is_standard(mpi_file)) return for_standard && is_standard(mpi_file);
  return is_of(library, mpi_file);
}

/* A regular one with a bound: every program starts with this. */
static FILE* open_file(const char* path) {
  struct stat status;
  const int opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (opened < 0) return NULL;
  FILE* const file = fstat(opened, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= LONGEST_FILE
                         ? fdopen(opened, "r")
                         : NULL;
  if (file == NULL) close(opened);
  return file;
}

static int find_in_file(const char* path, const char* folder, const char* mpi_file, char preload[PATH_MAX]) {
  char name[256];
  static char line[MOST_LINE];
  int found = 0;
  FILE* file = open_file(path);
  if (file == NULL) return 0;
  while (!found && fgets(line, sizeof line, file) != NULL) {
    if (!is_for(line, mpi_file) || !value_of(line, "name", name, sizeof name)) continue;
    found = snprintf(preload, PATH_MAX, "%s/libtrunkline-%s.so", folder, name) < PATH_MAX && access(preload, R_OK) == 0;
  }
  fclose(file);
  return found;
}

/* mpis.json of one build, or a file of each of several packages, such as mpis-mpich.json. */
static int find_in(const char* folder, const char* mpi_file, char preload[PATH_MAX]) {
  char pattern[PATH_MAX];
  glob_t files;
  int found = 0;
  if (snprintf(pattern, sizeof pattern, "%s/mpis*.json", folder) >= PATH_MAX) return 0;
  if (glob(pattern, 0, NULL, &files) == 0) {
    for (size_t i = 0; !found && i < files.gl_pathc; ++i) {
      found = find_in_file(files.gl_pathv[i], folder, mpi_file, preload);
    }
  }
  globfree(&files);
  return found;
}

static int find_in_all(const char* pattern, const char* mpi_file, char preload[PATH_MAX]) {
  glob_t folders;
  int found = 0;
  if (glob(pattern, 0, NULL, &folders) == 0) {
    for (size_t i = 0; !found && i < folders.gl_pathc; ++i) found = find_in(folders.gl_pathv[i], mpi_file, preload);
  }
  globfree(&folders);
  return found;
}

int find_preload(const char* folder, const char* mpi_file, char preload[PATH_MAX]) {
  char pattern[2 * PATH_MAX];
  if (find_in(folder, mpi_file, preload)) return 1;
  /* From PREFIX/lib/pythonX.Y/site-packages/trunkline/lib */
  snprintf(pattern, sizeof pattern, "%s/../../../../../share/trunkline/" TRUNKLINE_VERSION "/*/lib", folder);
  if (find_in_all(pattern, mpi_file, preload)) return 1;
  const char* data = getenv("XDG_DATA_HOME");
  const char* home = getenv("HOME");
  if (data != NULL && data[0] == '/') {
    snprintf(pattern, sizeof pattern, "%s/trunkline/" TRUNKLINE_VERSION "/*/lib", data);
  } else if (home != NULL && home[0] == '/') {
    snprintf(pattern, sizeof pattern, "%s/.local/share/trunkline/" TRUNKLINE_VERSION "/*/lib", home);
  } else {
    return 0;
  }
  return find_in_all(pattern, mpi_file, preload);
}
