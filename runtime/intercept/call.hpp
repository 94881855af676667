// SPDX-License-Identifier: Apache-2.0
// One call of a collective, from the program's arguments to MPI's code: what all collectives have in common. What one
// of them adds stands in a file of its own, at MPI's edge.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/collective.hpp"
#include "collective/operand_order.hpp"
#include "communicator/agreed_lengths.hpp"
#include "communicator/local_plan.hpp"
#include "execute/part.hpp"
#include "intercept/arguments.hpp"
#include "mpi_api.hpp"
#include "transport/datagram/group.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// A call, through whichever entry point it came: its arguments, and once it has begun what runs it works on. It lies
/// where its caller wants it, on the stack of a blocking call.
class UserCall {
 public:
  UserCall() = default;
  virtual ~UserCall() = default;
  UserCall(const UserCall&) = delete;
  UserCall& operator=(const UserCall&) = delete;

  [[nodiscard]] virtual const Arguments& arguments() const = 0;

  /// Of all the data of the call on that many ranks; negative: MPI itself has to judge it.
  [[nodiscard]] virtual MPI_Count elements(int /*ranks*/) const { return arguments().count; }

  /// Whether that depends on the ranks.
  [[nodiscard]] virtual bool has_shares() const { return false; }

  /// Of a collective whose ranks know no other lengths than those of their own blocks: of what this rank has for
  /// others.
  [[nodiscard]] virtual OwnLengths own_lengths(int /*rank*/, int /*ranks*/) const { return {}; }

  /// Whether what this rank alone has been given, its buffers for one, may be an error that MPI reports.
  [[nodiscard]] virtual bool is_doubtful(int rank) const = 0;

  /// MPI's word on that: its code for this rank's part on `alone`, a communicator of one rank. No message is sent, and
  /// no byte is written but where the call writes too.
  [[nodiscard]] virtual int judged(MPI_Comm alone, int rank) const = 0;

  /// Of what it works on and the program may free while it runs; null: none. Once there is no doubt about it. Throws
  /// std::bad_alloc.
  [[nodiscard]] virtual std::vector<MPI_Datatype> types(int /*ranks*/) const { return {arguments().type}; }
  [[nodiscard]] virtual MPI_Op operation() const { return MPI_OP_NULL; }

  /// Why MPI runs it whatever the plans say, on all ranks alike; null: it need not.
  [[nodiscard]] virtual const char* reason_for_mpi() const { return nullptr; }

  /// In which the operands of a reduction must be combined.
  [[nodiscard]] virtual OperandOrder operand_order() const { return OperandOrder::any; }

  /// Whether the result is the same to the last bit whatever runs the call.
  [[nodiscard]] virtual bool is_exact() const { return true; }

  /// The MPI library's own, with the caller's arguments as they are.
  [[nodiscard]] virtual int native() const = 0;

  /// Before a call that does not block is started: the program may change its arrays of counts and datatypes then, as
  /// it may natively. May be called again where it has thrown. Throws std::bad_alloc.
  virtual void keep_counts(int /*ranks*/) {}

  /// This rank's part of a plan, which has sent nothing yet. What it works on lies in this object, so once for each
  /// call. Throws MpiError, std::bad_alloc.
  [[nodiscard]] virtual Running begin(Transport& transport, const LocalDecision& decision) = 0;

  /// That has run to its end: nothing is sent any more of what this object keeps.
  virtual void succeeded() noexcept {}
};

/// A call whose entry points make a `Given` of their arguments.
template <class Given>
class CallOf : public UserCall {
 public:
  using Native = int(const Given& given);

  CallOf(const Given& given, Native* native, const Arguments& arguments)
      : given_(given), arguments_(arguments), native_(native) {}

  [[nodiscard]] const Arguments& arguments() const final { return arguments_; }
  [[nodiscard]] int native() const final { return native_(given_); }

 protected:
  Given given_;
  Arguments arguments_;
  Native* native_;
};

/// What the MPI function returns. Only worth a call where `watching` says so.
[[nodiscard]] int run(UserCall&& call);

/// What the last call of a collective in this thread ran.
struct LastRun {
  const char* algorithm = "native";
  std::uint64_t segment_bytes = 0;
  const char* multicast = nullptr;  ///< Prepared::multicast
  DatagramGroup::Tally heard{};     ///< of its communicator's group, where it has one
};
[[nodiscard]] LastRun& last_run(Collective collective);

}  // namespace trunkline::runtime
