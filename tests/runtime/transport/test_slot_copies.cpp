// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/slot_copies.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace trunkline::runtime {
namespace {

constexpr std::size_t bytes = std::size_t{32} << 10;
constexpr double limit_s = 1e-10 * bytes;

/// Copies until one is timed, that one not counted; all of them go so.
std::uint32_t until_timed(CopyWatch& watch, CopyWatch::Way way) {
  std::uint32_t copies = 0;
  for (CopyWatch::Way next = watch.next(); next != CopyWatch::Way::timed; next = watch.next()) {
    EXPECT_EQ(next, way);
    ++copies;
  }
  return copies;
}

TEST(CopyWatch, TimesNoneOfTheFirstCopiesAndThenSome) {
  CopyWatch watch(1e-10, 10);
  EXPECT_EQ(until_timed(watch, CopyWatch::Way::cached), 10 + CopyWatch::told_in);
  watch.took(bytes, limit_s);
  EXPECT_EQ(until_timed(watch, CopyWatch::Way::cached), CopyWatch::told_in);
}

TEST(CopyWatch, GoesPastTheCachesOnceSeveralInARowWereSlow) {
  CopyWatch watch(1e-10, 0);
  for (const bool one_is_fast : {true, false}) {
    for (std::uint32_t slow = 1; slow < CopyWatch::slow_in_a_row; ++slow) {
      (void)until_timed(watch, CopyWatch::Way::cached);
      watch.took(bytes, 1.1 * limit_s);
    }
    EXPECT_EQ(until_timed(watch, CopyWatch::Way::cached), CopyWatch::told_in);
    watch.took(bytes, one_is_fast ? 0.9 * limit_s : 1.1 * limit_s);
  }
  // It looks again less and less often, and goes back once that was fast.
  for (std::uint32_t in = CopyWatch::first_looks_again_in; in < CopyWatch::most_looks_again_in; in *= 2) {
    EXPECT_EQ(until_timed(watch, CopyWatch::Way::past), in);
    watch.took(bytes, 5.0 * limit_s);
  }
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(until_timed(watch, CopyWatch::Way::past), CopyWatch::most_looks_again_in);
    watch.took(bytes, again < 2 ? 5.0 * limit_s : 0.5 * limit_s);
  }
  EXPECT_EQ(until_timed(watch, CopyWatch::Way::cached), CopyWatch::told_in);
}

TEST(SlotCopies, HaveEveryByteWhicheverWayTheyGo) {
  constexpr std::size_t room = std::size_t{20} << 10;
  alignas(64) static std::array<std::byte, room> slot;
  static std::array<std::byte, room> data;
  for (std::size_t i = 0; i < room; ++i) data.at(i) = static_cast<std::byte>(i * 7 + i / 256);
  SlotCopies always_slow(0.0, 0);
  SlotCopies never_slow(1.0, 0);
  const auto holds = [&](std::size_t from, std::size_t count) {
    return std::memcmp(slot.data(), data.data() + from, count) == 0 && slot.at(count) == std::byte{1};
  };
  for (const std::size_t count : {0, 1, 15, 16, 17, 63, 64, 100, 4095, 8191, 8192, 8193, 9999, 16384}) {
    for (const std::size_t from : {0, 1, 8, 13}) {
      slot.fill(std::byte{1});
      copy_past_caches(slot.data(), data.data() + from, count);
      EXPECT_TRUE(holds(from, count)) << count << " bytes from " << from;
      for (SlotCopies* const copies : {&always_slow, &never_slow}) {
        for (int times = 0; times < 20; ++times) {
          slot.fill(std::byte{1});
          copies->copy(slot.data(), data.data() + from, count);
          ASSERT_TRUE(holds(from, count)) << count << " bytes from " << from;
        }
      }
    }
  }
}

}  // namespace
}  // namespace trunkline::runtime
