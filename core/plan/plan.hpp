// SPDX-License-Identifier: Apache-2.0
// How one collective runs on one communicator: one value for every kind of plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "collective/collective.hpp"
#include "network/placement.hpp"

namespace trunkline {

class CostFunction;
class Paths;
struct Contention;
struct HostCosts;
struct PlanKind;

/// Streams that a transport tells apart: the most that a plan may have.
inline constexpr std::size_t most_streams = 16;

/// How much a rank needs under way, besides what the way of a segment asks for.
struct UnderWay {
  std::uint64_t least_bytes = 0;
  double hops_for_each_lead = 0.0;  ///< of plan/lead.hpp
};

/// The steps of a plan, and all questions to them. Each kind has a class of its own, in core/kinds; code elsewhere does
/// not know which one it is. Values that never change: plans share them.
class Steps {
 public:
  virtual ~Steps() = default;
  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  [[nodiscard]] virtual const PlanKind& kind() const = 0;

  [[nodiscard]] virtual std::size_t ranks() const = 0;
  [[nodiscard]] virtual Rank root() const = 0;

  /// That take segments by turns, each with messages of its own between the same two ranks.
  [[nodiscard]] virtual std::size_t streams() const = 0;

  /// The proof: replays all ranks. Throws InvalidPlan where one of them does not get what the collective promises.
  virtual void check(Collective collective) const = 0;

  /// Loads of the channels beside their capacity; at most `most` of the busiest are named. Throws std::invalid_argument
  /// where the placement is of another number of ranks, or does not fit the cluster.
  [[nodiscard]] virtual Contention contention(const Cluster& cluster, const Placement& placement,
                                              std::size_t most) const = 0;

  /// Whether operands can be combined by rank. The plan has passed its check.
  [[nodiscard]] virtual bool keeps_rank_order() const = 0;

  /// Whether an element's operands are combined in the same order whatever the length of the message.
  [[nodiscard]] virtual bool has_one_order(Collective collective) const = 0;

  /// Calls that with sender and receiver of the transfers that a window must last for.
  virtual void each_hop(const std::function<void(Rank from, Rank to)>& hop) const = 0;

  [[nodiscard]] virtual UnderWay under_way(Collective collective) const = 0;

  /// Throws std::invalid_argument as contention() does, and where this kind does not serve the collective.
  [[nodiscard]] virtual std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                                  Collective collective,
                                                                  const HostCosts& hosts) const = 0;

  /// Appends its part of a plan file, which Kind::read reads. Throws InvalidPlan.
  virtual void write(std::string& yaml) const = 0;
};

class Plan {
 public:
  /// Without steps: whatever it is asked throws std::logic_error.
  Plan() = default;
  explicit Plan(std::shared_ptr<const Steps> steps) : steps_(std::move(steps)) {}

  [[nodiscard]] bool has_steps() const noexcept { return steps_ != nullptr; }
  [[nodiscard]] const Steps& steps() const;
  [[nodiscard]] const PlanKind& kind() const { return steps().kind(); }
  [[nodiscard]] std::size_t ranks() const { return steps().ranks(); }
  [[nodiscard]] Rank root() const { return steps().root(); }

 private:
  std::shared_ptr<const Steps> steps_;
};

}  // namespace trunkline
