// SPDX-License-Identifier: Apache-2.0
// Nobody runs ahead of a late rank by more than so many messages, or so many bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "transport/mpi/backlog.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::uint64_t most_messages = 256;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;

TEST(Backlog, FewMessagesAreOrdinary) {
  Backlog backlog(2);
  for (std::uint64_t i = 0; i < most_messages / 2; ++i) EXPECT_FALSE(backlog.due(1, 0, false)) << i;
}

TEST(Backlog, EachRankHasItsOwn) {
  Backlog backlog(2);
  std::uint64_t messages = 0;
  while (!backlog.due(1, 0, false)) ASSERT_LE(++messages, most_messages);
  EXPECT_FALSE(backlog.due(0, 0, false));
}

TEST(Backlog, ASynchronousMessageIsOneAndBeginsAnew) {
  Backlog backlog(1);
  EXPECT_FALSE(backlog.due(0, most_bytes, false));
  EXPECT_TRUE(backlog.due(0, 0, true));
  EXPECT_FALSE(backlog.due(0, 0, false));
}

RC_GTEST_PROP(Backlog, BoundsWhatIsOrdinary, ()) {
  Backlog backlog(1);
  const auto sizes = *rc::gen::container<std::vector<std::uint64_t>>(600, rc::gen::inRange<std::uint64_t>(0, 20000));
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : sizes) {
    if (backlog.due(0, size, false)) {
      messages = bytes = 0;
      continue;
    }
    RC_ASSERT(bytes <= most_bytes);  // before this one
    RC_ASSERT(++messages <= most_messages);
    bytes += size;
  }
}

}  // namespace
}  // namespace trunkline::runtime
