// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/slot_copies.hpp"

#include <chrono>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trunkline::runtime {

void copy_past_caches(std::byte* slot, const std::byte* from, std::size_t bytes) noexcept {
  std::size_t at = 0;
#if defined(__SSE2__)
  constexpr std::size_t word = sizeof(__m128i);
  for (; at + word <= bytes; at += word) {
    const __m128i data = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(slot + at), data);
  }
  _mm_sfence();
#endif
  if (at < bytes) std::memcpy(slot + at, from + at, bytes - at);
}

void SlotCopies::copy(std::byte* slot, const std::byte* from, std::size_t bytes) noexcept {
  const CopyWatch::Way way = watch_.may_be_slow() && bytes >= shortest_watched ? watch_.next() : CopyWatch::Way::cached;
  switch (way) {
    case CopyWatch::Way::past:
      copy_past_caches(slot, from, bytes);
      break;
    case CopyWatch::Way::cached:
      std::memcpy(slot, from, bytes);
      break;
    case CopyWatch::Way::timed:
      using Clock = std::chrono::steady_clock;
      const Clock::time_point began = Clock::now();
      std::memcpy(slot, from, bytes);
      watch_.took(bytes, std::chrono::duration<double>(Clock::now() - began).count());
  }
}

}  // namespace trunkline::runtime
