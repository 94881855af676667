// SPDX-License-Identifier: Apache-2.0
// Plans that go by rounds: their files, and what the checker finds in those drawn by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "algorithms/registry.hpp"
#include "algorithms/rounds/generators.hpp"
#include "faults.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RC_GTEST_PROP(RoundPlans, AreReadAsTheyWereWritten, ()) {
  const Cluster cluster(testing::random_parts(5, 20));
  const Placement placement = testing::random_placement(cluster, 30);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto name = *rc::gen::element<std::string>("scatter-ring", "scatter-doubling", "circulant");
  PlanFile file;
  file.algorithm = name;
  file.plan = lay(Collective::bcast, name, &cluster, placement, root);
  check_plan(file.plan);
  const PlanFile again = parse_plan(write_plan(file), "x.yaml");
  RC_ASSERT(find_rounds(again.plan) != nullptr);
  RC_ASSERT(rounds_of(again.plan).generator == name);
  RC_ASSERT(rounds_of(again.plan).order == rounds_of(file.plan).order);
}

/// Listing what a generator makes gives the same rounds, by hand.
RC_GTEST_PROP(RoundPlans, CanBeListed, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 40);
  const auto root = *rc::gen::inRange<Rank>(0, ranks);
  const Plan plan = lay(Collective::bcast, *rc::gen::element<std::string>("scatter-doubling", "unaware-scatter-ring"),
                        nullptr, Placement(ranks, 0), root);
  PlanFile file;
  file.algorithm = "custom";
  const RoundList list = list_of(rounds_of(plan));
  file.plan = plan_of(listed_rounds(ranks, root, list));
  check_plan(file.plan);
  const PlanFile again = parse_plan(write_plan(file), "x.yaml");
  RC_ASSERT(list_of(rounds_of(again.plan)) == list);
}

/// Also where sums take each other's place.
TEST(RoundPlans, ListWhatReplaces) {
  PlanFile file;
  file.algorithm = "custom";
  file.collective = Collective::allreduce;
  const RoundList list = list_of(generate_rounds("3x3-lane-radix", by_number(15, 0)));
  file.plan = plan_of(listed_rounds(15, 0, list));
  const std::string text = write_plan(file);
  EXPECT_THAT(text, HasSubstr("blocks: 0, replace: true}"));
  EXPECT_EQ(list_of(rounds_of(parse_plan(text, "x.yaml").plan)), list);
}

/// Also where they take any number of blocks, once that is said.
RC_GTEST_PROP(RoundPlans, CanBeListedForSoManyBlocks, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 40);
  const auto root = *rc::gen::inRange<Rank>(0, ranks);
  const auto blocks = *rc::gen::inRange<std::uint64_t>(1, 30);
  const Plan plan = lay(Collective::bcast, "circulant", nullptr, Placement(ranks, 0), root);
  const RoundList list = list_of(rounds_of(plan), blocks);
  RC_ASSERT(list.blocks == blocks);
  check_rounds(listed_rounds(ranks, root, list));
  const RoundList begin = list_of(rounds_of(plan), blocks, 2);
  RC_ASSERT(begin.rounds.size() == std::min<std::size_t>(2, list.rounds.size()));
  RC_ASSERT(std::equal(begin.rounds.begin(), begin.rounds.end(), list.rounds.begin()));
  RC_ASSERT_THROWS_AS(list_of(rounds_of(plan)), std::invalid_argument);
  RC_ASSERT_THROWS_AS(list_of(rounds_of(plan), 0), std::invalid_argument);
  const Plan fixed = lay(Collective::bcast, "scatter-doubling", nullptr, Placement(ranks, 0), root);
  RC_ASSERT_THROWS_AS(list_of(rounds_of(fixed), ranks + 1), std::invalid_argument);
}

struct Drawn {
  std::string name;
  std::string rounds;
  std::string fault;
  std::string collective = "bcast";
};

const Drawn drawn[] = {
    {"LosesABlock", "{blocks: 2, transfers: [[{from: 0, to: 1, blocks: 0-1}], [{from: 1, to: 2, blocks: 0}]]}",
     "rank 2 never gets block 1"},
    {"SendsOneTwice",
     "{blocks: 1, transfers: [[{from: 0, to: 1, blocks: 0}], [{from: 1, to: 2, blocks: 0}], [{from: 0, to: 2, blocks: "
     "0}]]}",
     "round 2: rank 2 gets block 0 a second time, from rank 0"},
    {"SendsWhatItHasNot", "{blocks: 1, transfers: [[{from: 1, to: 2, blocks: 0}], [{from: 0, to: 1, blocks: 0}]]}",
     "round 0: rank 1 sends block 0, which it has not got yet"},
    {"TwoSendsInARound", "{blocks: 1, transfers: [[{from: 0, to: 1, blocks: 0}, {from: 0, to: 2, blocks: 0}]]}",
     "the rank sends already in this round"},
    {"NoSuchBlock", "{blocks: 1, transfers: [[{from: 0, to: 1, blocks: 1}]]}",
     "\"1\" is no range of blocks from 0 to 0"},
    {"NoSuchRank", "{blocks: 1, transfers: [[{from: 0, to: 3, blocks: 0}]]}", "\"3\" is no rank from 0 to 2"},
    {"NoSuchGenerator", "{generator: circulent, order: [0-2]}", "did you mean circulant?"},
    {"GroupsThatDoNotFit", "{generator: 2-lane-ring, order: [0-2]}", "\"2-lane-ring\": 3 ranks do not make groups of 2",
     "allreduce"},
    {"LanesWithoutTheirNumber", "{generator: lane-ring, order: [0-2]}", "did you mean K-lane-ring?", "reduce"},
    {"OfAnotherCollective", "{generator: 3-lane-ring, order: [0-2]}",
     "\"3-lane-ring\" is no generator of rounds for this collective; known for bcast are scatter-ring, "},
    {"OrderWithoutARank", "{generator: circulant, order: [0, 2]}", "rank 1 is missing in the order"},
    {"OrderWithARankTwice", "{generator: circulant, order: [0, 1, 1]}", "rank 1 stands twice in the order"},
    {"OrderFromElsewhere", "{generator: circulant, order: [1, 0, 2]}", "let it start at the root"},
    {"Both", "{generator: circulant, order: [0-2], transfers: []}", "both a generator and transfers are given"},
    {"ReplacesInABroadcast", "{blocks: 1, transfers: [[{from: 0, to: 1, blocks: 0, replace: true}]]}",
     "round 0: rank 0 sends block 0 to take another one's place, and bcast adds up no whole vectors"},
    {"ReplacesAndAdds", "{blocks: 1, transfers: [[{from: 0, to: 1, blocks: 0, add: true, replace: true}]]}",
     "and to be added to it; only one of both can be"},
    {"ReplacesWhat", "{blocks: 1, transfers: [[{from: 0, to: 1, blocks: 0, replace: all}]]}",
     "\"all\" is neither true nor false"},
    {"LeavesARankOut", "{blocks: 1, transfers: [[{from: 0, to: 2, blocks: 0, add: true}]]}",
     "round 0: rank 0 sends block 0 to rank 2, which does not lack the operands of just these ranks next", "scan"},
    {"LeavesOutWhatComesFirst", "{blocks: 1, transfers: [[{from: 1, to: 2, blocks: 0, add: true}]]}",
     "rank 1 never gets block 0 with the operands of all ranks before it", "scan"},
    {"NotByRank", "{generator: scan-line, order: [0, 2, 1]}", "exscan begins at rank 0, and goes by rank number",
     "exscan"},
    {"TooMany", "{blocks: 4000000000, transfers: []}", "are too much to hold"},
    {"Neither", "{}", "the key blocks is missing"},
};

class DrawnRounds : public ::testing::TestWithParam<Drawn> {};

TEST_P(DrawnRounds, HaveTheirFaultSaid) {
  const std::string text = "trunkline: plan/1\ncollective: " + GetParam().collective +
                           "\nshape: custom\nranks: 3\nroot: 0\nrounds: " + GetParam().rounds + "\n";
  const auto faults = testing::faults_of(parse_plan, text);
  ASSERT_FALSE(faults.empty());
  EXPECT_THAT(*faults.begin(), HasSubstr(GetParam().fault));
}

/// Replayed on a few ranks: what is said of a generator for any number of them, where files are not replayed.
TEST(Generators, ServeTheCollectivesThatTheyAreSaidTo) {
  std::set<std::string_view> names;
  for (const CollectiveFacts& one : collectives())
    std::ranges::copy(generators_of(one.collective), std::inserter(names, names.end()));
  EXPECT_EQ(names.size(), 23U);
  for (const std::string_view shown : names) {
    std::string name(shown);
    if (shown.starts_with("K-")) name.replace(0, 1, "4");
    if (shown.starts_with("KxR-")) name.replace(0, 3, "4x3");
    if (shown == "staggered-radix") name = "4-staggered-radix";
    const Rounds rounds = generate_rounds(name, by_number(24, 0));
    for (const CollectiveFacts& one : collectives()) {
      bool serves = true;
      try {
        check_rounds(rounds, one.collective);
      } catch (const InvalidPlan&) {
        serves = false;
      }
      EXPECT_EQ(is_generator_of(name, one.collective), serves) << name << " for " << one.name;
    }
  }
}

TEST(Generators, OfAnotherCollectiveAreRefusedForManyRanksToo) {
  const auto faults = testing::faults_of(parse_plan,
                                         "trunkline: plan/1\ncollective: reduce\nshape: custom\nranks: 1000\nroot: 0\n"
                                         "rounds:\n  generator: allgather-ring\n  order: [0-999]\n");
  EXPECT_THAT(faults, ElementsAre(HasSubstr("7:14: \"allgather-ring\" is no generator of rounds for this collective")));
}

TEST(Generators, OfScansGoByRankNumberAmongManyRanksToo) {
  const std::string text =
      "trunkline: plan/1\ncollective: scan\nshape: custom\nranks: 1000\nroot: 0\n"
      "rounds:\n  generator: scan-line\n  order: ";
  EXPECT_NO_THROW(static_cast<void>(parse_plan(text + "[0-999]\n", "f")));
  const auto faults = testing::faults_of(parse_plan, text + "[0, 2, 1, 3-999]\n");
  EXPECT_THAT(faults, ElementsAre(HasSubstr("scan begins at rank 0, and goes by rank number")));
}

INSTANTIATE_TEST_SUITE_P(All, DrawnRounds, ::testing::ValuesIn(drawn),
                         [](const auto& drawn_one) { return drawn_one.param.name; });

TEST(RoundPlans, SayWhichAlgorithmTheyAreOf) {
  const std::string rounds =
      "trunkline: plan/1\ncollective: bcast\nranks: 2\nroot: 0\nrounds: {generator: circulant, "
      "order: [0, 1]}\nshape: ";
  EXPECT_EQ(parse_plan(rounds + "custom", "f").algorithm, "custom");
  EXPECT_THROW(static_cast<void>(parse_plan(rounds + "linear", "f")), FaultyFile);
}

TEST(RoundPlans, LoadsAreThoseOfTheBusiestRound) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml");
  const Placement placement = block_placement(cluster, 1);
  const auto load = [&](std::string_view name) {
    return contention_of(cluster, placement, lay(Collective::bcast, name, &cluster, placement, 0)).max_channel_load;
  };
  EXPECT_EQ(load("scatter-ring"), 1U);
  EXPECT_EQ(load("unaware-scatter-ring"), 8U);  // all ranks send across the trunks, an eighth each way of the line
  EXPECT_GT(load("circulant"), 8U);
}

}  // namespace
}  // namespace trunkline
