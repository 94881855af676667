// SPDX-License-Identifier: Apache-2.0
#include "text/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

namespace trunkline {
namespace {

TEST(Quantity, Reads) {
  EXPECT_EQ(parse_rate("100Mbit"), 1e8);
  EXPECT_EQ(parse_rate("0.1 Gbit"), 1e8);
  EXPECT_EQ(parse_rate("1e2kbit"), 1e5);
  EXPECT_EQ(parse_rate("9600bit"), 9600.0);
  EXPECT_EQ(parse_time("20us"), 2e-5);
  EXPECT_EQ(parse_time("0ms"), 0.0);
  EXPECT_EQ(parse_time("1.5s"), 1.5);
  EXPECT_EQ(parse_time("3ns"), 3e-9);
  EXPECT_EQ(parse_bytes("2832B"), 2832U);
  EXPECT_EQ(parse_bytes("4 KiB"), 4096U);
  EXPECT_EQ(parse_bytes("1MB"), 1'000'000U);
  EXPECT_EQ(parse_bytes("64kB"), 64'000U);
  EXPECT_EQ(parse_bytes("2GB"), 2'000'000'000U);
  EXPECT_EQ(parse_bytes("1.5KiB"), 1536U);
  EXPECT_EQ(parse_bytes("4.10MB"), 4'100'000U);
  EXPECT_EQ(parse_bytes("18446744073709551615B"), 18446744073709551615U);
}

TEST(Quantity, ReadsLinksSideBySide) {
  EXPECT_EQ(parse_link_rate("2x10Gbit").bps, 1e10);
  EXPECT_EQ(parse_link_rate("2x10Gbit").width, 2U);
  EXPECT_EQ(parse_link_rate("1024x1 bit").width, 1024U);
  EXPECT_EQ(parse_link_rate("100Mbit").width, 1U);
  EXPECT_EQ(parse_link_rate("1x100Mbit").width, 1U);
  EXPECT_EQ(format_link_rate({.bps = 1e10, .width = 2}), "2x10Gbit");
  EXPECT_EQ(format_link_rate({.bps = 1e10}), "10Gbit");
}

template <typename Parse>
std::string fault(Parse parse, std::string_view text) {
  try {
    static_cast<void>(parse(text));
  } catch (const BadQuantity& bad) {
    return bad.what();
  }
  return "";
}

TEST(Quantity, SaysWhatIsWrong) {
  const std::string units = "bit, kbit, Mbit, Gbit";
  const std::string rates = ": from 0.001bit to 1000000000Gbit";
  EXPECT_EQ(fault(parse_rate, "100"),
            "\"100\" has no unit; write one of " + units + " after the number, such as 100Mbit");
  EXPECT_EQ(fault(parse_rate, "fast"),
            "\"fast\" is no rate; write a number and a unit (" + units + "), such as 100Mbit");
  EXPECT_EQ(fault(parse_rate, ""), "\"\" is no rate; write a number and a unit (" + units + "), such as 100Mbit");
  EXPECT_EQ(fault(parse_rate, "nan"), "\"nan\" is no rate; write a number and a unit (" + units + "), such as 100Mbit");
  EXPECT_EQ(fault(parse_rate, "5mbits"), "\"mbits\" is no unit of a rate (did you mean Mbit?); known are " + units);
  for (const std::string_view ten : {"10G", "10gig", "10GbE", "10Gb/s"}) {
    EXPECT_EQ(fault(parse_rate, ten),
              "\"" + std::string(ten.substr(2)) + "\" is no unit of a rate (did you mean Gbit?); known are " + units);
  }
  EXPECT_EQ(fault(parse_rate, "5furlongs"), "\"furlongs\" is no unit of a rate; known are " + units);
  EXPECT_EQ(fault(parse_rate, "0Mbit"), "the rate 0Mbit must be above zero");
  EXPECT_EQ(fault(parse_rate, "-1Mbit"), "the rate -1Mbit must be above zero");
  EXPECT_EQ(fault(parse_rate, "1e400Mbit"), "the rate 1e400Mbit is out of range" + rates);
  EXPECT_EQ(fault(parse_rate, "1e-300bit"), "the rate 1e-300bit is out of range" + rates);
  EXPECT_EQ(fault(parse_rate, "1e10Gbit"), "the rate 1e10Gbit is out of range" + rates);
  EXPECT_EQ(fault(parse_rate, "1e99999999999Mbit"), "the rate 1e99999999999Mbit is out of range" + rates);
  const std::string sides = " is no number of links side by side; write a whole one from 1 to 1024, such as 2x10Gbit";
  EXPECT_EQ(fault(parse_link_rate, "1025x1Gbit"), "\"1025x1Gbit\": \"1025\"" + sides);
  EXPECT_EQ(fault(parse_link_rate, "99999999999999x1Gbit"), "\"99999999999999x1Gbit\": \"99999999999999\"" + sides);
  EXPECT_EQ(fault(parse_link_rate, "+2x1Gbit"), "\"+2x1Gbit\": \"+2\"" + sides);
  EXPECT_EQ(fault(parse_link_rate, "2 x1Gbit"), "\"2 x1Gbit\": \"2 \"" + sides);
  EXPECT_EQ(fault(parse_link_rate, "xfast"),
            "\"xfast\" is no rate; write a number and a unit (" + units + "), such as 100Mbit");
  EXPECT_EQ(fault(parse_link_rate, "2x2x1Gbit"),
            "\"x1Gbit\" is no unit of a rate (did you mean Gbit?); known are " + units);
  EXPECT_EQ(fault(parse_time, "-2us"), "the time -2us must be zero or more");
  EXPECT_EQ(fault(parse_time, "2min"), "\"min\" is no unit of a time; known are ns, us, ms, s");
  EXPECT_EQ(fault(parse_bytes, "0B"), "the size 0B must be a whole number of bytes above zero");
  EXPECT_EQ(fault(parse_bytes, "1.5B"), "the size 1.5B must be a whole number of bytes above zero");
  EXPECT_EQ(fault(parse_bytes, "0.0001kB"), "the size 0.0001kB must be a whole number of bytes above zero");
  EXPECT_EQ(fault(parse_bytes, "1e3B"), "the size 1e3B must be a whole number of bytes above zero");
  EXPECT_EQ(fault(parse_bytes, "-1B"), "the size -1B must be a whole number of bytes above zero");
  EXPECT_EQ(fault(parse_bytes, "99999999999999GiB"), "the size 99999999999999GiB is out of range");
  const std::string sizes = "B, KiB, MiB, GiB, kB, MB, GB";
  EXPECT_EQ(fault(parse_bytes, "4KB"), "\"KB\" is no unit of a size (did you mean kB?); known are " + sizes);
  EXPECT_EQ(fault(parse_bytes, "4Mib"), "\"Mib\" is no unit of a size (did you mean MiB?); known are " + sizes);
}

TEST(Quantity, WritesWhatPeopleWrite) {
  EXPECT_EQ(format_rate(1e8), "100Mbit");
  EXPECT_EQ(format_rate(2.5e9), "2.5Gbit");
  EXPECT_EQ(format_rate(1e11), "100Gbit");
  EXPECT_EQ(format_rate(0.5), "0.5bit");
  EXPECT_EQ(format_time(2e-5), "20us");
  EXPECT_EQ(format_time(0.0), "0s");
  EXPECT_EQ(format_time(1.25e-3), "1.25ms");
  EXPECT_EQ(format_bytes(4096), "4KiB");
  EXPECT_EQ(format_bytes(2832), "2832B");
  EXPECT_EQ(format_bytes(1ULL << 40), "1024GiB");
}

RC_GTEST_PROP(Quantity, RoundTripsToTheBit, ()) {
  const double value = std::abs(std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>()));
  RC_PRE(std::isfinite(value) && value > 0.0);
  if (value >= least_rate_bps && value <= most_rate_bps) RC_ASSERT(parse_rate(format_rate(value)) == value);
  RC_ASSERT(parse_time(format_time(value)) == value);
}

RC_GTEST_PROP(Quantity, RoundTripsUsualRates, ()) {
  const double rate = *rc::gen::inRange(1, 1'000'000) * *rc::gen::element(0.001, 1.0, 1000.0, 1e6);
  RC_ASSERT(parse_rate(format_rate(rate)) == rate);
}

RC_GTEST_PROP(Quantity, RoundTripsBytes, ()) {
  const auto bytes = *rc::gen::suchThat<std::uint64_t>([](std::uint64_t value) { return value > 0; });
  RC_ASSERT(parse_bytes(format_bytes(bytes)) == bytes);
}

}  // namespace
}  // namespace trunkline
