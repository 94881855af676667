// SPDX-License-Identifier: Apache-2.0
// Every kind of fault of a plan file, with the place and the words.
#include "algorithms/registry.hpp"
#include "faults.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

/// As people read them, native being no shape.
std::string known_shapes() {
  std::string words = "custom";
  for (const std::string& name : algorithm_names(Collective::bcast)) {
    if (name != "native") words += ", " + name;
  }
  return words;
}

const std::string shapes = known_shapes();

using testing::case_name;
using testing::FaultCase;
using testing::faults_of;

const FaultCase plan_faults[] = {
    FaultCase{"EmptyFile", "", {"1:1: the file is empty; its first line should be \"trunkline: plan/1\""}},
    FaultCase{"SyntaxError",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "sends: {0: [1}\n",
              {"5:14: YAML syntax: did not find expected ',' or ']', while parsing a flow sequence at line 5"}},
    FaultCase{"FormatOfACluster",
              "trunkline: cluster/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"1:12: a plan file is wanted, and this file says it is \"cluster/1\"; the first line should be "
               "\"trunkline: plan/1\""}},
    FaultCase{"FormatOfAClusterAndFaultsBehind",
              "trunkline: cluster/1\n"
              "collective: bcast\n"
              "shape: two-tree\n"
              "hosts: h[0-3]\n"
              "root: h1\n"
              "trees:\n"
              "  - sends:\n"
              "      h1: [h4, 0]\n"
              "      3: [h2]\n"
              "  - line: [1, 2-3, 0]\n",
              {"1:12: a plan file is wanted, and this file says it is \"cluster/1\"; the first line should be "
               "\"trunkline: plan/1\""}},
    FaultCase{"MissingKeys",
              "trunkline: plan/1\n",
              {"1:1: the key collective is missing; give it, such as collective: bcast",
               "1:1: the key shape is missing; give it, such as shape: custom",
               "1:1: the key ranks is missing; give it, such as ranks: 32",
               "1:1: the tree is missing; give line: [0, 1, 2] or sends: {0: [1, 2]}",
               "1:1: the key root is missing; give it, such as root: 0"}},
    FaultCase{"UnknownKey",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "rank: 2\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"4:1: unknown key \"rank\" (did you mean ranks?); known here are trunkline, collective, cluster, "
               "cluster_fingerprint, topology_fingerprint, provenance, segment, from, below, shape, ranks, hosts, "
               "ranks_per_host, root, line, sends, trees, exchange, rounds, multicast"}},
    FaultCase{"UnknownCollectiveAndShape",
              "trunkline: plan/1\n"
              "collective: bcats\n"
              "shape: liner\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"2:13: \"bcats\" is not a collective of plans (did you mean bcast?); known are bcast, reduce, "
               "allreduce, barrier, "
               "reduce-scatter, reduce-scatter-block, allgather, allgatherv, alltoall, gather, scatter, alltoallv, "
               "scan, exscan",
               "3:8: \"liner\" is not a shape of plans (did you mean linear?); known are " + shapes}},
    FaultCase{"AKindThatDoesNotServe",
              "trunkline: plan/1\n"
              "collective: alltoall\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"6:7: here is a tree, which cannot serve alltoall; give another kind of plan"}},
    FaultCase{"NativeHasNoPlan",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: native\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"3:8: \"native\" is not a shape of plans (did you mean wave?); known are " + shapes}},
    FaultCase{"RoundsAreNoTree",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: circulant\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"3:8: circulant goes by rounds, and here is a tree; call the shape custom"}},
    FaultCase{"WrongTypes",
              "trunkline: plan/1\n"
              "collective: [bcast]\n"
              "shape: {}\n"
              "cluster: []\n"
              "cluster_fingerprint: []\n"
              "segment: []\n"
              "provenance: {}\n"
              "ranks: many\n"
              "root: [0]\n"
              "line: 0\n",
              {"2:13: collective must be a text, such as bcast; here is a list",
               "3:8: shape must be a text, such as custom; here is a mapping",
               "4:10: cluster must be a text, such as cyclic; here is a list",
               "5:22: cluster_fingerprint must be a text of up to 16 hexadecimal digits; leave it out if unknown",
               "6:10: segment must be a text, such as 8KiB; here is a list",
               "7:13: provenance must be a text, such as drawn by hand; here is a mapping",
               "8:8: ranks must be a whole number from 1, not \"many\""}},
    FaultCase{"Fingerprint",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "cluster_fingerprint: \"0x12\"\n"
              "ranks: 1\n"
              "root: 0\n"
              "line: [0]\n",
              {"4:22: cluster_fingerprint must be a text of up to 16 hexadecimal digits; leave it out if unknown"}},
    FaultCase{"SegmentWithoutUnit",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "segment: 4096\n"
              "ranks: 1\n"
              "root: 0\n"
              "line: [0]\n",
              {"4:10: \"4096\" has no unit; write one of B, KiB, MiB, GiB, kB, MB, GB after the number, such as 4KiB"}},
    FaultCase{"SegmentZero",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "segment: 0KiB\n"
              "ranks: 1\n"
              "root: 0\n"
              "line: [0]\n",
              {"4:10: the size 0KiB must be a whole number of bytes above zero"}},
    FaultCase{"TooManyRanks",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 1000001\n"
              "root: 0\n"
              "line: [0]\n",
              {"4:8: ranks: at most 1000000 are allowed"}},
    FaultCase{"HostsDisagree",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 9\n"
              "hosts: h[0-3]\n"
              "ranks_per_host: 2\n"
              "root: 0\n"
              "line: [0-7]\n",
              {"5:8: the hosts hold 8 ranks (4 names, 2 ranks each); ranks says 9"}},
    FaultCase{"HostsTooMany",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "hosts: h[0-1999]\n"
              "ranks_per_host: 1000\n"
              "root: 0\n"
              "line: [0-7]\n",
              {"4:8: the hosts hold 2000000 ranks (2000 names, 1000 ranks each); at most 1000000 are allowed"}},
    FaultCase{"RanksPerHostAlone",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "ranks_per_host: 2\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"5:17: ranks_per_host goes with hosts; leave it out or name the hosts"}},
    FaultCase{"BadHosts",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "hosts: h[0-\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"4:9: hosts: a [ without its ]"}},
    FaultCase{"LineAndSends",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 0\n"
              "line: [0, 1]\n"
              "sends: {0: [1]}\n",
              {"7:8: both line and sends are given; keep one"}},
    FaultCase{"NoTree",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 0\n",
              {"1:1: the tree is missing; give line: [0, 1, 2] or sends: {0: [1, 2]}"}},
    FaultCase{"RootOutOfRange",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 2\n"
              "line: [0, 1]\n",
              {"5:7: there is no rank 2; the plan's ranks are 0 to 1"}},
    FaultCase{"UnknownHost",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "hosts: h[0-1]\n"
              "root: h9\n"
              "sends: {0: [h1]}\n",
              {"5:7: \"h9\" is neither a rank nor one of the plan's hosts"}},
    FaultCase{"HostOfSeveralRanks",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "hosts: h[0-1]\n"
              "ranks_per_host: 2\n"
              "root: 0\n"
              "sends: {0: [h1]}\n",
              {"7:13: h1 holds several ranks; name the rank by its number"}},
    FaultCase{"RankOutOfRange",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1, 3]\n"
              "  9: [2]\n",
              {"7:10: there is no rank 3; the plan's ranks are 0 to 2",
               "8:3: there is no rank 9; the plan's ranks are 0 to 2"}},
    FaultCase{"RankTwice",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1, 2]\n"
              "  1: [2]\n",
              {"8:7: rank 2 receives a second time (first from rank 0, line 7); keep one"}},
    FaultCase{"RankMissing",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 4\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1]\n"
              "  3: [2]\n",
              {"7:3: rank 3 is missing: nobody sends there; every rank but the root receives once"}},
    FaultCase{"ManyRanksMissing",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 100\n"
              "root: 0\n"
              "line: [0, 1]\n",
              {"6:7: ranks 2, 3, 4, 5, 6, 7, 8, 9, ... (98 in all) are missing: nobody sends there; every rank but the "
               "root receives once"}},
    FaultCase{"Circle",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 6\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1]\n"
              "  2: [3]\n"
              "  3: [4]\n"
              "  4: [2, 5]\n",
              {"10:7: ranks send in a circle that the root never reaches: 2 -> 3 -> 4 -> 2"}},
    FaultCase{"RootReceives",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1]\n"
              "  1: [0]\n",
              {"8:7: rank 0 is the root; nobody sends to it"}},
    FaultCase{"SendsToItself",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 2\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1]\n"
              "  1: [1]\n",
              {"8:7: rank 1 sends to itself"}},
    FaultCase{"TwoListsOfOneRank",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1]\n"
              "  0: [2]\n",
              {"8:3: rank 0 has a list already (line 7); join the two"}},
    FaultCase{"SendsNotAList",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "sends:\n"
              "  0: 1\n"
              "  x: [2]\n",
              {"7:6: what a rank sends to must be a list, such as [1, 2]; here is a text",
               "8:3: \"x\" is neither a rank nor one of the plan's hosts"}},
    FaultCase{"LineStartsElsewhere",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "line: [1, 2]\n",
              {"6:8: the line starts at rank 1 and the root is rank 0; let the line start at the root"}},
    FaultCase{"LineTwice",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 4\n"
              "root: 0\n"
              "line: [0, 1-3, 2-3]\n",
              {"6:16: rank 2 receives a second time (first from rank 1, line 6); keep one"}},
    FaultCase{"LineBackwards",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 4\n"
              "root: 3\n"
              "line: [3-0]\n",
              {"6:8: the range 3-0 runs backwards; name its ranks one by one"}},
    FaultCase{"LineOutOfRange",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 4\n"
              "root: 0\n"
              "line: [0-9]\n",
              {"6:8: there is no rank 9; the plan's ranks are 0 to 3"}},
    FaultCase{"SegmentZeroWithoutUnit",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "segment: 0\n"
              "line: [0-2]\n",
              {"6:10: a segment must be above zero"}},
    FaultCase{"TreesAndLine",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "line: [0, 1, 2]\n"
              "trees:\n"
              "  - line: [0, 1, 2]\n",
              {"8:3: both trees and a single tree (line or sends) are given; keep one"}},
    FaultCase{"TreesNotAList",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees: {line: [0, 1, 2]}\n",
              {"6:8: trees must be a list, such as [{line: [0, 1, 2]}, {line: [0, 2, 1]}]; here is a mapping"}},
    FaultCase{"TreesTooLargeTogether",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 600000\n"
              "root: 0\n"
              "trees: [{line: [0-599999]}, {line: [0-599999]}]\n",
              {"6:8: 2 trees of 600000 ranks are too much to hold; at most 1000000 ranks of all trees together are "
               "allowed"}},
    FaultCase{"NoTreesInTheList",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees: []\n",
              {"6:8: trees must list 1 to 16 trees; here are 0"}},
    FaultCase{"TreeThatIsNoMapping",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - [0, 1, 2]\n"
              "  - line: [0, 1, 2]\n",
              {"7:5: a tree must be a mapping, such as {line: [0, 1, 2]} or {sends: {0: [1, 2]}}; here is a list"}},
    FaultCase{"TreesWithTheirOwnRoots",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - {root: 0, line: [0, 1, 2]}\n"
              "  - {root: 1, ranks: 3, line: [1, 2, 0]}\n",
              {"7:6: root stands once, beside trees: it is the same for all of them",
               "8:6: root stands once, beside trees: it is the same for all of them",
               "8:15: ranks stands once, beside trees: it is the same for all of them"}},
    FaultCase{"TreesWithUnknownAndMissingKeys",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - send: {0: [1, 2]}\n"
              "  - {line: [0, 1, 2], sends: {0: [1, 2]}}\n",
              {"7:5: unknown key \"send\" (did you mean sends?); known here are line, sends, exchange",
               "7:5: the tree is missing; give line: [0, 1, 2] or sends: {0: [1, 2]}",
               "8:30: both line and sends are given; keep one"}},
    FaultCase{"TreesOfOtherRanks",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - line: [0, 1, 2]\n"
              "  - line: [0, 2]\n"
              "  - line: [0, 1, 2, 3]\n",
              {"8:11: rank 1 is missing: nobody sends there; every rank but the root receives once",
               "9:21: there is no rank 3; the plan's ranks are 0 to 2"}},
    FaultCase{"TreesFromOtherRoots",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - line: [0, 1, 2]\n"
              "  - line: [1, 0, 2]\n",
              {"8:12: the line starts at rank 1 and the root is rank 0; let the line start at the root",
               "8:15: rank 0 is the root; nobody sends to it"}},
    FaultCase{"CircleInTheSecondTree",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - line: [0, 1, 2]\n"
              "  - sends: {1: [2], 2: [1]}\n",
              {"8:25: ranks send in a circle that the root never reaches: 1 -> 2 -> 1"}},
    FaultCase{"ExchangeOfWhatGoesOneWay",
              "trunkline: plan/1\n"
              "collective: reduce\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "exchange: 1\n"
              "line: [0, 1, 2]\n",
              {"6:11: data of reduce go one way, and two roots exchange only what goes up and down again; leave "
               "exchange out"}},
    FaultCase{"ExchangeWithARankFurtherBelow",
              "trunkline: plan/1\n"
              "collective: allreduce\n"
              "shape: custom\n"
              "hosts: h[0-2]\n"
              "root: 0\n"
              "line: [0, 1, 2]\n"
              "exchange: h2\n",
              {"7:11: the root does not send to rank 2; it exchanges with one of those that it sends to"}},
    FaultCase{"ExchangeWithNobody",
              "trunkline: plan/1\n"
              "collective: barrier\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "line: [0, 1, 2]\n"
              "exchange: 3\n",
              {"7:11: there is no rank 3; the plan's ranks are 0 to 2"}},
    FaultCase{"OneExchangeOfTwoTrees",
              "trunkline: plan/1\n"
              "collective: allreduce\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "exchange: 1\n"
              "trees:\n"
              "  - line: [0, 1, 2]\n"
              "  - line: [0, 2, 1]\n",
              {"6:11: of several trees each says for itself with whom the root exchanges; move it to them"}},
    FaultCase{"ExchangeBesideRounds",
              "trunkline: plan/1\n"
              "collective: allreduce\n"
              "shape: custom\n"
              "ranks: 3\n"
              "root: 0\n"
              "exchange: 1\n"
              "rounds: allreduce-ring\n",
              {"6:11: both exchange and rounds are given; keep one"}},
    FaultCase{"OneTreeOfTwo",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: two-tree\n"
              "ranks: 3\n"
              "root: 0\n"
              "line: [0, 1, 2]\n",
              {"3:8: two-tree is a plan of 2 trees, and here is 1 tree; call the shape custom"}},
    FaultCase{"TwoTreesOfOne",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: linear\n"
              "ranks: 3\n"
              "root: 0\n"
              "trees:\n"
              "  - line: [0, 1, 2]\n"
              "  - line: [0, 2, 1]\n",
              {"3:8: linear is a plan of 1 tree, and here are 2 trees; call the shape custom"}},
    FaultCase{"SeveralAtOnceInFileOrder",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "segment: 4k\n"
              "ranks: 4\n"
              "root: 0\n"
              "sends:\n"
              "  0: [1, 1]\n"
              "  2: [7]\n"
              "  x: []\n",
              {"4:10: \"k\" is no unit of a size (did you mean kB?); known are B, KiB, MiB, GiB, kB, MB, GB",
               "8:10: rank 1 receives a second time (first from rank 0, line 8); keep one",
               "9:7: there is no rank 7; the plan's ranks are 0 to 3",
               "10:3: \"x\" is neither a rank nor one of the plan's hosts"}}};

class PlanFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(PlanFaults, AreSaidExactly) { EXPECT_EQ(faults_of(parse_plan, GetParam().yaml), GetParam().faults); }

INSTANTIATE_TEST_SUITE_P(All, PlanFaults, ::testing::ValuesIn(plan_faults), case_name);

}  // namespace
}  // namespace trunkline
