// SPDX-License-Identifier: Apache-2.0
// Phases of an alltoall: every pair once, no link with more than it has room for, few phases, and words that bound what
// is under way on each link.
#include "algorithms/rounds/pair_phases.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "algorithms/trees/linear.hpp"
#include "faults.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "network/capacity.hpp"
#include "network/file/impaired.hpp"
#include "network/link_taken.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

using LinkOfMany = std::pair<ChannelId, std::uint32_t>;

std::vector<LinkOfMany> links_of(const Cluster& cluster, const Placement& placement, const PairMessage& message) {
  std::vector<LinkOfMany> links;
  const HostIndex from = placement[message.from];
  const HostIndex to = placement[message.to];
  if (from == to) return links;
  for (const ChannelId channel : cluster.path(cluster.hosts()[from], cluster.hosts()[to])) {
    links.emplace_back(channel, link_taken(from, to, cluster.link_of(channel).width));
  }
  return links;
}

std::vector<PairRound> phases_on(const Cluster& cluster, const Placement& placement, std::uint64_t block_bytes,
                                 std::uint64_t queue_bytes = usual_queue_bytes) {
  return pair_phases(cluster, placement, depth_first_order(cluster, placement, 0), block_bytes, queue_bytes);
}

bool is_of_words(const PairRound& round) { return round.front().then.has_value(); }

RC_GTEST_PROP(PairPhases, HaveEveryPairOnceAndNoLinkTooFull, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Placement placement = testing::random_placement(cluster, 16);
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  const auto block_bytes = *rc::gen::inRange<std::uint64_t>(1, 200'000);
  std::set<std::pair<Rank, Rank>> pairs;
  for (const PairRound& round : phases_on(cluster, placement, block_bytes)) {
    RC_ASSERT(!round.empty());
    std::set<Rank> senders;
    std::set<Rank> receivers;
    std::map<LinkOfMany, std::uint32_t> loads;
    for (const PairMessage& one : round) {
      RC_ASSERT(one.then.has_value() == is_of_words(round));
      RC_ASSERT(senders.insert(one.from).second);
      RC_ASSERT(receivers.insert(one.to).second);
      if (is_of_words(round)) continue;
      RC_ASSERT(pairs.emplace(one.from, one.to).second);
      for (const LinkOfMany& link : links_of(cluster, placement, one)) ++loads[link];
    }
    for (const auto& [link, load] : loads) RC_ASSERT(load <= capacities[link.first / 2]);
  }
  RC_ASSERT(pairs.size() == placement.size() * (placement.size() - 1));
}

/// On any link, of the messages that wait for words there no more than the queue holds are sent before an earlier one
/// has come: replayed with messages that never come but by a word.
RC_GTEST_PROP(PairPhases, WordsBoundWhatIsUnderWayOnTheFullestLink, ()) {
  const Cluster cluster = testing::star_of_switches(*rc::gen::inRange(2U, 6U), *rc::gen::inRange(1U, 6U));
  const Placement placement = block_placement(cluster, 1);
  const auto in_queue = *rc::gen::inRange<std::uint64_t>(1, 20);
  const std::vector<PairRound> rounds = phases_on(cluster, placement, 1000, 1000 * in_queue + 999);
  std::map<LinkOfMany, std::vector<PairMessage>> crossing;
  for (const PairRound& round : rounds) {
    if (is_of_words(round)) continue;
    for (const PairMessage& one : round) {
      for (const LinkOfMany& link : links_of(cluster, placement, one)) crossing[link].push_back(one);
    }
  }
  std::size_t fullest = 0;
  for (const auto& [link, messages] : crossing) fullest = std::max(fullest, messages.size());
  std::map<std::pair<Rank, Rank>, std::pair<Rank, Rank>> word;  // by message: the one whose receiver lets it go
  std::map<Rank, std::set<Rank>> there;                         // by rank: who let it begin
  std::map<Rank, Rank> came_from;
  for (const PairRound& round : rounds) {
    for (const PairMessage& one : round) {
      if (is_of_words(round) && came_from.empty()) {
        there[one.to].insert(one.from);
      } else if (is_of_words(round)) {
        word[{one.to, *one.then}] = {came_from.at(one.from), one.from};
      } else {
        came_from[one.to] = one.from;
      }
    }
  }
  const auto has_words = [&](const LinkOfMany& link) {
    const std::vector<PairMessage>& messages = crossing[link];
    std::set<Rank> senders;
    for (const PairMessage& one : messages) senders.insert(one.from);
    const bool is_own = link == links_of(cluster, placement, messages.front()).front();  // a host's
    return messages.size() == fullest && senders.size() * pair_lead > in_queue && !is_own;
  };
  using ByRank = std::map<Rank, std::set<Rank>>;  // that sends without words at first
  const auto are_let_begin = [&](const ByRank& may_be_there) {
    return std::ranges::all_of(may_be_there, [&](const auto& place) {
      const auto& [rank, others] = place;
      const bool is_let_begin = std::ranges::any_of(there[rank], [&](Rank one) { return others.contains(one); });
      return is_let_begin || others.contains(rank);
    });
  };
  ByRank to_hosts;
  for (const auto& [link, messages] : crossing) {
    if (!has_words(link)) continue;
    ByRank over_switches;
    ByRank& may_be_there = link == links_of(cluster, placement, messages.front()).back() ? to_hosts : over_switches;
    const std::size_t at_once = std::max<std::uint64_t>(in_queue, 8);
    for (std::size_t at = 0; at < at_once && messages.size() >= at_once; ++at) {
      if (word.contains({messages[at].from, messages[at].to})) continue;
      const std::vector<LinkOfMany> path = links_of(cluster, placement, messages[at]);
      if (*std::ranges::find_if(path.rbegin(), path.rend(), has_words) != link) continue;  // one is as full further on
      // In a row of calls, the message `at_once` before it.
      may_be_there[messages[at].from].insert(messages[(messages.size() + at - at_once) % messages.size()].to);
    }
    for (std::size_t at = 0; at < messages.size(); ++at) {
      const auto let_go = word.find({messages[at].from, messages[at].to});
      if (let_go == word.end()) {
        // It may be let go on another link that is as full.
        RC_ASSERT(at < std::max<std::uint64_t>(in_queue, 8) || links_of(cluster, placement, messages[at]).size() > 2);
        continue;
      }
      const auto earlier = std::ranges::find_if(
          messages, [&](const PairMessage& one) { return std::pair(one.from, one.to) == let_go->second; });
      if (earlier == messages.end()) continue;
      const auto before = static_cast<std::size_t>(earlier - messages.begin());
      RC_ASSERT(before < at);
      RC_ASSERT(at - before <= at_once);
    }
    RC_ASSERT(are_let_begin(over_switches));
  }
  RC_ASSERT(are_let_begin(to_hosts));
}

/// A tree of switches with links of one rate.
Cluster tree_of(std::mt19937& random) {
  const NodeId switches = 1 + static_cast<NodeId>(random() % 8);
  const NodeId hosts = 3 + static_cast<NodeId>(random() % 25);
  Cluster::Parts parts{.name = "tree", .description = "", .nodes = {}, .links = {}};
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0) parts.links.push_back({static_cast<NodeId>(random() % id), id, 100e6, 10e-6});
  }
  for (NodeId host = 0; host < hosts; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    parts.links.push_back({static_cast<NodeId>(random() % switches), switches + host, 100e6, 10e-6});
  }
  return Cluster(std::move(parts));
}

TEST(PairPhases, AreAsFewAsTheFullestLinkHasMessages) {
  int more = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const Cluster cluster = tree_of(random);
    const Placement placement = block_placement(cluster, 1 + static_cast<Rank>(random() % 3));
    const std::vector<PairRound> phases = phases_on(cluster, placement, 1);
    std::map<LinkOfMany, std::size_t> loads;
    for (const PairRound& round : phases) {
      for (const PairMessage& one : round) {
        for (const LinkOfMany& link : links_of(cluster, placement, one)) ++loads[link];
      }
    }
    std::size_t fullest = placement.size() - 1;
    for (const auto& [link, load] : loads) fullest = std::max(fullest, load);
    EXPECT_LE(phases.size(), fullest + fullest / 20) << seed;
    more += phases.size() > fullest ? 1 : 0;
  }
  EXPECT_LE(more, 8);
}

TEST(PairPhases, ShortBlocksNeedNoWords) {
  const Cluster cluster = testing::star_of_switches(4, 4);
  for (const PairRound& round : phases_on(cluster, block_placement(cluster, 1), 100)) {
    EXPECT_FALSE(is_of_words(round));
  }
}

/// Words of the plan that the registry lays.
std::size_t words_on(const Cluster& cluster) {
  const Plan plan = lay(Collective::alltoall, "phases", &cluster, block_placement(cluster, 1), 0, 16384);
  std::string text;
  plan.steps().write(text);
  std::size_t words = 0;
  for (std::size_t at = text.find("word: "); at != std::string::npos; at = text.find("word: ", at + 1)) ++words;
  return words;
}

TEST(PairPhases, GoByTheQueuesOfTheShallowestSwitch) {
  const Cluster unknown = testing::star_of_switches(4, 4);
  EXPECT_EQ(queue_bytes_of(unknown), usual_queue_bytes);
  const Cluster deep = impaired(unknown, "queue", "1MiB");
  const Cluster mixed = impaired(deep, "queue", unknown.nodes()[0].name + "=256KiB");
  EXPECT_EQ(queue_bytes_of(mixed), 256U << 10U);
  EXPECT_EQ(queue_bytes_of(impaired(unknown, "queue", unknown.nodes()[0].name + "=1MiB")), usual_queue_bytes);
  EXPECT_LT(words_on(mixed), words_on(unknown));
  EXPECT_LT(words_on(deep), words_on(mixed));
}

RC_GTEST_PROP(PairPhases, KeepThePromise, ()) {
  const Cluster cluster(testing::random_parts(5, 10));
  const Placement placement = testing::random_placement(cluster, 12);
  const auto bytes = *rc::gen::element<std::uint64_t>(8, 1024, 65536);
  check_plan(lay(Collective::alltoall, "phases", &cluster, placement, 0, bytes), Collective::alltoall);
  check_plan(lay(Collective::alltoall, "ring", &cluster, placement, 0), Collective::alltoall);
  check_plan(lay(Collective::alltoall, "by-hosts", &cluster, placement, 0, bytes), Collective::alltoall);
}

/// Ranks dealt over hosts, so that those of a host have no neighbouring numbers.
RC_GTEST_PROP(PairsByHosts, SendOneMessageFromEachHostToEachOtherOne, ()) {
  const Cluster cluster(testing::random_parts(5, 10));
  const Placement placement = testing::random_placement(cluster, 24);
  const Plan plan = lay(Collective::alltoall, "by-hosts", &cluster, placement, 0, 256);
  std::map<std::pair<HostIndex, HostIndex>, std::vector<Transfer>> sent;
  std::map<HostIndex, std::set<Rank>> talkers;
  for (const std::vector<Transfer>& round : list_of(rounds_of(plan)).rounds) {
    for (const Transfer& one : round) {
      if (one.is_word() || placement[one.from] == placement[one.to]) continue;
      sent[{placement[one.from], placement[one.to]}].push_back(one);
      talkers[placement[one.from]].insert(one.from);
    }
  }
  const std::set<HostIndex> hosts(placement.begin(), placement.end());
  RC_ASSERT(sent.size() == hosts.size() * (hosts.size() - 1));
  for (const auto& [ends, messages] : sent) {
    const auto ranks_on = [&](HostIndex host) { return std::ranges::count(placement, host); };
    RC_ASSERT(messages.size() == 1U);
    RC_ASSERT(messages.front().blocks().blocks() ==
              static_cast<std::uint64_t>(ranks_on(ends.first) * ranks_on(ends.second)));
  }
  for (const auto& [host, ranks] : talkers) RC_ASSERT(ranks.size() == 1U);
}

RC_GTEST_PROP(BlockRows, OverlapWhereTheyHaveABlockInCommon, ()) {
  const auto any = [] {
    BlockRows one{.first = *rc::gen::inRange<std::uint64_t>(0, 30), .count = *rc::gen::inRange<std::uint64_t>(1, 5)};
    one.rows = *rc::gen::inRange<std::uint64_t>(1, 5);
    if (one.rows > 1) one.stride = one.count + *rc::gen::inRange<std::uint64_t>(0, 7);
    return one;
  };
  const auto blocks_of = [](const BlockRows& rows) {
    std::set<std::uint64_t> all;
    for (std::uint64_t i = 0; i < rows.blocks(); ++i) {
      all.insert(rows.first + i / rows.count * rows.stride + i % rows.count);
    }
    return all;
  };
  const BlockRows one = any();
  const BlockRows other = any();
  const std::set<std::uint64_t> of_other = blocks_of(other);
  RC_ASSERT(one.overlaps(other) ==
            std::ranges::any_of(blocks_of(one), [&](std::uint64_t block) { return of_other.contains(block); }));
  RC_ASSERT(one.end() == *blocks_of(one).rbegin() + 1);
}

void expect_written_and_read_again(const Plan& plan) {
  std::string text =
      "trunkline: plan/1\ncollective: alltoall\nshape: custom\nranks: " + std::to_string(plan.ranks()) + "\nroot: 0\n";
  plan.steps().write(text);
  EXPECT_NE(text.find("word: "), std::string::npos);
  const std::uint64_t blocks = std::uint64_t{plan.ranks()} * plan.ranks();
  const Plan read = parse_plan(text, "f").plan;
  EXPECT_EQ(list_of(rounds_of(read)), list_of(rounds_of(plan)));
  for (Rank position = 0; position < plan.ranks(); ++position) {
    const auto written = rounds_of(plan).schedule_of(position);
    const auto again = rounds_of(read).schedule_of(position);
    for (std::uint64_t round = 0; round < written->rounds(blocks); ++round) {
      const auto one = written->send(round, blocks);
      const auto other = again->send(round, blocks);
      ASSERT_EQ(one.has_value(), other.has_value());
      if (!one) continue;
      EXPECT_EQ(one->needs, other->needs);
      EXPECT_EQ(one->word, other->word);
    }
  }
}

TEST(PairPhases, AreWrittenWithTheirWordsAndReadAgain) {
  const Cluster cluster = testing::star_of_switches(3, 3);
  expect_written_and_read_again(lay(Collective::alltoall, "phases", &cluster, block_placement(cluster, 1), 0, 65536));
  Placement dealt;
  for (Rank rank = 0; rank < 18; ++rank) dealt.push_back(rank % 9);
  expect_written_and_read_again(lay(Collective::alltoall, "by-hosts", &cluster, dealt, 0, 16384));
}

TEST(PairPhases, WordsThatNothingWaitsForAreRefused) {
  const std::string head =
      "trunkline: plan/1\ncollective: alltoall\nshape: custom\nranks: 2\nroot: 0\nrounds:\n  blocks: 4\n";
  const auto faults = testing::faults_of(
      parse_plan,
      head +
          "  transfers: [[{from: 0, to: 1, blocks: 1}, {from: 1, to: 0, blocks: 2}], [{from: 0, to: 1, word: 2}]]\n");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults.begin()->find("gets a word for block 2, and sends no transfer"), std::string::npos)
      << *faults.begin();
}

TEST(PairPhases, BlocksWhoseLengthsNoOtherRankKnowsGoStraightOn) {
  const Cluster cluster = testing::star_of_switches(3, 3);
  const Placement placement = block_placement(cluster, 2);
  const Plan straight = lay(Collective::alltoall, "phases", &cluster, placement, 0, 65536);
  check_plan(straight, Collective::alltoallv);
  const Plan by_hosts = lay(Collective::alltoall, "by-hosts", &cluster, placement, 0, 256);
  try {
    check_plan(by_hosts, Collective::alltoallv);
    FAIL() << "accepted";
  } catch (const InvalidPlan& fault) {
    EXPECT_NE(std::string(fault.what()).find("ranks between would not know how long others are"), std::string::npos)
        << fault.what();
  }
}

}  // namespace
}  // namespace trunkline
