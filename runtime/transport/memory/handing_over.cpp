// SPDX-License-Identifier: Apache-2.0
// How long data take from one rank of a host to the next. That depends on whether the two have a cache in common, which
// virtual machines do not tell, so it is measured.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t handed_bytes = std::size_t{16} << 10;
constexpr std::uint32_t first_times = 4;  ///< touch new pages
constexpr std::uint32_t times = 20;
/// For all of them, which take 40 us: a rank whose processor somebody else has holds up nobody for longer.
constexpr std::chrono::milliseconds most(1);

bool becomes(const std::atomic<std::uint32_t>& flag, std::uint32_t value, Clock::time_point end) {
  for (std::uint32_t looks = 1; flag.load(std::memory_order_acquire) != value; ++looks) {
    if (looks % 64 == 0 && Clock::now() > end) return false;
  }
  return true;
}

}  // namespace

/// Of the first rank of a host, which hands over to the second one; 0 of all others. Of no message yet: slots are free,
/// and each rank must leave its own so (free_first_slot()) once both have been here.
double HostMemory::time_handing_over() const noexcept {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (own_ > 1 || is_alone()) return 0.0;
  if (is_crowded_) return own_ == 0 ? unknown : 0.0;
  std::byte* const slot = peers_[0].segment.slot(0);
  std::atomic<std::uint32_t>& own = peers_[own_].segment.readers(0);
  const std::atomic<std::uint32_t>& other = peers_[1 - own_].segment.readers(0);
  std::array<std::byte, handed_bytes> data{};
  const std::size_t bytes = std::min<std::size_t>(handed_bytes, limits_.slot_bytes);
  std::array<double, times> took{};
  const Clock::time_point end = Clock::now() + most;
  std::uint32_t turn = 1;
  for (bool goes_on = true; goes_on && turn <= first_times + times; ++turn) {
    if (own_ == 1) {
      goes_on = becomes(other, turn, end);
      if (!goes_on) break;
      std::memcpy(data.data(), slot, bytes);
      own.store(turn, std::memory_order_release);
      continue;
    }
    const Clock::time_point began = Clock::now();
    std::memcpy(slot, data.data(), bytes);
    own.store(turn, std::memory_order_release);
    goes_on = becomes(other, turn, end);
    if (turn <= first_times) continue;
    const std::chrono::duration<double> now = Clock::now() - began;
    took[turn - first_times - 1] = goes_on ? now.count() : unknown;
  }
  if (own_ == 1) return 0.0;
  if (turn <= first_times + times) return unknown;
  std::ranges::nth_element(took, took.begin() + times / 2);
  return took[times / 2];
}

void HostMemory::free_first_slot() const noexcept {
  if (!is_alone()) peers_[own_].segment.readers(0).store(0, std::memory_order_relaxed);
}

}  // namespace trunkline::runtime
