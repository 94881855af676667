// SPDX-License-Identifier: Apache-2.0
// Every kind of fault of a multicast in a plan file, with the place and the words.
#include <string>
#include <vector>

#include "faults.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;

FaultCase multicast_fault(const std::string& name, const std::string& body, std::vector<std::string> faults) {
  return {name, "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 4\nroot: 0\n" + body, std::move(faults)};
}

FaultCase gather_fault(const std::string& name, const std::string& body, std::vector<std::string> faults) {
  return {name, "trunkline: plan/1\ncollective: allgather\nshape: custom\nranks: 4\nroot: 0\n" + body,
          std::move(faults)};
}

FaultCase reduce_fault(const std::string& name, const std::string& body, std::vector<std::string> faults) {
  return {name, "trunkline: plan/1\ncollective: allreduce\nshape: custom\nranks: 4\nroot: 0\n" + body,
          std::move(faults)};
}

const FaultCase multicast_faults[] = {
    multicast_fault("NoConfirm", "multicast: {pace: 1Gbit}\n",
                    {"6:12: the key confirm is missing; give it, such as confirm: {0: [1, 2], 1: [3]}"}),
    multicast_fault(
        "NoMapping", "multicast: 0\n",
        {"6:12: multicast must be a mapping, such as {pace: 100Mbit, confirm: {0: [1, 2], 1: [3]}}; here is a text"}),
    multicast_fault("Twice", "multicast:\n  confirm: {0: [1, 2, 1], 1: [3]}\n",
                    {"7:23: rank 1 reports a second time (first to rank 0, line 7); keep one"}),
    multicast_fault("TwoParents", "multicast:\n  confirm: {0: [1, 2, 3], 1: [3]}\n",
                    {"7:31: rank 3 reports a second time (first to rank 0, line 7); keep one"}),
    multicast_fault("Circle", "multicast:\n  confirm: {0: [1], 2: [3], 3: [2]}\n",
                    {"7:33: ranks report in a circle that the root is not in: 2 -> 3 -> 2"}),
    multicast_fault("RootReports", "multicast:\n  confirm: {0: [1, 2], 1: [3, 0]}\n",
                    {"7:31: rank 0 is the root; it reports to nobody"}),
    multicast_fault("Itself", "multicast:\n  confirm: {0: [1, 2], 1: [1, 3]}\n", {"7:28: rank 1 reports to itself"}),
    multicast_fault("Missing", "multicast:\n  confirm: {0: [1], 1: [3]}\n",
                    {"7:12: rank 2 is missing: every rank but the root reports to one other"}),
    multicast_fault("NoSuchRank", "multicast:\n  confirm: {0: [1, 2], 1: [3, 4]}\n",
                    {"7:31: there is no rank 4; the plan's ranks are 0 to 3"}),
    multicast_fault(
        "BadPace", "multicast:\n  pace: 100Mbyte\n  confirm: {0: [1, 2], 1: [3]}\n",
        {"7:9: pace: \"Mbyte\" is no unit of a rate (did you mean Mbit?); known are bit, kbit, Mbit, Gbit"}),
    multicast_fault("PaceOfNothing", "multicast:\n  pace: 0Mbit\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:9: pace: the rate 0Mbit must be above zero"}),
    multicast_fault("UnknownKey", "multicast:\n  confirms: {}\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:3: unknown key \"confirms\" (did you mean confirm?); known here are pace, groups, confirm, "
                     "exchange, reduce, order, at_once"}),
    multicast_fault("GroupOfNone", "multicast:\n  groups: [{ranks: [0-2]}]\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:11: groups: rank 3 is in no group"}),
    multicast_fault("GroupsAndAPace",
                    "multicast:\n  pace: 1Gbit\n  groups: [{ranks: [0-3]}]\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:9: pace: each group has one of its own; give it there"}),
    multicast_fault("NoGroups", "multicast:\n  groups: []\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:11: groups: there is none; leave the key out where all ranks are one"}),
    multicast_fault("GroupKey", "multicast:\n  groups: [{rank: [0-3]}]\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:12: the key ranks is missing; give it, such as ranks: [0-7]",
                     "7:13: unknown key \"rank\" (did you mean ranks?); known here are ranks, pace"}),
    multicast_fault("GroupOfTooMany", "multicast:\n  groups: [{ranks: [0-3, 1]}]\n  confirm: {0: [1, 2], 1: [3]}\n",
                    {"7:26: ranks: more ranks stand here than the plan has; name each once"}),
    multicast_fault("BesideATree", "multicast:\n  confirm: {0: [1, 2], 1: [3]}\nline: [0-3]\n",
                    {"8:7: both line and multicast are given; keep one"}),
    FaultCase{"OfAReduce",
              "trunkline: plan/1\ncollective: reduce\nshape: custom\nranks: 1\nroot: 0\nmulticast: {confirm: {}}\n",
              {"6:12: here is a multicast, which cannot serve reduce; give another kind of plan"}},
    multicast_fault("OrderOfABroadcast", "multicast: {confirm: {0: [1, 2], 1: [3]}, order: [0-3], at_once: 2}\n",
                    {"6:50: order is for collectives in which all ranks send, such as allgather",
                     "6:66: at_once is for collectives in which all ranks send, such as allgather"}),
    multicast_fault("ReduceOfABroadcast", "multicast: {confirm: {0: [1, 2], 1: [3]}, reduce: [{0: [1, 2, 3]}]}\n",
                    {"6:51: reduce is for reductions, whose operands go up these trees; the plan is for bcast"}),
    multicast_fault("ExchangeOfABroadcast", "multicast: {confirm: {0: [1, 2], 1: [3]}, exchange: 1}\n",
                    {"6:53: exchange is for reductions in groups, in which two that send have operands of all ranks; "
                     "leave it out"}),
    gather_fault("NoOrder", "multicast: {at_once: 2}\n",
                 {"6:12: the key order is missing; give it, such as order: [0-3]"}),
    gather_fault("NoAtOnce", "multicast: {order: [0-3]}\n",
                 {"6:12: the key at_once is missing; give it, such as at_once: 4"}),
    gather_fault("Confirmed", "multicast: {order: [0-3], at_once: 2, confirm: {0: [1, 2, 3]}}\n",
                 {"6:48: confirm is for collectives with a root that sends; here all ranks do: give their order"}),
    gather_fault("TooManyAtOnce", "multicast: {order: [0-3], at_once: 5}\n",
                 {"6:36: at_once: there are 4 ranks; no more can send at once"}),
    gather_fault("TwiceInTheOrder", "multicast: {order: [0, 1, 2, 1, 3], at_once: 2}\n",
                 {"6:30: rank 1 stands in the order a second time (first behind rank 0, line 6); keep one"}),
    gather_fault("OrderWithoutARank", "multicast: {order: [0, 1, 3], at_once: 2}\n",
                 {"6:20: rank 2 is missing in the order: every rank sends its block once"}),
    reduce_fault("NoTrees", "multicast: {confirm: {0: [1, 2, 3]}, reduce: []}\n",
                 {"6:46: reduce must list 1 to 16 trees; here are 0"}),
    reduce_fault("OperandTakenTwice", "multicast: {confirm: {0: [1, 2, 3]}, reduce: [{0: [1, 2], 1: [2, 3]}]}\n",
                 {"6:63: rank 2 has its operand taken a second time (first by rank 0, line 6); keep one"}),
    FaultCase{"CalledALine",
              "trunkline: plan/1\ncollective: bcast\nshape: linear\nranks: 1\nroot: 0\nmulticast: {confirm: {}}\n",
              {"3:8: linear is made of trees, and here is a multicast; call the shape custom"}},
    FaultCase{"ATreeCalledMulticast",
              "trunkline: plan/1\ncollective: bcast\nshape: multicast\nranks: 1\nroot: 0\nline: [0]\n",
              {"3:8: multicast goes by multicast, and here is a tree; call the shape custom"}},
};

class MulticastFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(MulticastFaults, AreSaidExactly) {
  EXPECT_EQ(testing::faults_of(parse_plan, GetParam().yaml), GetParam().faults);
}

INSTANTIATE_TEST_SUITE_P(All, MulticastFaults, ::testing::ValuesIn(multicast_faults), case_name);

}  // namespace
}  // namespace trunkline
