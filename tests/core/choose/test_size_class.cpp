// SPDX-License-Identifier: Apache-2.0
#include "choose/size_class.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "choose/alternatives.hpp"
#include "model/native/rules.hpp"
#include "network/placement.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

RC_GTEST_PROP(SizeClass, HoldsSizesThatAreAlike, ()) {
  auto jumps = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 1U << 20U));
  std::ranges::sort(jumps);
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 40));
  const SizeClass found = size_class(bytes, jumps);
  RC_ASSERT(found.least_bytes <= bytes);
  RC_ASSERT(bytes <= found.most_bytes);
  RC_ASSERT(8 * (found.most_bytes - found.least_bytes) < found.least_bytes);
  for (const std::uint64_t end : {found.least_bytes, found.most_bytes}) {
    RC_ASSERT(size_class(end, jumps).index == found.index);
    RC_ASSERT(size_class(end, jumps).least_bytes == found.least_bytes);
  }
  RC_ASSERT(size_class(found.most_bytes + 1, jumps).index > found.index);
  RC_ASSERT(found.least_bytes == 1 || size_class(found.least_bytes - 1, jumps).index < found.index);
  RC_ASSERT(std::ranges::none_of(
      jumps, [&](std::uint64_t jump) { return found.least_bytes < jump && jump <= found.most_bytes; }));
}

TEST(SizeClass, BeginsAtPowersOfTwoAndTheirEighths) {
  for (std::uint64_t octave = 512; octave < std::uint64_t{1} << 40U; octave *= 2) {
    for (std::uint64_t eighth = 8; eighth < 16; ++eighth) {
      EXPECT_EQ(size_class(octave * eighth / 8, {}).least_bytes, octave * eighth / 8);
    }
  }
}

TEST(SizeClass, HasOneNativeAlgorithm) {
  const Cluster cluster = testing::one_switch(16);
  const Alternatives facts = alternatives_of(Collective::bcast, cluster, Placement{0, 1}, 0, {});
  std::uint64_t bytes = least_bytes;
  for (; bytes < std::uint64_t{1} << 27U; bytes = size_class(bytes, facts.jumps).most_bytes + 1) {
    const SizeClass sizes = size_class(bytes, facts.jumps);
    ASSERT_EQ(sizes.least_bytes, bytes);
    for (const Rank ranks : {2U, 4U, 7U, 8U, 16U, 31U, 32U, 64U, 100U, 256U, 1000U, 4096U}) {
      EXPECT_EQ(openmpi_bcast(ranks, bytes), openmpi_bcast(ranks, sizes.most_bytes)) << bytes;
      for (const auto library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
        for (const auto collective : {Collective::reduce, Collective::allreduce}) {
          EXPECT_EQ(native_reduction(library, collective, ranks, bytes),
                    native_reduction(library, collective, ranks, sizes.most_bytes))
              << bytes << " bytes, " << ranks << " ranks";
        }
      }
    }
  }
}

}  // namespace
}  // namespace trunkline
