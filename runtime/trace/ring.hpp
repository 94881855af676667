// SPDX-License-Identifier: Apache-2.0
// One rank's trace file, mapped to memory: a ring of records that holds the latest ones. Putting one in takes no lock
// and makes no system call; what a killed program has put in is in the file.
#pragma once

#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "trace/format.hpp"

namespace trunkline::runtime {

/// Of this host's monotonic clock, nanoseconds. No system call where the kernel offers its clock in user space.
[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

class Ring {
 public:
  /// Makes the file, all of it, so that no write can fail later; where there is no room, one of half as many records,
  /// and so on. Of `header` the texts, the rank, the host and the times count. Null where it cannot be made, with
  /// the reason in `problem`, which also says where the file is smaller than `bytes`.
  [[nodiscard]] static std::unique_ptr<Ring> make(const std::string& path, const TraceHeader& header,
                                                  std::uint64_t bytes, std::string& problem);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// `ns`: of the monotonic clock. Any thread.
  void put(std::uint64_t ns, std::uint64_t call, std::uint64_t what) noexcept {
    const std::uint64_t at = std::atomic_ref(header_->head).fetch_add(1, std::memory_order_relaxed);
    TraceRecord& record = records_[at & mask_];
    record.time = ((ns - start_) & time_mask) | call << time_bits;
    record.what = what;
  }

  /// The number of a kind in the table, unknown_kind where that is full. `is_new`: it was not there yet. Any thread.
  [[nodiscard]] std::size_t number_of(const CallKind& kind, bool& is_new);

  /// How far the clock was from rank 0's at the end.
  void compare_clocks_again(std::uint64_t ns, std::int64_t offset_ns, std::uint64_t error_ns) noexcept;

  /// Marks the file as that of a program that came to its end, and cuts off the unused rest.
  void finish() noexcept;

 private:
  Ring(int file, std::span<std::byte> memory);
  [[nodiscard]] std::size_t find(const CallKind& kind, std::size_t place) const;

  int file_;
  std::span<std::byte> memory_;
  TraceHeader* header_;
  CallKind* kinds_;
  TraceRecord* records_;
  std::uint64_t start_ = 0;
  std::uint64_t mask_ = 0;
  std::mutex mutex_;                                ///< only where a kind is new
  std::vector<std::atomic<std::uint16_t>> places_;  ///< by hash: number of the kind plus 1; 0: free
};

}  // namespace trunkline::runtime
