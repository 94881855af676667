// SPDX-License-Identifier: Apache-2.0
// Preloaded before the preload library: memory that is scarce for that library alone. A program finds the functions
// below by dlsym. What the MPI library and the program ask for is given as ever.
#include <dlfcn.h>
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <limits>

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void __libc_free(void* memory);

namespace {

constexpr long plenty = std::numeric_limits<long>::max();

constinit std::atomic<long> left{plenty};  ///< bytes that the library may still ask for
constinit std::atomic<long> refused{0};    ///< how often there was no memory

/// Whether the code there is of the preload library.
bool is_of_library(const void* code) {
  Dl_info found{};
  if (dladdr(code, &found) == 0 || found.dli_fname == nullptr) return false;
  return std::strstr(found.dli_fname, "libtrunkline-") != nullptr;
}

}  // namespace

/// From now on the calling process's preload library may ask for so many bytes. Below 0: it owes as many.
extern "C" __attribute__((visibility("default"))) void scarce_from_now(long bytes) { left = bytes; }

/// As many as it likes again. Returns how often it got none since it was asked last.
extern "C" __attribute__((visibility("default"))) long scarce_no_more() {
  left = plenty;
  return refused.exchange(0);
}

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
  if (left == plenty || !is_of_library(__builtin_return_address(0))) return __libc_malloc(bytes);
  if (left < static_cast<long>(bytes)) {
    ++refused;
    return nullptr;
  }
  void* const memory = __libc_malloc(bytes);
  if (memory != nullptr) left -= static_cast<long>(malloc_usable_size(memory));
  return memory;
}

extern "C" __attribute__((visibility("default"))) void free(void* memory) {
  const bool counts = memory != nullptr && left != plenty && is_of_library(__builtin_return_address(0));
  if (counts) left += static_cast<long>(malloc_usable_size(memory));
  __libc_free(memory);
}
