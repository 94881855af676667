// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/list.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// One rank's part of a list.
class Listed final : public BlockSchedule {
 public:
  using Part = std::map<std::uint64_t, BlockTransfer>;  ///< by round
  Listed(std::uint64_t blocks, std::uint64_t rounds, Part sends, Part receives)
      : blocks_(blocks), rounds_(rounds), sends_(std::move(sends)), receives_(std::move(receives)) {}

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return blocks_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return rounds_; }
  [[nodiscard]] bool sums_once() const override { return false; }
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    return at(sends_, round);
  }
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    return at(receives_, round);
  }

 private:
  static std::optional<BlockTransfer> at(const Part& part, std::uint64_t round) {
    const auto found = part.find(round);
    return found != part.end() ? std::optional(found->second) : std::nullopt;
  }

  std::uint64_t blocks_;
  std::uint64_t rounds_;
  Part sends_;
  Part receives_;
};

struct Parts {
  Listed::Part sends;
  Listed::Part receives;
};

/// The last round, before the one that is looked at, in which one of these blocks was received; no_round: none was.
std::uint64_t needed_round(const Listed::Part& receives, const Transfer& transfer) {
  const auto got = std::find_if(receives.rbegin(), receives.rend(), [&](const auto& received) {
    return received.second.blocks().overlaps(transfer.blocks());
  });
  return got != receives.rend() ? got->first : no_round;
}

/// Each send waits for the receive that is `lead` before it, if that is of an earlier round.
void keep_in_step(Parts& part, std::uint64_t lead) {
  std::vector<std::uint64_t> received;  // rounds
  for (const auto& [round, one] : part.receives) {
    if (!part.sends.empty() && round >= part.sends.begin()->first) received.push_back(round);
  }
  std::uint64_t sent = 0;
  for (auto& [round, one] : part.sends) {
    const std::uint64_t number = sent++;
    if (number < lead || number - lead >= received.size()) continue;
    const std::uint64_t behind = received[number - lead];
    if (behind < round && (one.needs == no_round || one.needs < behind)) one.needs = behind;
  }
}

}  // namespace

Rounds listed_rounds(Rank ranks, Rank root, const RoundList& list) {
  check_root(ranks, root);
  return listed_rounds(by_number(ranks, root), list);
}

Rounds listed_rounds(std::vector<Rank> order, const RoundList& list) {
  const auto ranks = static_cast<Rank>(order.size());
  std::vector<Rank> positions(ranks);
  for (Rank position = 0; position < ranks; ++position) positions[order[position]] = position;
  const auto position_of = [&](Rank rank) { return positions[rank]; };
  auto parts = std::make_shared<std::vector<Parts>>(ranks);
  bool is_straight = list.blocks == std::uint64_t{ranks} * ranks;
  for (std::uint64_t round = 0; round < list.rounds.size(); ++round) {
    std::vector<std::pair<Rank, BlockTransfer>> received;  // counts from the next round on
    for (const Transfer& transfer : list.rounds[round]) {
      const auto [from, to, first, count, reduces, replaces, rows, stride] = transfer;
      const std::string where =
          "round " + std::to_string(round) + ", from rank " + std::to_string(from) + " to " + std::to_string(to) + ": ";
      if (from >= ranks || to >= ranks) throw InvalidPlan(where + "there are " + std::to_string(ranks) + " ranks");
      const std::uint64_t own_block = std::uint64_t{position_of(from)} * ranks + position_of(to);
      is_straight = is_straight && count == 1 && rows == 1 && first == own_block;
      if (from == to) throw InvalidPlan(where + "a rank sends to itself");
      const bool lie_apart = rows == 1 || (stride >= count && stride < list.blocks && rows <= list.blocks);
      if (rows == 0 || !lie_apart) throw InvalidPlan(where + "its rows overlap, or reach further than all blocks");
      if (first >= list.blocks || (rows - 1) * stride + count > list.blocks - first) {
        throw InvalidPlan(where + "there are " + std::to_string(list.blocks) + " blocks");
      }
      Parts& sender = (*parts)[position_of(from)];
      const BlockTransfer send{.peer = position_of(to),
                               .first = first,
                               .count = count,
                               .rows = rows,
                               .stride = stride,
                               .needs = needed_round(sender.receives, transfer),
                               .reduces = reduces,
                               .replaces = replaces};
      if (!sender.sends.emplace(round, send).second) {
        throw InvalidPlan(where + "the rank sends already in this round; put it into another one");
      }
      received.emplace_back(position_of(to), BlockTransfer{.peer = position_of(from),
                                                           .first = first,
                                                           .count = count,
                                                           .rows = rows,
                                                           .stride = stride,
                                                           .reduces = reduces,
                                                           .replaces = replaces});
    }
    for (const auto& [position, receive] : received) {
      if (!(*parts)[position].receives.emplace(round, receive).second) {
        throw InvalidPlan("round " + std::to_string(round) + ": rank " + std::to_string(order[position]) +
                          " receives twice; put one of them into another round");
      }
    }
  }
  if (list.lead > 0) {
    for (Parts& part : *parts) keep_in_step(part, list.lead);
  }
  return {.order = std::move(order),
          .schedule_of =
              [parts, blocks = list.blocks, rounds = list.rounds.size()](Rank position) {
                const Parts& own = parts->at(position);
                return std::make_unique<const Listed>(blocks, rounds, own.sends, own.receives);
              },
          .generator = "",
          .lead = list.lead,
          .goes_straight = is_straight};
}

RoundList list_of(const Rounds& rounds, std::optional<std::uint64_t> blocks, std::uint64_t most) {
  const auto ranks = static_cast<Rank>(rounds.order.size());
  const auto fixed = rounds.schedule_of(0)->fixed_blocks();
  if (!blocks) blocks = fixed;
  if (!blocks) throw std::invalid_argument("rounds of any number of blocks cannot be listed; say how many");
  if (*blocks == 0 || *blocks != fixed.value_or(*blocks)) {
    throw std::invalid_argument("there are no rounds of " + std::to_string(*blocks) + " blocks; the plan has " +
                                (fixed ? std::to_string(*fixed) : "one or more"));
  }
  RoundList list{.blocks = *blocks, .lead = rounds.lead, .rounds = {}};
  for (Rank position = 0; position < ranks; ++position) {
    const auto schedule = rounds.schedule_of(position);
    list.rounds.resize(std::min(schedule->rounds(*blocks), most));
    for (std::uint64_t round = 0; round < list.rounds.size(); ++round) {
      if (const auto send = schedule->send(round, *blocks)) {
        list.rounds[round].push_back({.from = rounds.order[position],
                                      .to = rounds.order[send->peer],
                                      .first = send->first,
                                      .count = send->count,
                                      .reduces = send->reduces,
                                      .replaces = send->replaces,
                                      .rows = send->rows,
                                      .stride = send->stride});
      }
    }
  }
  return list;
}

}  // namespace trunkline
