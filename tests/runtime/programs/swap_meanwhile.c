/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into ranks that copy: plays another user who changes a folder between two steps of the program.
 *
 *   SWAP_FOLDER=FOLDER  as a copy gets its room on the disk, FOLDER is moved to FOLDER.moved, and a link has its name
 *   SWAP_WHOLE=NAME     as a file of that name is opened to be read, a pipe takes its place
 *   SWAP_PART=NAME      as the copy takes its name NAME, a link takes the place of what was written
 *   SWAP_ENDED=FILE     before FILE is locked, it gets the name "ended", as the part of a copy that has ended
 *
 * Links lead to SWAP_TO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int Open(int, const char*, int, ...);
typedef int Rename(int, const char*, int, const char*);

static void* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

/* Whether a path ends with the name that a setting has. */
static int is_named(const char* setting, const char* path) {
  const char* const name = getenv(setting);
  const char* const last = strrchr(path, '/');
  return name != NULL && strcmp(name, last == NULL ? path : last + 1) == 0;
}

static void put_pipe(int folder, const char* path, int flags) {
  const int reads = (flags & (O_CREAT | O_PATH | O_ACCMODE)) == O_RDONLY;
  if (!reads || !is_named("SWAP_WHOLE", path)) return;
  if (unlinkat(folder, path, 0) != 0 || mkfifoat(folder, path, S_IRUSR | S_IWUSR) != 0) abort();
  fprintf(stderr, "swap: a pipe\n");
}

static void put_link(int folder, const char* part, const char* path) {
  if (!is_named("SWAP_PART", path)) return;
  if (unlinkat(folder, part, 0) != 0 || symlinkat(getenv("SWAP_TO"), folder, part) != 0) abort();
  fprintf(stderr, "swap: a link\n");
}

__attribute__((visibility("default"))) int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  put_pipe(folder, path, flags);
  return ((Open*)next("openat"))(folder, path, flags, mode);
}

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  put_pipe(AT_FDCWD, path, flags);
  return ((Open*)next("openat"))(AT_FDCWD, path, flags, mode);
}

__attribute__((visibility("default"))) int renameat(int from, const char* old, int to, const char* path) {
  put_link(from, old, path);
  return ((Rename*)next("renameat"))(from, old, to, path);
}

__attribute__((visibility("default"))) int rename(const char* old, const char* path) {
  put_link(AT_FDCWD, old, path);
  return ((Rename*)next("renameat"))(AT_FDCWD, old, AT_FDCWD, path);
}

__attribute__((visibility("default"))) int flock(int file, int operation) {
  const char* const part = getenv("SWAP_ENDED");
  struct stat named;
  struct stat locked;
  if (part != NULL && stat(part, &named) == 0 && fstat(file, &locked) == 0 && named.st_ino == locked.st_ino) {
    char ended[4096];
    snprintf(ended, sizeof ended, "%.*s/ended", (int)(strrchr(part, '/') - part), part);
    if (((Rename*)next("renameat"))(AT_FDCWD, part, AT_FDCWD, ended) != 0) abort();
    fprintf(stderr, "swap: a name\n");
  }
  return (int)syscall(SYS_flock, file, operation);
}

__attribute__((visibility("default"))) int fallocate(int file, int mode, off_t offset, off_t length) {
  const char* const folder = getenv("SWAP_FOLDER");
  (void)file, (void)mode, (void)offset, (void)length;
  if (folder != NULL) {
    char moved[4096];
    snprintf(moved, sizeof moved, "%s.moved", folder);
    if (((Rename*)next("renameat"))(AT_FDCWD, folder, AT_FDCWD, moved) != 0) abort();
    if (symlink(getenv("SWAP_TO"), folder) != 0) abort();
    fprintf(stderr, "swap: a folder\n");
  }
  errno = EOPNOTSUPP; /* as on file systems that reserve none */
  return -1;
}
