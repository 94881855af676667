/* SPDX-License-Identifier: Apache-2.0
 * The kernel's word for it is /proc/thread-self/exe. Emulators and valgrind answer for /proc/self/exe themselves, with
 * the file of the program that they run; what they start anew they do not run any more. So the file is compared with
 * what the loader has in memory: the program's headers, or the loader's own where it was started as a program.
 */
#define _GNU_SOURCE
#include "started.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char real_file[] = "/proc/thread-self/exe";

enum { MOST_HEADERS = 64, MOST_ARGUMENTS = 8 << 20 };

struct headers {
  int count;
  ElfW(Phdr) of[MOST_HEADERS];
};

static int read_headers(int file, struct headers* found) {
  ElfW(Ehdr) first;
  if (pread(file, &first, sizeof first, 0) != (ssize_t)sizeof first) return 0;
  if (memcmp(first.e_ident, ELFMAG, SELFMAG) != 0 || first.e_phentsize != sizeof found->of[0]) return 0;
  if (first.e_phnum == 0 || first.e_phnum > MOST_HEADERS) return 0;
  found->count = first.e_phnum;
  const size_t size = first.e_phnum * sizeof found->of[0];
  return pread(file, found->of, size, (off_t)first.e_phoff) == (ssize_t)size;
}

struct search {
  const struct headers* wanted;
  int seen;
  int place; /* of the object with these headers; 0 is the program; -1: there is none */
};

static int compare(struct dl_phdr_info* object, size_t size, void* to) {
  struct search* const all = to;
  (void)size;
  const int is_same =
      object->dlpi_phnum == all->wanted->count &&
      memcmp(object->dlpi_phdr, all->wanted->of, (size_t)all->wanted->count * sizeof all->wanted->of[0]) == 0;
  if (is_same) all->place = all->seen;
  ++all->seen;
  return is_same;
}

static int place_of(const struct headers* wanted) {
  struct search all = {.wanted = wanted, .seen = 0, .place = -1};
  dl_iterate_phdr(compare, &all);
  return all.place;
}

static int has_interpreter(const struct headers* file) {
  for (int i = 0; i < file->count; ++i) {
    if (file->of[i].p_type == PT_INTERP) return 1;
  }
  return 0;
}

static int is_same_file(const char* one, const char* other) {
  struct stat a;
  struct stat b;
  return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A file that may be started and not read: the kernel tells its name, and has brought the loader itself. */
static int is_named_by_kernel(int error) {
  const char* const name = (const char*)getauxval(AT_EXECFN);
  return error == EACCES && getauxval(AT_BASE) != 0 && name != NULL && is_same_file(name, real_file);
}

/* Such a handler got a descriptor of the program, or its name beside the other arguments. */
static int is_handler(void) {
  errno = 0;
  const int has_descriptor = getauxval(AT_EXECFD) != 0 || errno == 0;
  return has_descriptor || (getauxval(AT_FLAGS) & 1UL) != 0;
}

static int is_under_valgrind(void) {
  const char* const list = getenv("LD_PRELOAD");
  return list != NULL && strstr(list, "/vgpreload_") != NULL;
}

/* By the name that the kernel was given or that the file has, where that still leads to it, so that the process keeps
 * its name. */
static void name_file(char file[PATH_MAX]) {
  const char* const given = (const char*)getauxval(AT_EXECFN);
  if (given != NULL && strlen(given) < PATH_MAX && is_same_file(given, real_file)) {
    strcpy(file, given);
    return;
  }
  const ssize_t length = readlink(real_file, file, PATH_MAX - 1);
  file[length > 0 ? length : 0] = '\0';
  if (length <= 0 || !is_same_file(file, real_file)) strcpy(file, real_file);
}

/* All that the kernel was given; NULL where it cannot be read. */
static char** given_arguments(int* count) {
  const int file = open("/proc/thread-self/cmdline", O_RDONLY | O_CLOEXEC);
  char* const text = malloc(MOST_ARGUMENTS);
  ssize_t size = 0;
  ssize_t more = 0;
  if (file >= 0 && text != NULL) {
    while (size < MOST_ARGUMENTS && (more = read(file, text + size, (size_t)(MOST_ARGUMENTS - size))) > 0) size += more;
  }
  if (file >= 0) close(file);
  if (size == 0 || size == MOST_ARGUMENTS || more < 0 || text[size - 1] != '\0') {
    free(text);
    return NULL;
  }
  *count = 0;
  for (ssize_t i = 0; i < size; ++i) *count += text[i] == '\0';
  char** const all = calloc((size_t)*count + 1, sizeof *all);
  if (all == NULL) {
    free(text);
    return NULL;
  }
  char* next = text;
  for (int i = 0; i < *count; ++i) {
    all[i] = next;
    next += strlen(next) + 1;
  }
  return all;
}

/* The loader's options and the program's name stand before what main() gets. */
static char** arguments_of_loader(int count, char** arguments) {
  int all = 0;
  char** const given = given_arguments(&all);
  if (given == NULL || all <= count) return NULL;
  for (int i = 1; i < count; ++i) {
    if (strcmp(given[all - count + i], arguments[i]) != 0) return NULL;
  }
  return given;
}

void find_started(int count, char** arguments, struct started* found) {
  static struct headers headers;
  found->is_certain = 0;
  found->arguments = arguments;
  name_file(found->file);
  if (is_handler() || is_under_valgrind()) return;
  const int file = open(real_file, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    found->is_certain = is_named_by_kernel(errno);
    return;
  }
  const int place = read_headers(file, &headers) ? place_of(&headers) : -1;
  close(file);
  if (place == 0) {
    found->is_certain = 1;
  } else if (place > 0 && !has_interpreter(&headers)) {
    found->arguments = arguments_of_loader(count, arguments);
    found->is_certain = found->arguments != NULL;
  }
}
