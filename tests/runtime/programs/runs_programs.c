/* SPDX-License-Identifier: Apache-2.0
 * runs_programs PROGRAM [ARGUMENT...]: brings a program and its loader into memory itself and runs it, as emulators and
 * valgrind do. For the kernel the process runs this program, whatever answers_for_exe.c says. For x86-64 and 64-bit
 * Arm, and programs that may lie anywhere. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_HEADERS = 64, PAGE = 4096, MOST_WORDS = 1 << 16, STACK = 8 << 20, MOST_AUXILIARY = 64 };

extern char** environ;

struct image {
  ElfW(Ehdr) first;
  ElfW(Phdr) headers[MOST_HEADERS];
  char* base;
  char interpreter[256];
};

static void fail(const char* what) {
  perror(what);
  _exit(3);
}

static uintptr_t down(uintptr_t address) { return address & ~(uintptr_t)(PAGE - 1); }

static int rights_of(const ElfW(Phdr) * segment) {
  return ((segment->p_flags & PF_R) ? PROT_READ : 0) | ((segment->p_flags & PF_W) ? PROT_WRITE : 0) |
         ((segment->p_flags & PF_X) ? PROT_EXEC : 0);
}

static void map_segment(const struct image* image, const ElfW(Phdr) * segment, int file) {
  char* const begin = image->base + down(segment->p_vaddr);
  const size_t ahead = segment->p_vaddr - down(segment->p_vaddr);
  const size_t in_file = ahead + segment->p_filesz;
  const size_t in_memory = ahead + segment->p_memsz;
  const int rights = rights_of(segment);
  if (mmap(begin, in_memory, rights, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) fail("room");
  if (segment->p_filesz == 0) return;
  const off_t from = (off_t)(segment->p_offset - ahead);
  if (mmap(begin, in_file, rights, MAP_PRIVATE | MAP_FIXED, file, from) == MAP_FAILED) fail("segment");
  /* To the end of the page, of which the loader makes use. */
  if ((rights & PROT_WRITE) != 0) memset(begin + in_file, 0, down(in_file + PAGE - 1) - in_file);
}

static void map_file(const char* path, struct image* image) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path);
  if (pread(file, &image->first, sizeof image->first, 0) != (ssize_t)sizeof image->first) fail(path);
  const size_t size = image->first.e_phnum * sizeof image->headers[0];
  if (image->first.e_phnum > MOST_HEADERS || image->first.e_type != ET_DYN) fail(path);
  if (pread(file, image->headers, size, (off_t)image->first.e_phoff) != (ssize_t)size) fail(path);
  uintptr_t end = 0;
  for (int i = 0; i < image->first.e_phnum; ++i) {
    const ElfW(Phdr)* const one = &image->headers[i];
    if (one->p_type == PT_LOAD && one->p_vaddr + one->p_memsz > end) end = one->p_vaddr + one->p_memsz;
    if (one->p_type == PT_INTERP && one->p_filesz < sizeof image->interpreter) {
      if (pread(file, image->interpreter, one->p_filesz, (off_t)one->p_offset) < 0) fail(path);
    }
  }
  image->base = mmap(NULL, end + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (image->base == MAP_FAILED) fail("room");
  for (int i = 0; i < image->first.e_phnum; ++i) {
    if (image->headers[i].p_type == PT_LOAD) map_segment(image, &image->headers[i], file);
  }
  close(file);
}

static int copy_auxiliary(uint64_t* to, const struct image* program, const struct image* loader, const char* name) {
  uint64_t given[2 * MOST_AUXILIARY];
  const int file = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
  const ssize_t size = read(file, given, sizeof given);
  if (size <= 0) fail("auxv");
  close(file);
  int count = 0;
  for (size_t i = 0; i + 1 < (size_t)size / sizeof given[0]; i += 2, count += 2) {
    to[count] = given[i];
    to[count + 1] = given[i + 1];
    if (given[i] == AT_PHDR) to[count + 1] = (uintptr_t)program->base + program->first.e_phoff;
    if (given[i] == AT_PHNUM) to[count + 1] = program->first.e_phnum;
    if (given[i] == AT_ENTRY) to[count + 1] = (uintptr_t)program->base + program->first.e_entry;
    if (given[i] == AT_BASE) to[count + 1] = (uintptr_t)loader->base;
    if (given[i] == AT_EXECFN) to[count + 1] = (uintptr_t)name;
  }
  return count;
}

static void jump(uint64_t* stack, const char* entry) {
#if defined(__x86_64__)
  __asm__ volatile("mov %0, %%rsp\n\txor %%edx, %%edx\n\tjmp *%1" : : "r"(stack), "a"(entry) : "memory");
#elif defined(__aarch64__)
  __asm__ volatile("mov sp, %0\n\tmov x0, xzr\n\tbr %1" : : "r"(stack), "r"(entry) : "memory");
#endif
}

int main(int count, char** arguments) {
  static struct image program;
  static struct image loader;
  if (count < 2) fail("usage: runs_programs PROGRAM [ARGUMENT...]");
  map_file(arguments[1], &program);
  map_file(program.interpreter, &loader);
  char* const room = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) fail("stack");
  uint64_t* const stack = (uint64_t*)(void*)(room + STACK) - MOST_WORDS;
  int next = 0;
  stack[next++] = (uint64_t)count - 1;
  for (int i = 1; i <= count; ++i) stack[next++] = (uintptr_t)arguments[i];
  for (char** one = environ; *one != NULL; ++one) stack[next++] = (uintptr_t)*one;
  stack[next++] = 0;
  copy_auxiliary(stack + next, &program, &loader, arguments[1]);
  jump(stack, loader.base + loader.first.e_entry);
  return 3;
}
