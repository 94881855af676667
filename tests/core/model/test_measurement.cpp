// SPDX-License-Identifier: Apache-2.0
// Measured tables: their file, interpolation, and the papers' formulas over them.
#include "model/measured/measurement.hpp"

#include <gtest/gtest.h>

#include "faults.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;
using testing::faults_of;

const std::string head =
    "trunkline: measurement/1\n"
    "date: \"2026-01-31\"\n"
    "cluster: paper-1\n"
    "cluster_fingerprint: \"00000000000000ff\"\n"
    "mpi: mpich\n"
    "mpi_version: \"4.0.2\"\n";
const std::string one_distance =
    "distances:\n"
    "  - channels: 2\n"
    "    between: [h0, h1]\n"
    "    eager_limit: 8KiB\n"
    "    points:\n";
// The papers' table 2, 100 Mbit/s.
const std::string points =
    "      - {size: 256B, round_trip: 280us, gap: 30us, send: 10us, receive: 10us, spread: 0.0050}\n"
    "      - {size: 1KiB, round_trip: 678us, gap: 89us, send: 10us, receive: 10us, spread: 0.0050}\n"
    "      - {size: 8KiB, round_trip: 2038us, gap: 695us, send: 20us, receive: 20us, spread: 0.0050}\n";

const std::string relay =
    "relay:\n"
    "  ranks: 16\n"
    "  points:\n"
    "    - {size: 512B, gap: 100us, spread: 0.0100}\n"
    "    - {size: 1KiB, gap: 120us, spread: 0.0100}\n";

const std::string datagrams =
    "datagrams:\n"
    "  between: [h0, h1]\n"
    "  points:\n"
    "    - {size: 8B, send: 900ns, receive: 500ns, spread: 0.0100}\n"
    "    - {size: 1432B, send: 1.1us, receive: 800ns, spread: 0.0200}\n";

const std::string combining =
    "combining:\n"
    "  host: h0\n"
    "  ranks: 4\n"
    "  points:\n"
    "    - {size: 1KiB, time: 100ns, spread: 0.0100}\n"
    "    - {size: 16KiB, time: 700ns, spread: 0.0200}\n";

Measurement paper() { return parse_measurement(head + one_distance + points, "f"); }

TEST(Measurement, ReadsBackWhatItWrites) {
  const std::string text = write_measurement(paper());
  EXPECT_EQ(write_measurement(parse_measurement(text, "f")), text);
  EXPECT_NE(text.find("eager_limit: 8KiB"), std::string::npos);
  EXPECT_NE(text.find("round_trip: 280us, gap: 30us"), std::string::npos);
}

TEST(Measurement, ReadsBackARelay) {
  const Measurement measurement = parse_measurement(head + one_distance + points + relay, "f");
  ASSERT_TRUE(measurement.relay);
  EXPECT_EQ(measurement.relay->ranks, 16U);
  EXPECT_EQ(write_measurement(measurement), write_measurement(paper()) + relay);
}

TEST(Measurement, ReadsBackDatagrams) {
  EXPECT_FALSE(paper().datagrams);
  const Measurement measurement = parse_measurement(head + one_distance + points + datagrams, "f");
  ASSERT_TRUE(measurement.datagrams);
  EXPECT_EQ(measurement.datagrams->to, "h1");
  ASSERT_EQ(measurement.datagrams->points.size(), 2U);
  EXPECT_NEAR(measurement.datagrams->points[1].send_s, 1.1e-6, 1e-12);
  EXPECT_NEAR(measurement.datagrams->points[0].receive_s, 0.5e-6, 1e-12);
  EXPECT_EQ(write_measurement(measurement), write_measurement(paper()) + datagrams);
}

TEST(Measurement, ReadsBackCombining) {
  EXPECT_FALSE(paper().combining);
  const Measurement measurement = parse_measurement(head + one_distance + points + combining, "f");
  ASSERT_TRUE(measurement.combining);
  EXPECT_EQ(measurement.combining->host, "h0");
  EXPECT_EQ(measurement.combining->ranks, 4U);
  ASSERT_EQ(measurement.combining->points.size(), 2U);
  EXPECT_NEAR(measurement.combining->points[1].time_s, 0.7e-6, 1e-12);
  EXPECT_EQ(write_measurement(measurement), write_measurement(paper()) + combining);
}

TEST(Measurement, DerivesLatencyAsThePapersDo) {
  const Measurement measurement = paper();
  EXPECT_NEAR(measurement.distances[0].points[0].latency_s(), 0.110e-3, 1e-9);
  EXPECT_NEAR(measurement.distances[0].points[1].latency_s(), 0.250e-3, 1e-9);
}

const FaultCase measurement_faults[] = {
    FaultCase{"Empty", "", {"1:1: the file is empty; its first line should be \"trunkline: measurement/1\""}},
    FaultCase{"Truncated",
              head,
              {"1:1: the key distances is missing; give it, such as distances: [...], as 'trunkline measure' writes "
               "them"}},
    FaultCase{"NoPoints",
              head + one_distance + "      []\n",
              {"12:7: points is empty; measure again with 'trunkline measure'"}},
    FaultCase{"SizesOutOfOrder",
              head + one_distance + points +
                  "      - {size: 1KiB, round_trip: 1ms, gap: 1us, send: 1us, receive: 1us, spread: 0.01}\n",
              {"15:16: points must stand in the order of their sizes, each once"}},
    FaultCase{"Contradictory",
              head + one_distance +
                  "      - {size: 1KiB, round_trip: 1ms, gap: 1us, send: 2ms, receive: 1us, spread: 0.01}\n",
              {"12:9: send takes longer than the whole round trip: these figures contradict each other"}},
    FaultCase{"ReceivesForLongerThanTheRoundTrip",
              head + one_distance +
                  "      - {size: 1KiB, round_trip: 1ms, gap: 1us, send: 1us, receive: 1000s, spread: 0.01}\n",
              {"12:9: receive takes longer than the whole round trip: these figures contradict each other"}},
    FaultCase{
        "Times",
        head + one_distance +
            "      - {size: 1KiB, round_trip: 0s, gap: 1us, send: 0s, receive: 1us, spread: 0.01}\n"
            "      - {size: 2KiB, round_trip: 1msec, gap: -1us, send: 0s, receive: 1us, spread: 2}\n",
        {"12:9: round_trip and gap must be above zero", "13:34: \"msec\" is no unit of a time; known are ns, us, ms, s",
         "13:46: the time -1us must be zero or more",
         "13:84: spread must be a number from 0 to 1, such as 0.01, not \"2\""}},
    FaultCase{"Relay",
              head + one_distance + points +
                  "relay:\n"
                  "  ranks: 2\n"
                  "  points:\n"
                  "    - {size: 1KiB, gap: 0s, spread: 0}\n"
                  "    - {size: 1KiB, spread: 0}\n",
              {"16:10: ranks must be a whole number from 3, not \"2\"", "18:7: gap must be above zero",
               "19:7: the key gap is missing; give it, such as gap: 20us",
               "19:14: points must stand in the order of their sizes, each once"}},
    FaultCase{
        "Datagrams",
        head + one_distance + points +
            "datagrams:\n"
            "  between: h0\n"
            "  points:\n"
            "    - {size: 1KiB, send: 0s, receive: 1us, spread: 0}\n"
            "    - {size: 8B, send: 1us, spread: 0}\n"
            "    - {size: 2KiB, send: 1us, receive: 0s, spread: 0}\n",
        {"16:12: between must be a list, such as [h0, h1]; here is a text", "18:7: send and receive must be above zero",
         "19:7: the key receive is missing; give it, such as receive: 20us",
         "19:14: points must stand in the order of their sizes, each once",
         "20:7: send and receive must be above zero"}},
    FaultCase{"Combining",
              head + one_distance + points +
                  "combining:\n"
                  "  ranks: 0\n"
                  "  points:\n"
                  "    - {size: 1KiB, time: 0s, spread: 0}\n"
                  "    - {size: 8B, time: 1us, spread: 0}\n",
              {"16:3: the key host is missing; give it, such as host: h0",
               "16:10: ranks must be a whole number from 1, not \"0\"", "18:7: time must be above zero",
               "19:14: points must stand in the order of their sizes, each once"}},
    FaultCase{"Between",
              head + "distances:\n"
                     "  - channels: 2\n"
                     "    between: [h0]\n"
                     "    eager_limit: 0B\n"
                     "    points: [{size: 1KiB, round_trip: 1ms, gap: 1us, send: 0s, receive: 1us, spread: 0}]\n",
              {"9:14: between must name two hosts, such as [h0, h1]"}},
};

class MeasurementFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(MeasurementFaults, AreSaidExactly) {
  EXPECT_EQ(faults_of(parse_measurement, GetParam().yaml), GetParam().faults);
}

INSTANTIATE_TEST_SUITE_P(All, MeasurementFaults, ::testing::ValuesIn(measurement_faults), case_name);

}  // namespace
}  // namespace trunkline
