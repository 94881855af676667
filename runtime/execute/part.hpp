// SPDX-License-Identifier: Apache-2.0
// This rank's part of a plan, whatever its kind, and what runs calls by it. Each kind has a class of its own, in a
// folder beside this file, and a row in local_part.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "collective/operand_order.hpp"
#include "datatype/exchanged.hpp"
#include "datatype/gathered.hpp"
#include "datatype/message.hpp"
#include "datatype/operands.hpp"
#include "datatype/shares_at_root.hpp"
#include "execute/execution.hpp"
#include "plan/in_flight.hpp"
#include "plan/plan.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// How much at once: what members must agree on.
struct Pace {
  std::uint64_t segment_bytes = 0;
  InFlight in_flight{};
  bool by_arrival = false;  ///< ranks of a host combine as they come, where the part can and memory is shared
};

/// An execution with all that it needs besides what the call gave it.
using Running = std::shared_ptr<Execution>;

class LocalPart {
 public:
  virtual ~LocalPart() = default;
  LocalPart() = default;
  LocalPart(const LocalPart&) = delete;
  LocalPart& operator=(const LocalPart&) = delete;

  /// Of the plan.
  [[nodiscard]] virtual bool is_root() const = 0;

  /// That take segments by turns, each with messages of its own.
  [[nodiscard]] virtual std::size_t streams() const = 0;

  /// Why the ranks of a host cannot combine operands as they come, for people; null: they can.
  [[nodiscard]] virtual const char* why_not_by_arrival() const { return "the plan is not made of trees"; }

  /// Whether calls need the datagrams of their communicator.
  [[nodiscard]] virtual bool uses_datagrams() const { return false; }

  /// By rank of the communicator: which group it hears the datagrams of; the same on all ranks. Empty: all are one.
  [[nodiscard]] virtual std::span<const Rank> datagram_groups() const { return {}; }

  // What a call does with its data, one function for each way. All arguments must outlive the execution that is
  // returned, which has sent nothing yet. Throws MpiError, and MPI_ERR_INTERN where plans of this kind do not go this
  // way: the kind's row has promised what it serves, so that never gets as far as a call.

  /// The root's message reaches every rank.
  [[nodiscard]] virtual Running broadcast(Transport& /*transport*/, Message& /*message*/, const Pace& /*pace*/) const {
    not_served();
  }

  /// Operands are combined at the root; `everywhere`: every rank gets the result.
  [[nodiscard]] virtual Running reduce(Transport& /*transport*/, const Operands& /*operands*/, const Pace& /*pace*/,
                                       bool /*everywhere*/, OperandOrder /*order*/) const {
    not_served();
  }

  /// Every rank's share reaches every rank. `own`: this rank's, null where it is empty; `in_place`: it lies where it
  /// belongs.
  [[nodiscard]] virtual Running gather(Transport& /*transport*/, const Gathered& /*gathered*/, Message* /*own*/,
                                       bool /*in_place*/, const Pace& /*pace*/) const {
    not_served();
  }

  /// Each rank's block for each other one reaches it.
  [[nodiscard]] virtual Running exchange(Transport& /*transport*/, const Exchanged& /*exchanged*/,
                                         const Pace& /*pace*/) const {
    not_served();
  }

  /// Each rank's share reaches the root, or comes from it.
  [[nodiscard]] virtual Running share(Transport& /*transport*/, const RootShares& /*shares*/,
                                      const Pace& /*pace*/) const {
    not_served();
  }

  /// Operands are combined, and rank r gets its share of the result, counts[r] elements.
  [[nodiscard]] virtual Running reduce_shares(Transport& /*transport*/, const Operands& /*operands*/,
                                              std::span<const MPI_Count> /*counts*/, const Pace& /*pace*/) const {
    not_served();
  }

  /// Operands of the ranks up to this one are combined; `excludes_own`: of those before it.
  [[nodiscard]] virtual Running scan(Transport& /*transport*/, const Operands& /*operands*/, bool /*excludes_own*/,
                                     const Pace& /*pace*/) const {
    not_served();
  }

 private:
  [[noreturn]] static void not_served() { throw MpiError{MPI_ERR_INTERN}; }
};

}  // namespace trunkline::runtime
