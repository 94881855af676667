// SPDX-License-Identifier: Apache-2.0
// How data get into a slot: through the caches, or past them. To write where another processor has just read waits for
// its cache, and how long depends on where the two are: on one machine 64 KiB took 5 us in some minutes and 10 to 25 in
// others, whenever the host of the virtual machine had moved its processors. Past the caches it took 2 us in all of
// them, but then who reads finds the data in memory. So the copies are watched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace trunkline::runtime {

/// Whether the next copy goes past the caches, by how long the last ones took that did not.
class CopyWatch {
 public:
  /// `slow_byte_s`: seconds a byte, from where on a copy is slow. As many of the first copies as `untold`, which touch
  /// new pages, tell nothing.
  CopyWatch(double slow_byte_s, std::uint32_t untold) : slow_byte_s_(slow_byte_s), until_told_(untold + told_in) {}

  [[nodiscard]] bool may_be_slow() const noexcept { return slow_byte_s_ < std::numeric_limits<double>::infinity(); }
  /// How one goes; to be asked once before each.
  enum class Way : std::uint8_t { cached, timed, past };
  [[nodiscard]] Way next() noexcept {
    if (until_told_ == 0) return Way::timed;
    --until_told_;
    return is_slow_ ? Way::past : Way::cached;
  }
  /// Of one that was to be timed. What holds a copy up now and then is no reason to go another way, so several have to
  /// be slow; a single fast one shows that it can be. Copies that touch new pages are slow for a while.
  void took(std::size_t bytes, double seconds) noexcept {
    if (seconds <= slow_byte_s_ * static_cast<double>(bytes)) {
      *this = CopyWatch(slow_byte_s_, 0);
      return;
    }
    if (++slow_ones_ >= slow_in_a_row) {
      is_slow_ = true;
      until_told_ = looks_again_in_;
      looks_again_in_ = std::min(2 * looks_again_in_, most_looks_again_in);
    } else {
      until_told_ = told_in;
    }
  }

  static constexpr std::uint32_t told_in = 3;  ///< copies between two that are timed
  static constexpr std::uint32_t slow_in_a_row = 3;
  static constexpr std::uint32_t first_looks_again_in = 16;  ///< copies past the caches between two that are not
  static constexpr std::uint32_t most_looks_again_in = 256;

 private:
  double slow_byte_s_;
  std::uint32_t until_told_;
  std::uint32_t slow_ones_ = 0;
  std::uint32_t looks_again_in_ = first_looks_again_in;
  bool is_slow_ = false;
};

/// Into a slot, which begins at a multiple of 16 bytes. Before others may read there, whoever copies past the caches
/// has seen to it that they find the data.
void copy_past_caches(std::byte* slot, const std::byte* from, std::size_t bytes) noexcept;

class SlotCopies {
 public:
  /// As of CopyWatch. Where no copy is slow, none is timed.
  SlotCopies(double slow_byte_s, std::uint32_t untold) : watch_(slow_byte_s, untold) {}
  void copy(std::byte* slot, const std::byte* from, std::size_t bytes) noexcept;

 private:
  /// To time a copy takes 0.05 us.
  static constexpr std::size_t shortest_watched = std::size_t{8} << 10;

  CopyWatch watch_;
};

}  // namespace trunkline::runtime
