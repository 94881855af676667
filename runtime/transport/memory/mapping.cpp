// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace trunkline::runtime {

/// It can neither shrink nor grow once it is made: a process that truncates it would kill those that have mapped it.
MemoryFile MemoryFile::make(std::size_t bytes) {
  rlimit longest{};  // a file that is longer ends the process
  if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur < bytes) {
    errno = EFBIG;
    return MemoryFile();
  }
  MemoryFile file(memfd_create("trunkline", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) return file;
  const bool is_made = fchmod(file.number(), S_IRUSR | S_IWUSR) == 0 &&
                       ftruncate(file.number(), static_cast<off_t>(bytes)) == 0 &&
                       fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  return is_made ? std::move(file) : MemoryFile();
}

MemoryFile MemoryFile::of_process(long process, int number) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
  return MemoryFile(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

MemoryFile::~MemoryFile() {
  if (is_open()) close(number_);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

bool MemoryFile::read(void* into, std::size_t bytes) const {
  return pread(number_, into, bytes, 0) == static_cast<ssize_t>(bytes);
}

bool MemoryFile::write(const void* from, std::size_t bytes) const {
  return pwrite(number_, from, bytes, 0) == static_cast<ssize_t>(bytes);
}

bool Mapping::may_map(std::size_t bytes) {
  constexpr rlim_t share = 4;
  rlimit most{};
  return getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY || bytes <= most.rlim_cur / share;
}

Mapping::Mapping(const MemoryFile& file, std::size_t bytes) : bytes_(bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.number(), 0);
  if (at == MAP_FAILED) return;
  at_ = static_cast<std::byte*>(at);
  static_cast<void>(madvise(at, bytes, MADV_DONTFORK));
}

Mapping::~Mapping() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace trunkline::runtime
