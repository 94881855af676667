// SPDX-License-Identifier: Apache-2.0
// Sizes around segments and windows, ranks that come late, and messages beyond 2 GiB.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "suite.hpp"

namespace suite {
namespace {

void around_segments(Run& run) {
  for (const std::uint64_t bytes : {1, 2, 63, 64, 65, 127, 128, 129, 1447, 1448, 4095, 4096, 4097, 20000}) {
    broadcast_bytes(run, bytes, 0, MPI_COMM_WORLD, std::to_string(bytes) + " bytes");
    run.expect_ran(run.ranks > 1, std::to_string(bytes) + " bytes");
  }
}

void more_than_a_window(Run& run) {
  broadcast_bytes(run, 3000001, run.ranks / 2, MPI_COMM_WORLD, "3 MB");
  run.expect_ran(run.ranks > 1, "3 MB");
}

void late(Run& run, bool is_late, int root) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_late) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  broadcast_bytes(run, 200003, root, MPI_COMM_WORLD, "200 KB");
}

void late_receivers(Run& run) { late(run, run.rank % 2 == 1, 0); }
void late_root(Run& run) { late(run, run.rank == run.ranks - 1, run.ranks - 1); }

constexpr std::uint64_t huge_bytes = (std::uint64_t{1} << 31) + 12345;

/// A pattern laid end to end, of a prime number of pages: a piece that is displaced by some segments does not fit.
constexpr std::size_t tile_bytes = std::size_t{521} << 12;

std::vector<unsigned char> tile(unsigned serial) {
  std::vector<unsigned char> bytes(tile_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = content(i, serial);
  return bytes;
}

/// Memory for the message. Rank 0, which sends, has one tile of it, mapped again and again: faults of fresh pages take
/// most of the time of these cases.
class HugeMemory {
 public:
  explicit HugeMemory(bool is_tiled) {
    constexpr int readable = PROT_READ | PROT_WRITE;
    void* const memory = mmap(nullptr, length, readable, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<unsigned char*>(memory);
    if (!is_tiled) {
      static_cast<void>(madvise(data_, length, MADV_HUGEPAGE));  // a wish
      return;
    }
    const int file = memfd_create("tile", 0);
    bool good = file >= 0 && ftruncate(file, tile_bytes) == 0;
    for (std::size_t at = 0; at < length; at += tile_bytes) {
      const std::size_t bytes = std::min(tile_bytes, length - at);
      good = good && mmap(data_ + at, bytes, readable, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
    }
    close(file);
    if (!good) throw std::bad_alloc();
  }
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;
  ~HugeMemory() { munmap(data_, length); }
  [[nodiscard]] unsigned char* get() const { return data_; }

 private:
  static constexpr std::size_t length = (huge_bytes + 4095) / 4096 * 4096;
  unsigned char* data_ = nullptr;
};

/// The other ranks keep what an earlier serial has left.
void fill_huge(const Run& run, unsigned char* data, unsigned serial) {
  if (run.rank != 0) return;
  const std::vector<unsigned char> pattern = tile(serial);
  std::memcpy(data, pattern.data(), pattern.size());  // which is all of it
}

void check_huge(Run& run, const unsigned char* data, unsigned serial, const std::string& what) {
  const std::vector<unsigned char> pattern = tile(serial);
  int wrong = 0;
  for (std::uint64_t i = 0; i < huge_bytes; i += pattern.size()) {
    const std::size_t bytes = std::min<std::uint64_t>(pattern.size(), huge_bytes - i);
    wrong += std::memcmp(data + i, pattern.data(), bytes) != 0 ? 1 : 0;
    if (run.rank == 0) break;  // the rest is the same memory
  }
  run.expect(wrong == 0, what + ": " + std::to_string(wrong) + " tiles of 2 MiB are wrong");
  run.expect_ran(run.ranks > 1, what);
}

/// Above 2 GiB by datatypes, since a count does not reach so far.
void beyond_2_gib(Run& run) {
  const HugeMemory memory(run.rank == 0);
  fill_huge(run, memory.get(), 1);
  // Four blocks of 512 MiB and a tail, one piece of memory.
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  const int lengths[2] = {4, 12345};
  const MPI_Aint places[2] = {0, MPI_Aint{1} << 31};
  MPI_Type_contiguous(1 << 29, MPI_BYTE, &block);
  const MPI_Datatype types[2] = {block, MPI_BYTE};
  MPI_Type_create_struct(2, lengths, places, types, &whole);
  MPI_Type_commit(&whole);
  MPI_Bcast(memory.get(), 1, whole, 0, MPI_COMM_WORLD);
  check_huge(run, memory.get(), 1, "contiguous");
  MPI_Type_free(&whole);

  // The tail comes first in the signature: no longer one piece of memory, so it goes through the ring.
  fill_huge(run, memory.get(), 2);
  const int turned_lengths[2] = {12345, 4};
  const MPI_Aint turned_places[2] = {MPI_Aint{1} << 31, 0};
  const MPI_Datatype turned_types[2] = {MPI_BYTE, block};
  MPI_Type_create_struct(2, turned_lengths, turned_places, turned_types, &whole);
  MPI_Type_commit(&whole);
  MPI_Bcast(memory.get(), 1, whole, 0, MPI_COMM_WORLD);
  check_huge(run, memory.get(), 2, "in pieces");
  MPI_Type_free(&whole);
  MPI_Type_free(&block);
#if MPI_VERSION >= 4
  fill_huge(run, memory.get(), 3);
  MPI_Bcast_c(memory.get(), static_cast<MPI_Count>(huge_bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  check_huge(run, memory.get(), 3, "MPI_Bcast_c");
#endif
}

}  // namespace

std::vector<Case> size_cases() {
  return {{"sizes", "around segments", around_segments},
          {"sizes", "late receivers", late_receivers},
          {"sizes", "late root", late_root},
          {"window", "more than a window", more_than_a_window},
          {"huge", "beyond 2 GiB", beyond_2_gib}};
}

}  // namespace suite
