// SPDX-License-Identifier: Apache-2.0
// Codes of multicasts: against ISA-L, and whatever is missing comes back.
#include <gmock/gmock.h>
#include <isa-l/erasure_code.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "execute/multicast/codes.hpp"
#include "transport/loss_meter.hpp"
#include "transport/redundancy.hpp"

namespace trunkline::runtime {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t count, std::mt19937& random) {
  Bytes bytes(count);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random() & 0xFFU);
  return bytes;
}

std::vector<std::span<std::byte>> spans_of(std::vector<Bytes>& packets) { return {packets.begin(), packets.end()}; }

TEST(Field, IsThatOfIsaL) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      const auto one = static_cast<Element>(a);
      const auto other = static_cast<Element>(b);
      ASSERT_EQ(times(one, other), gf_mul(one, other)) << a << " " << b;
    }
    ASSERT_EQ(a == 0 ? 0 : inverse(static_cast<Element>(a)), gf_inv(static_cast<Element>(a)));
  }
}

/// Lengths around a vector's, and every factor.
TEST(Field, ProductsAreAddedAtEachLength) {
  std::mt19937 random(7);
  for (std::size_t length = 0; length < 70; ++length) {
    for (unsigned factor = 0; factor < 256; ++factor) {
      const Bytes from = random_bytes(length, random);
      Bytes to = random_bytes(length + 3, random);
      Bytes wanted = to;
      for (std::size_t i = 0; i < length; ++i) {
        wanted[i] ^= static_cast<std::byte>(times(static_cast<Element>(from[i]), static_cast<Element>(factor)));
      }
      add_product(to, static_cast<Element>(factor), from);
      ASSERT_EQ(to, wanted) << length << " " << factor;
    }
  }
}

RC_GTEST_PROP(Codes, ParityIsThatOfIsaL, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const auto packets = *rc::gen::inRange<std::uint32_t>(1, most_in_block + 1);
  const auto number = *rc::gen::inRange<std::uint32_t>(0, parities);
  const auto length = *rc::gen::inRange<std::size_t>(16, 200);
  std::vector<Bytes> block;
  std::vector<unsigned char> factors;
  std::vector<unsigned char*> places;
  for (std::uint32_t i = 0; i < packets; ++i) {
    block.push_back(random_bytes(length, random));
    factors.push_back(coefficient(number, i));
  }
  for (Bytes& one : block) places.push_back(reinterpret_cast<unsigned char*>(one.data()));
  std::vector<unsigned char> tables(std::size_t{32} * packets);
  ec_init_tables(static_cast<int>(packets), 1, factors.data(), tables.data());
  Bytes wanted(length);
  auto* const out = reinterpret_cast<unsigned char*>(wanted.data());
  unsigned char* outs[] = {out};
  ec_encode_data(static_cast<int>(length), static_cast<int>(packets), 1, tables.data(), places.data(), outs);
  Bytes parity(length);
  encode(number, spans_of(block), parity);
  RC_ASSERT(parity == wanted);
}

/// Any rows do for any packets, the last of which may be short.
RC_GTEST_PROP(Codes, WhateverIsMissingComesBack, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const auto packets = *rc::gen::inRange<std::uint32_t>(1, most_in_block + 1);
  const auto lost = *rc::gen::inRange<std::uint32_t>(1, packets + 1);
  const auto length = *rc::gen::inRange<std::size_t>(1, 100);
  std::vector<Bytes> block;
  for (std::uint32_t i = 0; i < packets; ++i) block.push_back(random_bytes(length, random));
  if (packets > 1) block.back().resize(*rc::gen::inRange<std::size_t>(1, length + 1));
  const std::vector<Bytes> sent = block;
  std::vector<std::uint32_t> rows(parities);
  std::iota(rows.begin(), rows.end(), 0U);
  std::ranges::shuffle(rows, random);
  std::vector<Parity> have;
  for (std::uint32_t i = 0; i < lost; ++i) {
    have.push_back({.number = rows[i], .bytes = Bytes(length)});
    encode(rows[i], spans_of(block), have.back().bytes);
  }
  std::vector<std::uint32_t> missing(packets);
  std::iota(missing.begin(), missing.end(), 0U);
  std::ranges::shuffle(missing, random);
  missing.resize(lost);
  std::ranges::sort(missing);
  for (const std::uint32_t one : missing) std::ranges::fill(block[one], std::byte{0xEE});
  decode(spans_of(block), missing, have);
  RC_ASSERT(block == sent);
}

TEST(Redundancy, GrowsWithWhatGetsLost) {
  EXPECT_EQ(spare_packets(64, 0.0, 31, 0.02), 0U);
  for (const std::uint32_t wanted : {1U, 6U, 46U, 64U}) {
    std::uint32_t before = 0;
    for (const double lost : {0.001, 0.01, 0.05, 0.2, 0.5, 0.9, 1.0}) {
      const std::uint32_t spare = spare_packets(wanted, lost, 31, 0.02);
      EXPECT_GE(spare, before);
      EXPECT_LE(spare, wanted + 8);
      before = spare;
    }
    EXPECT_EQ(before, wanted + 8);
  }
}

/// Drawn by lot: no more often than the chance says that somebody gets too few, and with one packet less more often.
TEST(Redundancy, IsEnoughAndNoMore) {
  std::mt19937 random(5);
  const double lost = 0.05;
  const std::uint32_t wanted = 32;
  const auto short_of = [&](std::uint32_t spare) {
    int times_short = 0;
    for (int turn = 0; turn < 4000; ++turn) {
      bool is_short = false;
      for (int rank = 0; rank < 20; ++rank) {
        std::binomial_distribution<std::uint32_t> come(wanted + spare, 1.0 - lost);
        is_short = is_short || come(random) < wanted;
      }
      times_short += is_short ? 1 : 0;
    }
    return times_short / 4000.0;
  };
  const std::uint32_t spare = spare_packets(wanted, lost, 20, 0.1);
  EXPECT_LT(short_of(spare), 0.11);
  EXPECT_GT(short_of(spare - 1), 0.1);
}

TEST(Redundancy, CopiesAreLostTogetherOnceInAHundred) {
  EXPECT_EQ(copies_against(0.0), 1U);
  EXPECT_EQ(copies_against(0.01), 1U);
  unsigned before = 1;
  for (int percent = 2; percent <= 100; ++percent) {
    const double lost = percent / 100.0;
    const unsigned copies = copies_against(lost);
    EXPECT_GE(copies, before);
    EXPECT_TRUE(copies == 4 || std::pow(lost, copies) <= 0.01) << lost;
    EXPECT_GT(std::pow(lost, copies - 1), 0.01) << lost;
    before = copies;
  }
  EXPECT_EQ(before, 4U);
}

TEST(LossMeter, ForgetsWhatWasLongAgo) {
  LossMeter meter;
  EXPECT_EQ(meter.own(), 0.0);
  EXPECT_GT(meter.own(10, 1), 0.0);
  EXPECT_LT(meter.own(10, 1), 0.05);  // one of ten may be chance
  for (int turn = 0; turn < 100; ++turn) meter.count(100, 20);
  EXPECT_NEAR(meter.own(), 0.2, 0.02);
  EXPECT_LT(meter.own(), 0.2);
  for (int turn = 0; turn < 100; ++turn) meter.count(100, 0);
  EXPECT_LT(meter.own(), 0.001);
  meter.agree(0.3);
  meter.hear(0.1);
  EXPECT_EQ(meter.likely(), 0.3);
}

}  // namespace
}  // namespace trunkline::runtime
