// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce, MPI_Allreduce, MPI_Scan and MPI_Exscan at MPI's edge, in all their forms.
#include "intercept/entry_points.hpp"
#include "intercept/reducing_call.hpp"
#include "intercept/short_calls.hpp"

namespace trunkline::runtime {
namespace {

/// A reduction's arguments, as the program gave them.
struct ReductionArguments {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
  int root;  ///< 0 but of MPI_Reduce
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] bool is_left_to_mpi(Collective collective, const ReductionArguments& given) {
  return runtime::is_left_to_mpi(collective, given.count, given.type);
}

/// MPI_IN_PLACE where there is no result. Open MPI reports it; else the operand is taken from where a result would
/// be.
#ifdef OPEN_MPI
constexpr bool reports_misplaced = true;
#else
constexpr bool reports_misplaced = false;
#endif

class Reduction final : public ReducingCall<ReductionArguments> {
 public:
  Reduction(Collective collective, const ReductionArguments& given, Native* native)
      : ReducingCall(given, native,
                     {.collective = collective,
                      .buffer = is_in_place(given) ? given.receive : given.send,
                      .count = given.count,
                      .type = given.type,
                      .root = given.root,
                      .communicator = given.communicator}) {}

  /// Where a rank has a result, it must have room for it, apart from its operand; only there may that be in place.
  [[nodiscard]] bool is_doubtful(int rank) const override {
    if (!has_result(rank)) return is_null(given_.send, given_.type);
    return is_null(arguments_.buffer, given_.type) || given_.receive == given_.send || given_.receive == MPI_IN_PLACE ||
           is_null(given_.receive, given_.type);
  }

  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override {
    // A rank that is alone is the root, which writes a result.
    if (!has_result(rank)) return PMPI_Bcast(const_cast<void*>(given_.send), 1, given_.type, 0, alone);
    ReductionArguments own = given_;
    own.root = 0;
    own.communicator = alone;
    return native_(own);
  }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const bool everywhere = arguments_.collective == Collective::allreduce;
    const LocalPart& part = *decision.plan->part;
    const bool gets_result = everywhere || part.is_root();
    const bool is_misplaced = !gets_result && given_.send == MPI_IN_PLACE;
    if (is_misplaced && (reports_misplaced || is_null(given_.receive, given_.type))) throw MpiError{MPI_ERR_BUFFER};
    return part.reduce(transport, operands(given_.count, gets_result), decision.pace(), everywhere, operand_order());
  }

 private:
  [[nodiscard]] bool has_result(int rank) const {
    return arguments_.collective == Collective::allreduce || rank == given_.root;
  }
};

class Scan final : public ReducingCall<ReductionArguments> {
 public:
  Scan(Collective collective, const ReductionArguments& given, Native* native)
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
    ReductionArguments own = given_;
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
int pass_reduce(auto* next, const ReductionArguments& a, auto... more) {
  return next(a.send, a.receive, static_cast<Count>(a.count), a.type, a.operation, a.root, a.communicator, more...);
}

template <class Count>
int pass_without_root(auto* next, const ReductionArguments& a, auto... more) {
  return next(a.send, a.receive, static_cast<Count>(a.count), a.type, a.operation, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op operation, int root, MPI_Comm communicator
#define GIVEN \
  { send, receive, count, type, operation, root, communicator }

TRUNKLINE_ENTRY_POINTS(Reduce, reduce, pass_reduce, Collective::reduce, Reduction, ReductionArguments)

#undef PARAMETERS
#undef GIVEN

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, count, type, operation, 0, communicator }

TRUNKLINE_ENTRY_POINTS(Allreduce, allreduce, pass_without_root, Collective::allreduce, Reduction, ReductionArguments)
TRUNKLINE_ENTRY_POINTS(Scan, scan, pass_without_root, Collective::scan, Scan, ReductionArguments)
TRUNKLINE_ENTRY_POINTS(Exscan, exscan, pass_without_root, Collective::exscan, Scan, ReductionArguments)

#undef PARAMETERS
#undef GIVEN
