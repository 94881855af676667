// SPDX-License-Identifier: Apache-2.0
// Memory without a name, which other processes of the same user may map. Nothing is left of it once the last one that
// has mapped it is gone, however that came.
#pragma once

#include <cstddef>

namespace trunkline::runtime {

/// A file in memory, open. Its number means nothing in another process, but for whoever may look into this one.
class MemoryFile {
 public:
  /// None where the kernel has none to give; errno says why.
  static MemoryFile make(std::size_t bytes);
  /// Another process's, by its number there. None where that is not permitted, or not there.
  static MemoryFile of_process(long process, int number);

  explicit MemoryFile(int number = -1) : number_(number) {}
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  /// Whether its first bytes were read, or written.
  [[nodiscard]] bool read(void* into, std::size_t bytes) const;
  [[nodiscard]] bool write(const void* from, std::size_t bytes) const;

 private:
  int number_;
};

/// Part of this process's memory. A child of the process does not inherit it.
class Mapping {
 public:
  /// Whether so much leaves three fourths of the process's limit of address space (RLIMIT_AS) to the program.
  [[nodiscard]] static bool may_map(std::size_t bytes);

  Mapping() = default;
  /// The file's first bytes; none where there is no room.
  Mapping(const MemoryFile& file, std::size_t bytes);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::byte* at() const noexcept { return at_; }

 private:
  std::byte* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace trunkline::runtime
