// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter and MPI_Reduce_scatter_block at MPI's edge, in all their forms.
#include <vector>

#include "intercept/entry_points.hpp"
#include "intercept/reducing_call.hpp"
#include "intercept/shares.hpp"
#include "intercept/short_calls.hpp"

namespace trunkline::runtime {
namespace {

/// As the program gave them.
struct ReduceSharesArguments {
  const void* send;
  void* receive;
  Shares shares;
  MPI_Datatype type;
  MPI_Op operation;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] bool is_left_to_mpi(Collective collective, const ReduceSharesArguments& given) {
  if (given.shares.by_rank) return !watching.load(std::memory_order_relaxed);
  return is_left_to_mpi_of_each(collective, given.shares.each, given.type);
}

class ReduceShares final : public ReducingCall<ReduceSharesArguments> {
 public:
  ReduceShares(Collective collective, const ReduceSharesArguments& given, Native* native)
      : ReducingCall(given, native,
                     {.collective = collective,
                      .buffer = is_in_place(given) ? given.receive : given.send,
                      .count = 0,
                      .type = given.type,
                      .root = 0,
                      .communicator = given.communicator}) {}

  [[nodiscard]] MPI_Count elements(int ranks) const override { return given_.shares.total(ranks); }
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override {
    const bool has_share = given_.shares.count(rank) > 0;
    return is_null(arguments_.buffer, given_.type) || given_.receive == given_.send || given_.receive == MPI_IN_PLACE ||
           (has_share && is_null(given_.receive, given_.type));
  }

  /// Of the operand as much as there is room for in the result.
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override {
    ReduceSharesArguments own = given_;
    own.communicator = alone;
    int ranks = 0;
    PMPI_Comm_size(given_.communicator, &ranks);
    MPI_Count elements = given_.shares.count(rank);
    if (given_.receive == given_.send) elements = given_.shares.total(ranks);
    if (elements == 0 && is_null(given_.send, given_.type)) elements = 1;  // of nothing no null is wrong
    const OneShare share(given_.shares, elements);
    own.shares = share.shares();
    return native_(own);
  }

  void keep_counts(int ranks) override { kept_.keep(given_.shares, ranks); }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const int ranks = transport.ranks();
    counts_ = given_.shares.all_counts(ranks);
    return decision.plan->part->reduce_shares(transport, operands(given_.shares.total(ranks), true), counts_,
                                              decision.pace());
  }

 private:
  KeptShares kept_{};
  std::vector<MPI_Count> counts_{};
};

template <class Count>
int pass_reduce_scatter(auto* next, const ReduceSharesArguments& a, auto... more) {
  return next(a.send, a.receive, a.shares.counts_in<Count>(), a.type, a.operation, a.communicator, more...);
}

template <class Count>
int pass_reduce_scatter_block(auto* next, const ReduceSharesArguments& a, auto... more) {
  return next(a.send, a.receive, static_cast<Count>(a.shares.each), a.type, a.operation, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, const Count counts[], MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, shares_of(counts), type, operation, communicator }

TRUNKLINE_ENTRY_POINTS(Reduce_scatter, reduce_scatter, pass_reduce_scatter, Collective::reduce_scatter, ReduceShares,
                       ReduceSharesArguments)

#undef PARAMETERS
#undef GIVEN

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, {.each = count}, type, operation, communicator }

TRUNKLINE_ENTRY_POINTS(Reduce_scatter_block, reduce_scatter_block, pass_reduce_scatter_block,
                       Collective::reduce_scatter_block, ReduceShares, ReduceSharesArguments)

#undef PARAMETERS
#undef GIVEN
