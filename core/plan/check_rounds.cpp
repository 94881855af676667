// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// All ranks, round by round.
class RoundReplay {
 public:
  RoundReplay(const Rounds& rounds, std::uint64_t blocks) : rounds_(rounds), blocks_(blocks) {
    const auto ranks = static_cast<Rank>(rounds.order.size());
    for (Rank position = 0; position < ranks; ++position) schedules_.push_back(rounds.schedule_of(position));
    has_.assign(ranks, std::vector<bool>(blocks, false));
    has_[0].assign(blocks, true);
  }

  void run() {
    const std::uint64_t rounds = schedules_.front()->rounds(blocks_);
    for (std::uint64_t round = 0; round < rounds; ++round) one_round(round);
    for (Rank position = 0; position < has_.size(); ++position) {
      const auto lost = std::ranges::find(has_[position], false);
      if (lost == has_[position].end()) continue;
      throw InvalidPlan(name(position) + " never gets block " + std::to_string(lost - has_[position].begin()));
    }
  }

 private:
  [[nodiscard]] std::string name(Rank position) const { return "rank " + std::to_string(rounds_.order[position]); }

  void one_round(std::uint64_t round) {
    const std::string where = "round " + std::to_string(round) + ": ";
    std::vector<BlockTransfer> arriving(schedules_.size());
    for (Rank position = 0; position < schedules_.size(); ++position) {
      const auto send = schedules_[position]->send(round, blocks_);
      if (!send) continue;
      const std::string who = where + name(position);
      if (send->peer >= schedules_.size()) throw InvalidPlan(who + " sends to nobody");
      const auto receive = schedules_[send->peer]->receive(round, blocks_);
      if (!receive || receive->peer != position || receive->first != send->first || receive->count != send->count) {
        throw InvalidPlan(who + " sends to " + name(send->peer) + ", which expects something else");
      }
      for (std::uint64_t block = send->first; block < send->first + send->count; ++block) {
        if (!has_[position].at(block)) {
          throw InvalidPlan(who + " sends block " + std::to_string(block) + ", which it has not got yet");
        }
        if (has_[send->peer].at(block)) {
          throw InvalidPlan(where + name(send->peer) + " gets block " + std::to_string(block) +
                            " a second time, from " + name(position));
        }
      }
      arriving[send->peer] = *receive;
    }
    for (Rank position = 0; position < schedules_.size(); ++position) {
      const auto receive = schedules_[position]->receive(round, blocks_);
      if (receive && arriving[position].peer == no_rank) {
        throw InvalidPlan(where + name(position) + " waits for " + name(receive->peer) + ", which sends nothing");
      }
      const BlockTransfer& got = arriving[position];
      for (std::uint64_t i = 0; i < got.count; ++i) has_[position][got.first + i] = true;
    }
  }

  const Rounds& rounds_;
  std::uint64_t blocks_;
  std::vector<std::unique_ptr<const BlockSchedule>> schedules_;
  std::vector<std::vector<bool>> has_;  ///< by position and block
};

}  // namespace

void check_rounds(const Rounds& rounds) {
  if (rounds.order.empty()) throw InvalidPlan("the plan has no ranks");
  const auto first = rounds.schedule_of(0);
  RoundReplay(rounds, first->fixed_blocks().value_or(3 * first->period() + 1)).run();
}

void check_plan(const Plan& plan) {
  if (const Trees* const trees = plan.trees()) return check_trees(*trees);
  check_rounds(*plan.rounds());
}

}  // namespace trunkline
