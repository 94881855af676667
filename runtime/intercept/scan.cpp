// SPDX-License-Identifier: Apache-2.0
// MPI_Scan and MPI_Exscan at MPI's edge, in all their forms.
#include "intercept/entry_points.hpp"
#include "intercept/reducing_call.hpp"
#include "intercept/short_calls.hpp"

namespace trunkline::runtime {
namespace {

/// As the program gave them.
struct ScanArguments {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] bool is_left_to_mpi(Collective collective, const ScanArguments& given) {
  return runtime::is_left_to_mpi(collective, given.count, given.type);
}

class Scan final : public ReducingCall<ScanArguments> {
 public:
  Scan(Collective collective, const ScanArguments& given, Native* native)
      : ReducingCall(given, native,
                     {.collective = collective,
                      .buffer = is_in_place(given) ? given.receive : given.send,
                      .count = given.count,
                      .type = given.type,
                      .root = 0,
                      .communicator = given.communicator}) {}

  /// All plans of it combine by rank, whether the operation commutes or not.
  [[nodiscard]] OperandOrder operand_order() const override { return OperandOrder::any; }

  /// Of MPI_Exscan MPICH asks rank 0 for room, too, and Open MPI does not.
  [[nodiscard]] bool is_doubtful(int /*rank*/) const override {
    return is_null(arguments_.buffer, given_.type) || given_.receive == given_.send || given_.receive == MPI_IN_PLACE ||
           is_null(given_.receive, given_.type);
  }

  [[nodiscard]] int judged(MPI_Comm alone, int /*rank*/) const override {
    ScanArguments own = given_;
    own.communicator = alone;
    return native_(own);
  }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const LocalPart& part = *decision.plan->part;
    const bool excludes_own = facts_of(arguments_.collective).after == Holding::before_own;
    return part.scan(transport, operands(given_.count, !excludes_own || !part.is_root()), excludes_own,
                     decision.pace());
  }
};

template <class Count>
int pass_scan(auto* next, const ScanArguments& a, auto... more) {
  return next(a.send, a.receive, static_cast<Count>(a.count), a.type, a.operation, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, count, type, operation, communicator }

TRUNKLINE_ENTRY_POINTS(Scan, scan, pass_scan, Collective::scan, Scan, ScanArguments)
TRUNKLINE_ENTRY_POINTS(Exscan, exscan, pass_scan, Collective::exscan, Scan, ScanArguments)

#undef PARAMETERS
#undef GIVEN
