// SPDX-License-Identifier: Apache-2.0
// This rank's part of the plans for one collective from one root of one communicator, and what was decided for the last
// message sizes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "communicator/local_plan.hpp"
#include "decide/decision.hpp"
#include "startup/world.hpp"

namespace trunkline::runtime {

/// The processes of a communicator in the order of their ranks.
struct Processes {
  std::shared_ptr<const std::vector<int>> world_ranks;  ///< in MPI_COMM_WORLD, and so on the private communicator
  std::shared_ptr<const Placement> placement;           ///< host of each
  Rank rank = 0;                                        ///< this process's
  std::uint64_t digest = 0;                             ///< of their world ranks
};

class LocalPlans {
 public:
  /// `world` and `processes` must outlive the object.
  LocalPlans(const World& world, const Processes& processes, Collective collective, Rank root);

  /// The same on all ranks, but for this rank's part: follows from the world, the processes, the root and the
  /// arguments.
  [[nodiscard]] std::shared_ptr<const LocalDecision> decide(std::uint64_t bytes, OperandOrder order, const Wish& wish);

  [[nodiscard]] std::vector<Arm> arms(std::uint64_t bytes, OperandOrder order, const Arm& runs) {
    return decider_.arms(bytes, order, runs);
  }
  [[nodiscard]] double telling_s(std::uint64_t bytes) { return decider_.telling_s(bytes); }

  /// Lets go of what was laid to decide, and never run.
  void forget_unused() { decider_.forget_plans(); }

 private:
  /// What follows alike on all ranks from what they know.
  struct Common {
    Decision decision;
    std::optional<Decision> without_datagrams;  ///< where that decision wants them
    double saved_s = 0.0;
    double opening_s = 0.0;
    double saved_natively_s = 0.0;
    double numbering_s = 0.0;
  };
  struct Decided {
    std::uint64_t bytes = 0;
    OperandOrder order = OperandOrder::any;
    Wish wish{};
    std::shared_ptr<const LocalDecision> decision{};  ///< null: free
  };

  /// Of a plan or a decision among all of the job: whose it is, of which collective, and from which root.
  [[nodiscard]] std::uint64_t identity(std::string_view key) const;
  [[nodiscard]] Common decide_for_all(std::uint64_t bytes, OperandOrder order, const Wish& wish);
  [[nodiscard]] LocalDecision local(const Decision& decided, std::uint64_t bytes, OperandOrder order);
  /// Of a decision that runs a plan: for people; null: nothing is in the way.
  [[nodiscard]] const char* why_not_by_arrival(const LocalDecision& decision, std::uint64_t bytes,
                                               OperandOrder order) const;
  std::shared_ptr<const LocalPlan> local_plan(std::string_view algorithm, std::uint64_t laid_for_bytes);
  [[nodiscard]] InFlight in_flight_of(const Plan& plan) const;
  [[nodiscard]] std::vector<int> far_of(const Plan& plan) const;
  [[nodiscard]] std::string load_of(const Plan& plan) const;

  const World& world_;
  const Processes& processes_;
  Collective collective_;
  Rank root_;
  Decider decider_;
  std::vector<std::shared_ptr<const LocalPlan>> plans_;
  std::array<Decided, 16> decided_;  ///< programs come back to few sizes, and trials to few algorithms
  std::size_t next_decided_ = 0;
};

}  // namespace trunkline::runtime
