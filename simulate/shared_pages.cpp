// SPDX-License-Identifier: Apache-2.0
#include "shared_pages.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace trunkline::simulate {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::generic_category().message(errno));
}

struct File {
  int number;
  explicit File(int opened) : number(opened) {}
  ~File() { close(number); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

/// The file that this code was loaded from.
const char* own_path() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&entry_of_copy), &own) == 0) throw std::runtime_error("has no file");
  return own.dli_fname;
}

struct Loaded {
  std::uintptr_t base;
  std::vector<ElfW(Phdr)> segments;  ///< that are in memory
};

/// By the library's own headers, which it begins with: dl_iterate_phdr would pass all copies that were loaded before.
Loaded loaded(void* handle) {
  const std::uintptr_t base = static_cast<link_map*>(handle)->l_addr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto* const first = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  Loaded found{.base = base, .segments = {}};
  std::ranges::copy_if(std::span(first, header->e_phnum), std::back_inserter(found.segments),
                       [](const auto& segment) { return segment.p_type == PT_LOAD; });
  return found;
}

/// Whole pages of a segment.
struct Pages {
  void* begin;
  std::size_t bytes;
  off_t in_file;
};

Pages pages_of(const Loaded& own, const ElfW(Phdr) & segment) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = segment.p_vaddr % page;
  const std::size_t bytes = (before + segment.p_memsz + page - 1) / page * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
  return {reinterpret_cast<void*>(own.base + segment.p_vaddr - before), bytes,
          static_cast<off_t>(segment.p_offset - before)};
}

/// The same bytes, from the library's own file.
void take_from(const File& file, const Pages& pages, unsigned flags) {
  const int rights = PROT_READ | ((flags & PF_X) != 0 ? PROT_EXEC : 0);
  if (mmap(pages.begin, pages.bytes, rights, MAP_PRIVATE | MAP_FIXED, file.number, pages.in_file) == MAP_FAILED) {
    fail("cannot map the ranks' library");
  }
}

/// The same bytes, from no file. Those that the loader has made read-only come along: one mapping less for each rank.
void make_own(const Pages& pages) {
  void* const copy = mmap(nullptr, pages.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) fail("no memory for a rank");
  std::memcpy(copy, pages.begin, pages.bytes);
  if (mremap(copy, pages.bytes, pages.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages.begin) == MAP_FAILED) {
    fail("no memory for a rank");
  }
}

/// The loader knows files by their inodes: as long as one is mapped, no other file gets its number.
void hold(const File& file) {
  if (mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE, file.number, 0) == MAP_FAILED) fail("cannot map a copy");
}

void copy_all(const File& from, const File& to) {
  struct stat known {};
  if (fstat(from.number, &known) != 0) fail("cannot read the ranks' library");
  for (off_t left = known.st_size; left > 0;) {
    const ssize_t sent = sendfile(to.number, from.number, nullptr, static_cast<std::size_t>(left));
    if (sent <= 0) fail("cannot copy the ranks' library to the folder of temporary files");
    left -= sent;
  }
}

}  // namespace

void* entry_of_copy(const char* entry, int number) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/rank-" + std::to_string(getpid()) +
                           "-" + std::to_string(number) + ".so";
  const File original(open(own_path(), O_RDONLY | O_CLOEXEC));
  const File copy(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRWXU));
  if (original.number < 0 || copy.number < 0) fail(path);
  copy_all(original, copy);
  void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  unlink(path.c_str());
  if (handle == nullptr)
    throw std::runtime_error(std::string("cannot load a copy of the ranks' library: ") + dlerror());
  const Loaded copy_there = loaded(handle);
  for (const auto& segment : copy_there.segments) {
    const Pages pages = pages_of(copy_there, segment);
    if ((segment.p_flags & PF_W) == 0) {
      take_from(original, pages, segment.p_flags);
    } else {
      make_own(pages);
    }
  }
  hold(copy);
  if (ftruncate(copy.number, 0) != 0) fail(path);
  void* const found = dlsym(handle, entry);
  if (found == nullptr) throw std::runtime_error(std::string("the ranks' library lacks ") + entry);
  return found;
}

}  // namespace trunkline::simulate
