// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults.hpp"
#include "weighted_graph/weights_file.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;

constexpr const char* head = "trunkline: weights/1\nname: w\nhosts: [a, b]\n";

TEST(WeightsFile, OneNumberOneEachHostAndAMatrix) {
  const WeightedNetwork read = parse_weights(
      "trunkline: weights/1\nname: lans\ndescription: two of them\nbytes: 100kB\nhosts: 'n[1-3]'\ninjection: [1ms, "
      "2ms, 3ms]\n"
      "weights:\n- [none, 10ms, none]\n- [20ms, 0s, 30ms]\n- [none, 40ms, none]\n",
      "f");
  EXPECT_EQ(read.name, "lans");
  EXPECT_EQ(read.hosts, (std::vector<std::string>{"n1", "n2", "n3"}));
  EXPECT_EQ(read.bytes, 100'000U);
  EXPECT_FALSE(read.grows);
  const StoredGraph graph = read.weighed(100'000);
  EXPECT_EQ(graph.edges(), 4U);
  EXPECT_DOUBLE_EQ(graph.find(1, 2)->weight_s, 0.03);
  EXPECT_DOUBLE_EQ(graph.find(1, 2)->injection_s, 0.002);
  EXPECT_DOUBLE_EQ(graph.find(2, 1)->injection_s, 0.003);
  EXPECT_FALSE(graph.find(0, 2));

  const WeightedNetwork by_way = parse_weights(
      std::string(head) + "weights: [[none, 1ms], [2ms, none]]\ninjection: [[none, 3ms], [4ms, none]]\n", "f");
  EXPECT_FALSE(by_way.bytes);
  EXPECT_DOUBLE_EQ(by_way.weighed(5).find(1, 0)->injection_s, 0.004);
}

TEST(WeightsFile, RatesMakeTimesFollowTheSize) {
  const WeightedNetwork read =
      parse_weights(std::string(head) +
                        "weights: [[none, 1ms], [1ms, none]]\ninjection: 2ms\nrates: [[none, 8Mbit], [80Mbit, none]]\n"
                        "injection_rates: [80Mbit, 80Mbit]\n",
                    "f");
  EXPECT_TRUE(read.grows);
  const StoredGraph graph = read.weighed(10'000);
  EXPECT_DOUBLE_EQ(graph.find(0, 1)->injection_s, 0.002 + 0.001);
  EXPECT_DOUBLE_EQ(graph.find(0, 1)->weight_s, 0.001 + 0.010 - 0.001);  // bytes are on their way as they are injected
  EXPECT_DOUBLE_EQ(graph.find(1, 0)->weight_s, 0.001);
}

class WeightsFault : public ::testing::TestWithParam<FaultCase> {};

TEST_P(WeightsFault, IsToldWithItsPlace) {
  EXPECT_EQ(testing::faults_of(parse_weights, GetParam().yaml), GetParam().faults);
}

const std::string start = head;  // of most cases
const std::string ways = start + "weights: [[none, 1ms], [1ms, none]]\n";

INSTANTIATE_TEST_SUITE_P(
    All, WeightsFault,
    ::testing::Values(
        FaultCase{
            "no_weights",
            start + "injection: 1ms\n",
            {"1:1: the key weights is missing; give it, such as weights: [[none, 1.6ms], [1.6ms, none]], a row for "
             "each host"}},
        FaultCase{
            "no_injection",
            ways,
            {"1:1: the key injection is missing; give it, such as injection: 7.3ms, or a list with a time for each "
             "host"}},
        FaultCase{
            "unknown_key",
            ways + "injection: 1ms\nrate: 1Mbit\n",
            {"6:1: unknown key \"rate\" (did you mean rates?); known here are trunkline, name, description, bytes, "
             "hosts, weights, injection, rates, injection_rates"}},
        FaultCase{"host_twice",
                  "trunkline: weights/1\nname: w\nhosts: [a, A]\nweights: [[none, 1ms], [1ms, none]]\ninjection: 1ms\n",
                  {"3:8: hosts: \"A\" is here a second time; keep one"}},
        FaultCase{"too_few_rows",
                  start + "weights: [[none, 1ms]]\ninjection: 1ms\n",
                  {"4:10: weights must have an entry for each of the 2 hosts; here are 1"}},
        FaultCase{"too_long_a_row",
                  start + "weights:\n- [none, 1ms]\n- [1ms, none, 2ms]\ninjection: 1ms\n",
                  {"6:3: weights from b must have an entry for each of the 2 hosts; here are 3"}},
        FaultCase{"no_unit",
                  start + "weights:\n- [none, 1.6]\n- [1ms, none]\ninjection: 7.3\n",
                  {"5:10: weights from a to b: \"1.6\" has no unit; write one of ns, us, ms, s after the number, such "
                   "as 20us",
                   "7:12: injection of all hosts: \"7.3\" has no unit; write one of ns, us, ms, s after the number, "
                   "such as 20us"}},
        FaultCase{"to_itself",
                  start + "weights: [[1ms, 1ms], [1ms, none]]\ninjection: 1ms\n",
                  {"4:12: weights from a to itself: no message goes there; write none"}},
        FaultCase{
            "a_way_without_injection",
            ways + "injection: [[none, none], [1ms, none]]\n",
            {"5:12: injection from a to b is none, and weights have a way there: give it, or write none there too"}},
        FaultCase{"a_way_without_rate",
                  ways + "injection: 1ms\nrates: [[none, 1Mbit], [none, none]]\n",
                  {"6:8: rates from b to a is none, and weights have a way there: give it, or write none there too"}},
        FaultCase{
            "bytes_and_rates",
            ways + "injection: 1ms\nrates: 1Mbit\nbytes: 8KiB\n",
            {"7:8: bytes says that all times are those of messages of that size, and rates say how times follow the "
             "size; keep one of them"}},
        FaultCase{"injections_of_other_hosts",
                  ways + "injection: [1ms]\n",
                  {"5:12: injection must have an entry for each of the 2 hosts; here are 1"}},
        FaultCase{"a_mapping",
                  start + "weights: {a: 1ms}\ninjection: 1ms\n",
                  {"4:10: weights must be a list, such as [[none, 1.6ms], [1.6ms, none]]; here is a mapping"}},
        FaultCase{"another_file",
                  "trunkline: cluster/1\nname: w\n",
                  {"1:12: a weights file is wanted, and this file says it is \"cluster/1\"; the first line should be "
                   "\"trunkline: weights/1\""}}),
    case_name);

}  // namespace
}  // namespace trunkline
