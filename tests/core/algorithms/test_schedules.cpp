// SPDX-License-Identifier: Apache-2.0
// Broadcasts by blocks, replayed over all ranks: what a rank sends it has, what it is sent it lacks, and at the end all
// have everything.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <set>

#include "algorithms/registry.hpp"
#include "algorithms/rounds/circulant.hpp"
#include "algorithms/rounds/generators.hpp"
#include "algorithms/rounds/mirrored.hpp"
#include "algorithms/rounds/nested_groups.hpp"
#include "algorithms/rounds/scatter_doubling.hpp"
#include "algorithms/rounds/scatter_ring.hpp"
#include "algorithms/trees/linear.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "kinds/rounds/row.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

constexpr std::uint64_t never = ~std::uint64_t{0} - 1;

/// The rounds of all ranks, one after another.
template <class Schedule>
class Replay {
 public:
  Replay(Rank ranks, std::uint64_t blocks) : blocks_(blocks) {
    for (Rank rank = 0; rank < ranks; ++rank) all_.emplace_back(ranks, rank);
    arrived_.assign(ranks, std::vector<std::uint64_t>(blocks, never));
    arrived_[0].assign(blocks, no_round);
  }

  void run() {
    for (std::uint64_t round = 0; round < all_[0].rounds(blocks_); ++round) one_round(round);
    for (const auto& blocks : arrived_) RC_ASSERT(std::ranges::find(blocks, never) == blocks.end());
  }

 private:
  void one_round(std::uint64_t round) {
    std::size_t sent = 0;
    for (Rank rank = 0; rank < all_.size(); ++rank) {
      RC_ASSERT(all_[rank].rounds(blocks_) == all_[0].rounds(blocks_));
      if (const auto send = all_[rank].send(round, blocks_)) {
        ++sent;
        check_send(rank, *send, round);
      }
    }
    for (Rank rank = 0; rank < all_.size(); ++rank) {
      const auto receive = all_[rank].receive(round, blocks_);
      if (!receive) continue;
      --sent;
      for (std::uint64_t i = 0; i < receive->count; ++i) {
        auto& arrived = arrived_[rank].at(receive->first + i);
        RC_ASSERT(arrived == never);
        arrived = round;
      }
    }
    RC_ASSERT(sent == 0U);
  }

  void check_send(Rank rank, const BlockTransfer& send, std::uint64_t round) {
    const auto receive = all_.at(send.peer).receive(round, blocks_);
    RC_ASSERT(receive.has_value());
    RC_ASSERT(receive->peer == rank);
    RC_ASSERT(receive->first == send.first);
    RC_ASSERT(receive->count == send.count);
    RC_ASSERT(send.count > 0U);
    RC_ASSERT(send.needs == no_round || send.needs < round);
    for (std::uint64_t i = 0; i < send.count; ++i) {
      const std::uint64_t arrived = arrived_[rank].at(send.first + i);
      RC_ASSERT(arrived == no_round || (send.needs != no_round && arrived <= send.needs));
    }
  }

  std::uint64_t blocks_;
  std::deque<Schedule> all_;
  std::vector<std::vector<std::uint64_t>> arrived_;  ///< by rank and block: the round
};

RC_GTEST_PROP(Schedules, ScatterAndRing, ()) {
  const Rank ranks = *rc::gen::inRange<Rank>(1, 150);
  Replay<ScatterRing>(ranks, ranks).run();
}

RC_GTEST_PROP(Schedules, ScatterAndDoubling, ()) {
  const Rank ranks = *rc::gen::inRange<Rank>(1, 300);
  Replay<ScatterDoubling>(ranks, ranks).run();
}

/// In depth-first order no round of scatter and ring has two transfers on one channel.
RC_GTEST_PROP(Schedules, RingOverTheSwitchesIsFreeOfContention, ()) {
  const Cluster cluster(testing::random_parts(9, 24));
  const Placement placement = testing::random_placement(cluster, 40);
  const auto ranks = static_cast<Rank>(placement.size());
  const Plan plan = lay(Collective::bcast, "scatter-ring", &cluster, placement, *rc::gen::inRange<Rank>(0, ranks));
  const std::vector<Rank>& order = rounds_of(plan).order;
  for (std::uint64_t round = 0; round < ScatterRing(ranks, 0).rounds(ranks); ++round) {
    std::set<testing::Edge> used;
    for (Rank position = 0; position < ranks; ++position) {
      const auto send = rounds_of(plan).schedule_of(position)->send(round, ranks);
      if (!send) continue;
      const auto path = testing::brute_path(cluster, cluster.hosts()[placement[order[position]]],
                                            cluster.hosts()[placement[order[send->peer]]]);
      for (const testing::Edge& edge : *path) RC_ASSERT(used.insert(edge).second);
    }
  }
}

RC_GTEST_PROP(Schedules, CirculantOfAnyBlocks, ()) {
  const Rank ranks = *rc::gen::inRange<Rank>(1, 300);
  Replay<Circulant>(ranks, *rc::gen::inRange<std::uint64_t>(1, 60)).run();
}

RC_GTEST_PROP(Schedules, CirculantOfManyRanks, ()) {
  const Rank ranks = *rc::gen::inRange<Rank>(300, 3000);
  if (*rc::gen::inRange(0, 20) != 0) return;  // a few will do
  Replay<Circulant>(ranks, *rc::gen::inRange<std::uint64_t>(1, 30)).run();
}

struct SentInRow {
  Rank from;
  Rank to;
  std::uint64_t blocks;
  friend bool operator==(const SentInRow&, const SentInRow&) = default;
};

template <class Kind>
std::vector<SentInRow> sent_by_each(Rank ranks, std::uint64_t round, std::uint64_t blocks) {
  std::vector<SentInRow> all;
  for (Rank position = 0; position < ranks; ++position) {
    const auto send = Kind(ranks, position).send(round, blocks);
    if (send) all.push_back({position, send->peer, send->count});
  }
  return all;
}

std::vector<SentInRow> told(Rank ranks, const std::vector<RowOfSends>& rows) {
  std::vector<SentInRow> all;
  for (const auto& [first, count, distance, blocks] : rows) {
    for (Rank from = first; from < first + count; ++from) all.push_back({from, (from + distance) % ranks, blocks});
  }
  return all;
}

/// Those in rows are all that are sent.
RC_GTEST_PROP(Schedules, CirculantInRows, ()) {
  const Rank ranks = *rc::gen::arbitrary<bool>() ? *rc::gen::inRange<Rank>(2, 400) : Rank{1} << *rc::gen::inRange(1, 9);
  const Circulant first(ranks, 0);
  RC_ASSERT(first.sends_in_rows());
  const std::uint64_t period = first.period();
  for (std::uint64_t round = 0; round < period; ++round) {
    RC_ASSERT(told(ranks, first.rows_sent(round, 1)) == sent_by_each<Circulant>(ranks, round, 1));
    const std::uint64_t middle = period + round;
    const std::uint64_t blocks = middle_periods * period;
    RC_ASSERT(told(ranks, first.rows_sent(middle, blocks)) == sent_by_each<Circulant>(ranks, middle, blocks));
  }
}

TEST(Schedules, ScatterDoublingInRows) {
  for (Rank ranks = 1; ranks <= 256; ++ranks) {
    const ScatterDoubling first(ranks, 0);
    EXPECT_EQ(first.sends_in_rows(), std::has_single_bit(ranks));
    for (std::uint64_t round = 0; round < first.rounds(ranks) && first.sends_in_rows(); ++round) {
      EXPECT_EQ(told(ranks, first.rows_sent(round, ranks)), sent_by_each<ScatterDoubling>(ranks, round, ranks));
    }
  }
}

TEST(Schedules, EveryNumberOfRanks) {
  for (Rank ranks = 1; ranks <= 70; ++ranks) {
    Replay<ScatterRing>(ranks, ranks).run();
    Replay<ScatterDoubling>(ranks, ranks).run();
    for (const std::uint64_t blocks : {1, 2, 7, 20}) Replay<Circulant>(ranks, blocks).run();
  }
}

TEST(Schedules, AreAsShortAsTheyClaim) {
  for (Rank ranks = 2; ranks < 100; ++ranks) {
    const auto rounds_up = static_cast<std::uint64_t>(std::bit_width(ranks - 1));
    EXPECT_EQ(Circulant(ranks, ranks - 1).rounds(33), 32 + rounds_up);
    EXPECT_EQ(ScatterRing(ranks, 0).rounds(ranks), ranks - 1 + rounds_up);
    EXPECT_EQ(ScatterDoubling(ranks, 1).rounds(ranks), 3 * rounds_up);
  }
}

TEST(Schedules, TakeLittleTimeOnManyRanks) {
  // Each rank finds its own part alone: here one of a hundred thousand, whose neighbours must agree with it.
  constexpr Rank ranks = 100'000;
  constexpr std::uint64_t blocks = 1000;
  for (const Rank rank : {1U, 2U, 49'999U, 50'000U, 65'536U, 99'999U}) {
    const Circulant own(ranks, rank);
    std::set<std::uint64_t> received;
    for (std::uint64_t round = 0; round < own.rounds(blocks); ++round) {
      const auto receive = own.receive(round, blocks);
      if (!receive) continue;
      EXPECT_TRUE(received.insert(receive->first).second);
      if (round % 100 != 0) continue;
      const auto send = Circulant(ranks, receive->peer).send(round, blocks);
      ASSERT_TRUE(send.has_value());
      EXPECT_EQ(send->peer, rank);
      EXPECT_EQ(send->first, receive->first);
    }
    EXPECT_EQ(received.size(), blocks);
  }
}

TEST(Schedules, StandInTheRegistry) {
  const auto rounds = [](std::string_view name, Rank root) {
    return rounds_of(lay(Collective::bcast, name, nullptr, Placement(4, 0), root));
  };
  EXPECT_EQ(rounds("circulant", 3).order, (std::vector<Rank>{3, 0, 1, 2}));
  EXPECT_FALSE(rounds("circulant", 0).schedule_of(1)->fixed_blocks());
  EXPECT_EQ(rounds("scatter-doubling", 0).schedule_of(1)->fixed_blocks(), 4U);
  EXPECT_THROW(static_cast<void>(rounds("scatter-ring", 0)), std::invalid_argument);  // without a cluster
}

TEST(Schedules, RefuseARankThatIsNotThere) {
  EXPECT_THROW(ScatterRing(3, 3), std::invalid_argument);
  EXPECT_THROW(ScatterDoubling(0, 0), std::invalid_argument);
  EXPECT_THROW(Circulant(5, 7), std::invalid_argument);
}

/// The checker's own replay: it knows the promise of each collective.
RC_GTEST_PROP(Schedules, RoundsKeepTheirPromise, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Placement placement = testing::random_placement(cluster, 40);
  const auto ranks = static_cast<Rank>(placement.size());
  const Rank root = *rc::gen::inRange<Rank>(0, ranks);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.kind != &rounds_kind) continue;
    check_plan(lay(algorithm.collective, algorithm.name, &cluster, placement, root), algorithm.collective);
  }
}

/// Where `there` has the rank that `here` has at a position.
Rank same_rank(const Rounds& here, const Rounds& there, Rank position) {
  return static_cast<Rank>(std::ranges::find(there.order, here.order[position]) - there.order.begin());
}

/// The rounds keep their promise, and say when a transfer's blocks have come as they do listed by hand.
void expect_true_rounds(const Plan& plan, const char* name, Collective collective = Collective::allreduce) {
  check_plan(plan, collective);
  const RoundList list = list_of(rounds_of(plan));
  const auto ranks = static_cast<Rank>(rounds_of(plan).order.size());
  const Rounds listed = listed_rounds(ranks, 0, list);
  check_rounds(listed, collective);
  for (Rank position = 0; position < ranks; ++position) {
    const auto generated = rounds_of(plan).schedule_of(position);
    const auto replayed = listed.schedule_of(same_rank(rounds_of(plan), listed, position));
    for (std::uint64_t round = 0; round < list.rounds.size(); ++round) {
      const auto send = generated->send(round, list.blocks);
      if (!send) continue;
      const std::uint64_t needs = replayed->send(round, list.blocks)->needs;
      EXPECT_TRUE(needs == no_round || (send->needs != no_round && needs <= send->needs))
          << name << " " << ranks << " ranks, position " << position << ", round " << round;
    }
  }
}

TEST(Schedules, AllreduceOfEveryNumberOfRanks) {
  const Cluster cluster = testing::one_switch(1);
  for (Rank ranks = 1; ranks <= 40; ++ranks) {
    const Placement placement(ranks, 0);
    for (const char* name : {"unaware-ring", "unaware-halving-doubling", "unaware-recursive-doubling", "unaware-swing",
                             "mixed-radix", "staggered-radix", "lane-ring"}) {
      expect_true_rounds(lay(Collective::allreduce, name, &cluster, placement, 0), name);
    }
    for (const char* name : {"ring", "lane-ring", "lane-direct"}) {
      const Plan plan = lay(Collective::allgather, name, &cluster, placement, 0);
      expect_true_rounds(plan, name, Collective::allgather);
    }
    for (const char* name : {"linear", "recursive-doubling"}) {
      expect_true_rounds(lay(Collective::scan, name, &cluster, placement, 0), name, Collective::scan);
    }
    for (const Collective collective : {Collective::gather, Collective::scatter}) {
      expect_true_rounds(lay(collective, "binomial", &cluster, placement, 0), "binomial", collective);
    }
  }
}

/// Hosts of one to six ranks each, on one to five switches of as many hosts, dealt in any order.
RC_GTEST_PROP(Schedules, GroupsLieWithinHostsAndSwitches, ()) {
  const auto switches = *rc::gen::inRange<unsigned>(1, 6);
  const auto hosts = *rc::gen::inRange<unsigned>(1, 7);
  const auto ranks = *rc::gen::inRange<unsigned>(1, 7);
  const Cluster cluster = testing::star_of_switches(switches, hosts);
  Placement placement;
  for (unsigned rank = 0; rank < switches * hosts * ranks; ++rank) placement.push_back(rank % (switches * hosts));
  const std::vector<Rank> order = depth_first_order(cluster, placement, 0);
  const NestedGroups groups = nested_groups(cluster, placement, order);
  RC_ASSERT(groups.of_hosts == ranks);
  std::vector<Rank> levels;
  if (ranks > 1 && switches * hosts > 1) levels.push_back(ranks);
  if (hosts > 1 && switches > 1) levels.push_back(hosts);
  RC_ASSERT(groups.levels == levels);
  for (const char* const name : {"mixed-radix", "staggered-radix", "lane-ring"}) {
    expect_true_rounds(lay(Collective::allreduce, name, &cluster, placement, 0), name);
  }
  std::vector<Rank> in_turn;  // as listed by hand, where blocks are of ranks by number
  for (Rank rank = 0; rank < placement.size(); ++rank) in_turn.push_back(rank);
  for (const char* const name : {"lane-ring", "lane-direct"}) {
    check_plan(lay(Collective::allgather, name, &cluster, placement, 0), Collective::allgather);
    const std::string generator = std::to_string(ranks) + "-allgather-" + name;
    expect_true_rounds(plan_of(generate_rounds(generator, in_turn)), name, Collective::allgather);
  }
}

/// However many ranks each host has, what lanes and groups do is right, and no longer way is crossed more often.
RC_GTEST_PROP(Schedules, GroupsOfUnevenHosts, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Placement placement = testing::random_placement(cluster, 40);
  for (const char* const name : {"mixed-radix", "staggered-radix", "lane-ring"}) {
    check_plan(lay(Collective::allreduce, name, &cluster, placement, 0), Collective::allreduce);
  }
  for (const char* const name : {"lane-ring", "lane-direct"}) {
    for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
      check_plan(lay(collective, name, &cluster, placement, 0), collective);
    }
  }
}

/// Of a reduce-scatter that needs room for all blocks: of those that come together all have come before, or none; what
/// comes is there when it is sent on, and a block that has been sent does not come again.
void expect_sums_that_have_room(const Rounds& rounds) {
  const std::uint64_t blocks = rounds.order.size();
  for (Rank position = 0; position < blocks; ++position) {
    const auto schedule = rounds.schedule_of(position);
    RC_ASSERT(!schedule->relays_in_order());
    std::vector<std::uint64_t> came(blocks, no_round);
    std::vector<bool> sent(blocks, false);
    for (std::uint64_t round = 0; round < schedule->rounds(blocks); ++round) {
      if (const auto send = schedule->send(round, blocks)) {
        RC_ASSERT(send->reduces);
        for (std::uint64_t block = send->first; block < send->first + send->count; ++block) {
          RC_ASSERT(!sent[block] && block != position);
          RC_ASSERT(came[block] == no_round || (send->needs != no_round && came[block] <= send->needs));
          sent[block] = true;
        }
      }
      const auto receive = schedule->receive(round, blocks);
      if (!receive) continue;
      const bool first = came[receive->first] == no_round;
      for (std::uint64_t block = receive->first; block < receive->first + receive->count; ++block) {
        RC_ASSERT((came[block] == no_round) == first);
        RC_ASSERT(!sent[block]);
        came[block] = round;
      }
    }
  }
}

RC_GTEST_PROP(Schedules, SumsInLanesHaveRoom, ()) {
  const auto lanes = *rc::gen::inRange<Rank>(1, 13);
  const auto hosts = *rc::gen::inRange<Rank>(1, 13);
  std::vector<Rank> order;
  for (Rank rank = 0; rank < lanes * hosts; ++rank) order.push_back(rank);
  for (const char* const name : {"-reduce-scatter-lane-ring", "-reduce-scatter-lane-direct"}) {
    const Rounds rounds = generate_rounds(std::to_string(lanes) + name, order);
    check_rounds(rounds, Collective::reduce_scatter);
    expect_sums_that_have_room(rounds);
  }
}

/// Blocks that each rank sends to other hosts, and the most of them to one rank in a round.
struct SentAway {
  std::uint64_t blocks = 0;
  std::uint64_t transfers = 0;
};

SentAway sent_away(const Rounds& rounds, Rank position, Rank lanes) {
  SentAway sent;
  const auto schedule = rounds.schedule_of(position);
  const std::uint64_t blocks = rounds.order.size();
  for (std::uint64_t round = 0; round < schedule->rounds(blocks); ++round) {
    const auto send = schedule->send(round, blocks);
    if (!send || send->peer / lanes == position / lanes) continue;
    sent.blocks += send->count;
    ++sent.transfers;
  }
  return sent;
}

/// Every host gets each byte once, by as many messages of each of its ranks as there are hosts in its ring, or hosts
/// that it serves.
RC_GTEST_PROP(Schedules, LanesGatherWhatHostsLack, ()) {
  const auto hosts = *rc::gen::inRange<unsigned>(1, 20);
  const auto lanes = *rc::gen::inRange<unsigned>(2, 10);
  const Cluster cluster = testing::one_switch(hosts);
  const Placement placement = block_placement(cluster, lanes);
  const Plan ring = lay(Collective::allgather, "lane-ring", &cluster, placement, 0);
  const Plan direct = lay(Collective::allgather, "lane-direct", &cluster, placement, 0);
  const Rank whole = hosts > 1 ? lanes : lanes * hosts;
  RC_ASSERT(rounds_of(direct).generator == std::to_string(whole) + "-allgather-lane-direct");
  for (Rank host = 0; host < hosts; ++host) {
    std::uint64_t blocks = 0;
    for (Rank lane = 0; lane < lanes; ++lane) {
      const Rank position = host * lanes + lane;
      RC_ASSERT(sent_away(rounds_of(ring), position, lanes).blocks == hosts - 1);
      const SentAway sent = sent_away(rounds_of(direct), position, lanes);
      RC_ASSERT(sent.transfers <= (hosts + lanes - 1) / lanes);
      RC_ASSERT(sent.blocks == sent.transfers * lanes);
      blocks += sent.blocks;
    }
    RC_ASSERT(blocks == std::uint64_t{hosts - 1} * lanes);
  }
}

/// The rounds that stand for all are as many as there are, and each has the most transfers of its sort.
RC_GTEST_PROP(Schedules, RecurringRoundsStandForAll, ()) {
  const auto lanes = *rc::gen::inRange<Rank>(1, 10);
  const auto hosts = *rc::gen::inRange<Rank>(1, 10);
  const Schedules schedules = generate_schedules(std::to_string(lanes) + "-allgather-lane-ring", lanes * hosts);
  for (Rank position = 0; position < lanes * hosts; ++position) {
    const auto schedule = schedules(position);
    const std::uint64_t blocks = *schedule->fixed_blocks();
    std::uint64_t said = 0;
    for (const auto& [round, times] : schedule->recurring()) {
      RC_ASSERT(schedule->send(round, blocks).has_value());
      said += times * schedule->send(round, blocks)->count;
    }
    std::uint64_t sent = 0;
    for (std::uint64_t round = 0; round < schedule->rounds(blocks); ++round) {
      if (const auto send = schedule->send(round, blocks)) sent += send->count;
    }
    RC_ASSERT(sent == said);
  }
}

TEST(Schedules, LanesGoRoundTheHostsAtOnce) {
  const Cluster cluster = testing::star_of_switches(4, 6);
  Placement placement;
  for (unsigned rank = 0; rank < 24 * 4; ++rank) placement.push_back(rank % 24);
  const Plan plan = lay(Collective::allreduce, "lane-ring", &cluster, placement, 0);
  EXPECT_EQ(rounds_of(plan).generator, "4-lane-ring");
  const auto schedule = rounds_of(plan).schedule_of(0);
  EXPECT_EQ(schedule->rounds(96), 2 + 2 * 23 + 2);
  EXPECT_EQ(schedule->alike(2), 2 * 23);
  EXPECT_EQ(rounds_of(lay(Collective::allreduce, "mixed-radix", &cluster, placement, 0)).generator, "4x6-mixed-radix");
  // Of each host a lane each sends to the next host, which is all that a link carries in a round.
  for (Rank position = 0; position < 96; ++position) {
    for (std::uint64_t round = 2; round < 2 + 2 * 23; ++round) {
      EXPECT_EQ(rounds_of(plan).schedule_of(position)->send(round, 96)->peer, (position + 4) % 96);
    }
  }
}

TEST(Schedules, GeneratorsWithGroups) {
  for (const char* const name : {"mixed-radix", "3-mixed-radix", "2x3-mixed-radix", "1-lane-ring", "12-lane-ring",
                                 "1-staggered-radix", "2x3-staggered-radix", "4x3-staggered-radix",
                                 "12-staggered-radix", "6x1-staggered-radix", "4x3-lane-radix", "2x2-lane-radix"}) {
    EXPECT_TRUE(is_generator(name)) << name;
    check_rounds(generate_rounds(name, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), Collective::allreduce);
  }
  for (const char* const name : {"3-allgather-lane-ring", "1-allgather-lane-direct", "12-allgather-lane-direct"}) {
    EXPECT_TRUE(is_generator(name)) << name;
    check_rounds(generate_rounds(name, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), Collective::allgather);
  }
  for (const char* const name :
       {"lane-ring", "allgather-lane-direct", "2x3-lane-ring", "-lane-ring", "x2-mixed-radix", "2x-mixed-radix",
        "2mixed-radix", "2", "2-", "4294967296-lane-ring", "2-swing", "1x1x1x1x1x1x1x1x1-mixed-radix",
        "staggered-radix", "lane-radix", "4-lane-radix", ""}) {
    EXPECT_FALSE(is_generator(name)) << name;
  }
  EXPECT_THROW((void)generate_rounds("5-lane-ring", {0, 1, 2, 3}), std::invalid_argument);
  EXPECT_THROW((void)generate_rounds("0-lane-ring", {0, 1, 2, 3}), std::invalid_argument);
  EXPECT_THROW((void)generate_rounds("2x4-mixed-radix", {0, 1, 2, 3}), std::invalid_argument);
  EXPECT_THROW((void)generate_rounds("2x4-staggered-radix", {0, 1, 2, 3}), std::invalid_argument);
  for (const char* const name : {"3x2-lane-radix", "2x3-lane-radix", "2x1-lane-radix", "1x1-lane-radix"}) {
    EXPECT_THROW((void)generate_rounds(name, {0, 1, 2, 3}), std::invalid_argument) << name;
  }
}

/// Each part is exchanged by ranks of its own, with as many bytes over the network as without parts. Who is three parts
/// behind gets its last operand from ranks that have summed up theirs within the switch.
TEST(Schedules, PartsGoOneBehindTheOther) {
  const Cluster cluster = testing::star_of_switches(4, 6);
  const Placement placement = block_placement(cluster, 8);
  const Plan plan = lay(Collective::allreduce, "staggered-radix", &cluster, placement, 0);
  EXPECT_EQ(rounds_of(plan).generator, "8x6-staggered-radix");
  check_plan(plan, Collective::allreduce);
  constexpr std::uint64_t blocks = 192;
  EXPECT_EQ(rounds_of(plan).schedule_of(0)->parts(), 8);
  for (Rank position = 0; position < 8; ++position) {
    const auto schedule = rounds_of(plan).schedule_of(position);
    std::uint64_t sent = 0;
    std::optional<std::uint64_t> within;  // the last round of the exchange within the switch
    bool releases = false;
    for (std::uint64_t round = 0; round < schedule->rounds(blocks); ++round) {
      const auto send = schedule->send(round, blocks);
      if (!send) continue;
      if (send->peer / 8 != position / 8) {
        sent += send->count;
        EXPECT_EQ(send->first / (blocks / 8), position) << "another part";
        if (send->reduces && send->peer < 48) within = round;
      } else if (send->reduces && send->peer == position + 3) {
        releases = true;
        ASSERT_TRUE(within);
        EXPECT_NE(send->needs, no_round);
        EXPECT_GE(send->needs, *within);
      }
    }
    EXPECT_EQ(sent, 2 * 23) << position;
    EXPECT_EQ(releases, position + 3 < 8);
  }
}

TEST(Schedules, MixedRadixSendsEveryByteOnce) {
  const Cluster cluster = testing::one_switch(1);
  for (Rank ranks = 2; ranks <= 40; ++ranks) {
    const Plan plan = lay(Collective::allreduce, "mixed-radix", &cluster, Placement(ranks, 0), 0);
    for (Rank position = 0; position < ranks; ++position) {
      const auto schedule = rounds_of(plan).schedule_of(position);
      std::uint64_t sent = 0;
      for (std::uint64_t round = 0; round < schedule->rounds(ranks); ++round)
        sent += schedule->send(round, ranks)->count;
      EXPECT_EQ(sent, 2 * (ranks - 1)) << ranks << " ranks, position " << position;
    }
  }
}

/// In depth-first order no round of the ring has two transfers on one channel.
RC_GTEST_PROP(Schedules, AllreduceByRingIsFreeOfContention, ()) {
  const Cluster cluster(testing::random_parts(9, 24));
  const Placement placement = testing::random_placement(cluster, 40);
  if (placement.size() < 2) return;
  const Plan plan = lay(Collective::allreduce, "ring", &cluster, placement, 0);
  RC_ASSERT(contention_of(cluster, placement, plan).contention_free);
}

std::string fault_of(const RoundList& list, Collective collective) {
  try {
    check_rounds(listed_rounds(3, 0, list), collective);
  } catch (const InvalidPlan& invalid) {
    return invalid.what();
  }
  return "";
}

TEST(Schedules, WhatIsWrongWithSums) {
  const Transfer from_1{.from = 1, .to = 0, .reduces = true};
  const Transfer from_2{.from = 2, .to = 0, .reduces = true};
  const Transfer to_1{.from = 0, .to = 1};
  const Transfer to_2{.from = 0, .to = 2};
  EXPECT_EQ(fault_of({.rounds = {{from_1}, {from_2}, {to_1}, {to_2}}}, Collective::allreduce), "");
  EXPECT_EQ(fault_of({.rounds = {{from_1}, {from_2}, {from_1}}}, Collective::allreduce),
            "round 2: rank 0 gets the operand of rank 1 for block 0 a second time, from rank 1");
  EXPECT_EQ(fault_of({.rounds = {{from_1}, {to_1}}}, Collective::allreduce),
            "round 1: rank 0 sends block 0, which is not summed up yet");
  EXPECT_EQ(fault_of({.rounds = {{from_1}, {from_2}, {to_1}}}, Collective::allreduce),
            "rank 2 never gets block 0 with the operands of all ranks");
  EXPECT_EQ(fault_of({.rounds = {{from_1}}}, Collective::bcast),
            "round 0: rank 1 sends block 0 to be added, and bcast adds nothing up");
}

/// A block comes in each round, and none is handed on.
class ReceivesAlone final : public BlockSchedule {
 public:
  explicit ReceivesAlone(std::uint64_t& asked) : asked_(&asked) {}
  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return 1000; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return 1000; }
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t /*round*/, std::uint64_t /*blocks*/) const override {
    ++*asked_;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    return BlockTransfer{.peer = 1, .first = round, .count = 1};
  }

 private:
  std::uint64_t* asked_;
};

TEST(Mirrored, LooksForWhatItWaitsForAmongFewRounds) {
  std::uint64_t asked = 0;
  const Mirrored sums(std::make_unique<ReceivesAlone>(asked));
  EXPECT_EQ(sums.send(900, 1000)->needs, 900 - Mirrored::most_looked_back - 1);
  EXPECT_EQ(asked, Mirrored::most_looked_back);
  EXPECT_EQ(sums.send(10, 1000)->needs, no_round);
}

bool alike(const std::optional<BlockTransfer>& one, const std::optional<BlockTransfer>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->peer == other->peer && one->first == other->first && one->count == other->count &&
         one->needs == other->needs && one->reduces == other->reduces;
}

RC_GTEST_PROP(Schedules, SweptAreThoseOfSinglePositions, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 80);
  const std::uint64_t blocks = *rc::gen::inRange<std::uint64_t>(1, 40);
  const Schedules single = generate_schedules("circulant", ranks);
  const Schedules swept = sweep_schedules("circulant", ranks);
  for (Rank position = 0; position < ranks; ++position) {
    const auto one = single(position);
    const auto other = swept(position);
    RC_ASSERT(one->rounds(blocks) == other->rounds(blocks));
    for (std::uint64_t round = 0; round < one->rounds(blocks); ++round) {
      RC_ASSERT(alike(one->send(round, blocks), other->send(round, blocks)));
      RC_ASSERT(alike(one->receive(round, blocks), other->receive(round, blocks)));
    }
  }
}

}  // namespace
}  // namespace trunkline
