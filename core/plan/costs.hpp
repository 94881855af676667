// SPDX-License-Identifier: Apache-2.0
// What a plan costs, of whatever kind it is, from the cluster's stated rates: taken from the plan itself.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "model/transfer/host_costs.hpp"
#include "model/transfer/segments.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// The time of a plan as a function of message and segment. Each kind of plan has its own.
class CostFunction {
 public:
  virtual ~CostFunction() = default;

  /// Of `message_bytes` in segments of `segment_bytes`, both above zero.
  [[nodiscard]] virtual double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const = 0;

  /// The one of segment_sizes() that suits a message, above zero bytes.
  [[nodiscard]] virtual std::uint64_t best_segment(std::uint64_t message_bytes) const {
    return fastest_cut(message_bytes, [&](std::uint64_t segment) { return seconds(message_bytes, segment); })
        .segment_bytes;
  }

  /// The same with its seconds, where the cuts of the message have been taken.
  [[nodiscard]] virtual TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& /*cuts*/) const {
    const std::uint64_t segment = best_segment(message_bytes);
    return {.segment_bytes = segment, .seconds = seconds(message_bytes, segment)};
  }

  /// Into how many blocks the message is cut, of which every rank waits for one in each round, since each hands on what
  /// came in the one before; 0: ranks do not wait for each other round by round.
  [[nodiscard]] virtual std::uint64_t relayed_blocks() const { return 0; }

  /// Seconds on the links for each byte of the message that may be lost: where ranks change partners from round to
  /// round, all of them; of trees whose two roots exchange, what operands from near may keep what comes from far from a
  /// port; else 0.
  [[nodiscard]] virtual double exchanged_byte_s() const { return 0.0; }

  /// Shorter messages gain nothing by it, whatever times are predicted. `queues`: see queues_that_pass().
  [[nodiscard]] virtual std::uint64_t least_bytes(double /*queues*/) const { return 0; }

  /// Whether it may be faster than others at all. False: predictions do not know enough of it to compare it.
  [[nodiscard]] virtual bool can_pay() const { return true; }

  /// What its ranks spend together before the first call on a communicator; 0: nothing.
  [[nodiscard]] virtual double opening_s() const { return 0.0; }

 protected:
  CostFunction() = default;
  CostFunction(const CostFunction&) = default;
  CostFunction(CostFunction&&) = default;
  CostFunction& operator=(const CostFunction&) = default;
  CostFunction& operator=(CostFunction&&) = default;
};

/// One of them as a value that is cheap to copy.
class Costs {
 public:
  explicit Costs(std::shared_ptr<const CostFunction> function) : function_(std::move(function)) {}
  [[nodiscard]] const CostFunction& operator*() const { return *function_; }
  [[nodiscard]] const CostFunction* operator->() const { return function_.get(); }

 private:
  std::shared_ptr<const CostFunction> function_;  ///< never null
};

/// Throws std::invalid_argument where the placement is of another number of ranks, or does not fit the cluster, and
/// for a collective that this kind of plan does not serve.
[[nodiscard]] Costs costs_of(const Paths& paths, const Placement& placement, const Plan& plan, Collective collective,
                             const HostCosts& hosts);
[[nodiscard]] Costs costs_of(const Cluster& cluster, const Placement& placement, const Plan& plan,
                             Collective collective = Collective::bcast, const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
