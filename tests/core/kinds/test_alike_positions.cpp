// SPDX-License-Identifier: Apache-2.0
// Where positions in a row do the same, one of them is replayed for all: beside replays of every one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "algorithms/rounds/generators.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/samples.hpp"
#include "model/transfer/repeated_sum.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

/// A schedule that tells nothing of others.
class Alone final : public BlockSchedule {
 public:
  explicit Alone(std::unique_ptr<const BlockSchedule> held) : held_(std::move(held)) {}

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return held_->fixed_blocks(); }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override { return held_->rounds(blocks); }
  [[nodiscard]] std::uint64_t period() const override { return held_->period(); }
  [[nodiscard]] std::uint64_t alike(std::uint64_t round) const override { return held_->alike(round); }
  [[nodiscard]] std::vector<Recurring> recurring() const override { return held_->recurring(); }
  [[nodiscard]] std::uint64_t lanes() const override { return held_->lanes(); }
  [[nodiscard]] std::uint64_t parts() const override { return held_->parts(); }
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const override {
    return held_->send(round, blocks);
  }
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const override {
    return held_->receive(round, blocks);
  }

 private:
  std::unique_ptr<const BlockSchedule> held_;
};

struct Laid {
  std::string generator;
  Rank ranks;
  Rank on_a_host;
};

/// Of exchanges and lanes, on hosts of as many ranks.
Laid random_rounds() {
  const auto a = *rc::gen::inRange<Rank>(1, 25);
  const auto inner = *rc::gen::inRange<Rank>(1, 7);
  const auto outer = *rc::gen::inRange<Rank>(1, 9);
  const std::string lanes = std::to_string(a);
  const std::string levels = lanes + "x" + std::to_string(inner);
  const auto generator = *rc::gen::element<std::string>(
      "halving-doubling", "recursive-doubling", "swing", "mixed-radix", lanes + "-mixed-radix", levels + "-mixed-radix",
      lanes + "-staggered-radix", levels + "-staggered-radix", lanes + "-lane-ring", lanes + "-allgather-lane-ring",
      lanes + "-reduce-scatter-lane-ring", lanes + "-allgather-lane-direct", lanes + "-reduce-scatter-lane-direct",
      "allgather-ring");
  if (a > 1 && *rc::gen::inRange(0, 4) == 0) {
    const auto most = *rc::gen::inRange<Rank>(2, a + 1);
    return {lanes + "x" + std::to_string(most) + "-lane-radix", a * inner * outer, a};
  }
  if (*rc::gen::arbitrary<bool>()) return {generator, a * inner * outer, a};
  const Rank power = Rank{1} << *rc::gen::inRange(0, 7);
  return {*rc::gen::element<std::string>("halving-doubling", "recursive-doubling"), power,
          std::min(power, Rank{1} << *rc::gen::inRange(0, 5))};
}

bool waits_alike(const BlockTransfer& one, const BlockTransfer& other) {
  return one.count == other.count && one.needs == other.needs && one.reduces == other.reduces;
}

RC_GTEST_PROP(AlikePositions, DoTheSameInGroups, ()) {
  const auto [generator, ranks, on_a_host] = random_rounds();
  const Schedules schedules = generate_schedules(generator, ranks);
  std::vector<std::unique_ptr<const BlockSchedule>> all;
  for (Rank position = 0; position < ranks; ++position) all.push_back(schedules(position));
  const std::uint64_t blocks = *all.front()->fixed_blocks();
  for (Rank size = 2; size <= ranks; ++size) {
    if (ranks % size != 0 || !all.front()->alike_in_groups(size)) continue;
    for (Rank group = 0; group < ranks; group += size) {
      for (std::uint64_t round = 0; round < all.front()->rounds(blocks); ++round) {
        const auto first = all[group]->send(round, blocks);
        std::set<Rank> peers;
        for (Rank place = 0; place < size; ++place) {
          const auto send = all[group + place]->send(round, blocks);
          RC_ASSERT(send.has_value() == first.has_value());
          if (!send) continue;
          RC_ASSERT(waits_alike(*send, *first));
          RC_ASSERT(send->peer / size == first->peer / size);
          peers.insert(send->peer);
        }
        RC_ASSERT(peers.size() == (first ? size : 0));
      }
    }
  }
}

/// What a group of places sends in a round: whether it stays, or where it goes.
using Sent = std::multiset<std::pair<Rank, std::uint64_t>>;

RC_GTEST_PROP(AlikePositions, DoTheSameAtTheirPlaces, ()) {
  const auto [generator, ranks, on_a_host] = random_rounds();
  const Schedules schedules = generate_schedules(generator, ranks);
  std::vector<std::unique_ptr<const BlockSchedule>> all;
  for (Rank position = 0; position < ranks; ++position) all.push_back(schedules(position));
  const Rank places = all.front()->places_alike();
  if (places == 1) return;
  RC_ASSERT(ranks % places == 0);
  const std::uint64_t blocks = *all.front()->fixed_blocks();
  const auto sent_in = [&](Rank group, std::uint64_t round) {
    Sent sent;
    for (Rank place = 0; place < places; ++place) {
      const auto send = all[group * places + place]->send(round, blocks);
      if (send) sent.emplace(send->peer / places, send->count);
    }
    return sent;
  };
  for (std::uint64_t round = 0; round < all.front()->rounds(blocks); ++round) {
    const std::uint64_t first = all.front()->first_alike(round);
    RC_ASSERT(first <= round);
    RC_ASSERT(all.front()->first_alike(first) == first);
    for (Rank group = 0; group < ranks / places; ++group) {
      RC_ASSERT(sent_in(group, round) == sent_in(group, first));
      for (Rank place = 0; place < places; ++place) {
        const auto send = all[group * places + place]->send(round, blocks);
        const auto model = all[place]->send(round, blocks);
        RC_ASSERT(send.has_value() == model.has_value());
        if (!send) continue;
        RC_ASSERT(waits_alike(*send, *model));
        RC_ASSERT((send->peer / places == group) == (model->peer < places));
      }
    }
  }
}

/// The costs are the same to the last bit. Where groups meet, sums of parts that are no powers of two are rounded less
/// often.
RC_GTEST_PROP(AlikePositions, CostWhatAllOfThemDo, ()) {
  auto [generator, ranks, on_a_host] = random_rounds();
  const Cluster cluster(testing::random_parts(6, 30));
  const auto hosts = static_cast<HostIndex>(cluster.hosts().size());
  const auto first = *rc::gen::inRange<HostIndex>(0, hosts);
  const auto several = *rc::gen::inRange<Rank>(1, 3);  // of these groups on each host
  Placement placement;
  for (Rank rank = 0; rank < ranks; ++rank) placement.push_back((first + rank / (on_a_host * several)) % hosts);
  std::vector<Rank> order = by_number(ranks, 0);
  const Rounds rounds = generate_rounds(generator, order);
  const Rounds alone{.order = order, .schedule_of = [&](Rank position) {
                       return std::make_unique<const Alone>(rounds.schedule_of(position));
                     }};
  const HostCosts& costs = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const RoundCosts fast = round_costs(Paths(cluster), placement, rounds, costs);
  const RoundCosts slow = round_costs(Paths(cluster), placement, alone, costs);
  RC_ASSERT(fast.each.size() == slow.each.size());
  const bool rounded = rounds.schedule_of(0)->placed_groups() && !std::has_single_bit(fast.blocks);
  const auto same = [&](double one, double other) {
    return rounded ? std::abs(one - other) <= 1e-12 * std::abs(other) : one == other;
  };
  for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 24U; bytes *= 8) {
    RC_ASSERT(rounded || fast.best_segment(bytes) == slow.best_segment(bytes));
    for (const std::uint64_t segment : segment_sizes()) {
      RC_ASSERT(same(fast.seconds(bytes, segment), slow.seconds(bytes, segment)));
    }
  }
  RC_ASSERT(same(fast.exchanged_byte_s(), slow.exchanged_byte_s()));
}

/// So are those of blocks that are sent in rows, whatever hosts the ranks of a row are on.
RC_GTEST_PROP(AlikePositions, InRowsCostWhatAllOfThemDo, ()) {
  const Cluster cluster(testing::random_parts(6, 30));
  Placement placement = testing::random_placement(cluster, 200);
  if (placement.size() < 2) return;
  if (*rc::gen::arbitrary<bool>()) std::ranges::sort(placement);
  const auto ranks = static_cast<Rank>(placement.size());
  const Rounds rounds = generate_rounds("circulant", by_number(ranks, *rc::gen::inRange<Rank>(0, ranks)));
  const Rounds alone{.order = rounds.order, .schedule_of = [&](Rank position) {
                       return std::make_unique<const Alone>(rounds.schedule_of(position));
                     }};
  const HostCosts& costs = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const RoundCosts fast = round_costs(Paths(cluster), placement, rounds, costs);
  const RoundCosts slow = round_costs(Paths(cluster), placement, alone, costs);
  for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 24U; bytes *= 8) {
    for (const std::uint64_t segment : segment_sizes()) {
      RC_ASSERT(fast.seconds(bytes, segment) == slow.seconds(bytes, segment));
    }
  }
}

TEST(AlikePositions, AreReplayedOnce) {
  constexpr Rank lanes = 32;
  constexpr Rank hosts = 16;
  const Rounds rounds = generate_rounds("32-staggered-radix", by_number(lanes * hosts, 0));
  std::size_t sends = 0;
  for (const RoundSample& one : sample_rounds(rounds, lanes).rounds) sends += one.sent.size();
  // Of the exchanges of a part's owners one each of every host; within hosts some, but none for every host.
  EXPECT_LT(sends, 4 * hosts + 300);
  EXPECT_EQ(sample_rounds(generate_rounds("halving-doubling", by_number(64, 0)), 16).rounds.front().sent.size(), 4U);
  EXPECT_EQ(sample_rounds(generate_rounds("halving-doubling", by_number(64, 0))).rounds.front().sent.size(), 64U);
}

RC_GTEST_PROP(AlikePositions, SendNextWhatTheySendInSomeRound, ()) {
  const auto [generator, ranks, on_a_host] = random_rounds();
  const auto position = *rc::gen::inRange<Rank>(0, ranks);
  const auto schedule = generate_schedules(generator, ranks)(position);
  const Alone looks(generate_schedules(generator, ranks)(position));
  const std::uint64_t blocks = *schedule->fixed_blocks();
  const std::uint64_t rounds = schedule->rounds(blocks);
  for (int i = 0; i < 50 && rounds > 0; ++i) {
    const auto round = *rc::gen::inRange<std::uint64_t>(0, rounds);
    const auto end = *rc::gen::inRange<std::uint64_t>(round + 1, rounds + 1);
    const auto first = *rc::gen::inRange<std::uint64_t>(0, blocks);
    const auto count = *rc::gen::inRange<std::uint64_t>(1, blocks - first + 1);
    RC_ASSERT(schedule->sent_next(round, end, first, count) == looks.sent_next(round, end, first, count));
  }
}

RC_GTEST_PROP(RepeatedSum, IsThatOfOneByOne, ()) {
  const auto numerator = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto denominator = *rc::gen::element<std::uint64_t>(1, 2, 3, 7, 10, 1024, 32768, std::uint64_t{1} << 45U);
  const auto begins_at = *rc::gen::inRange<std::uint64_t>(0, 100000);
  const double amount = static_cast<double>(numerator) / static_cast<double>(denominator);
  const double begin = static_cast<double>(begins_at) / static_cast<double>(*rc::gen::element(1, 3, 1024));
  const auto times = *rc::gen::inRange<std::uint32_t>(0, 3000);
  for (const double signed_amount : {amount, -amount}) {
    double one_by_one = begin;
    for (std::uint32_t i = 0; i < times; ++i) one_by_one += signed_amount;
    double sum = begin;
    add_times(sum, signed_amount, times);
    RC_ASSERT(sum == one_by_one);
  }
}

}  // namespace
}  // namespace trunkline
