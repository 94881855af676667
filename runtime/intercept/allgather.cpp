// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather and MPI_Allgatherv at MPI's edge, in all their forms.
#include <optional>

#include "datatype/gathered.hpp"
#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/entry_points.hpp"
#include "intercept/shares.hpp"
#include "intercept/short_calls.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

/// As the program gave them.
struct GatherArguments {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  Shares shares;
  MPI_Datatype receive_type;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] bool is_left_to_mpi(Collective collective, const GatherArguments& given) {
  if (given.shares.by_rank) return !watching.load(std::memory_order_relaxed);
  return is_left_to_mpi_of_each(collective, given.shares.each, given.receive_type);
}

class Gather final : public CallOf<GatherArguments> {
 public:
  Gather(Collective collective, const GatherArguments& given, Native* native)
      : CallOf(given, native,
               {.collective = collective,
                .buffer = given.receive,
                .count = 0,
                .type = given.receive_type,
                .root = 0,
                .communicator = given.communicator}) {}

  [[nodiscard]] MPI_Count elements(int ranks) const override {
    return given_.shares.by_rank && !given_.shares.has_starts() ? -1 : given_.shares.total(ranks);
  }

  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override {
    if (is_null(given_.receive, given_.receive_type)) return true;
    if (given_.send == MPI_IN_PLACE) return false;
    if (given_.send_count < 0 || given_.send_type == MPI_DATATYPE_NULL || !type_bytes(given_.send_type)) return true;
    if (given_.send_count == 0) return false;
    return is_null(given_.send, given_.send_type) ||
           given_.send == forbidden_place(given_.receive, given_.receive_type, given_.shares.start(rank));
  }

  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override {
    GatherArguments own = given_;
    own.communicator = alone;
    // Alone, a rank's own place is where it receives.
    if (!is_null(given_.receive, given_.receive_type)) {
      const MPI_Count start = given_.shares.start(rank);
      own.receive = given_.send == forbidden_place(given_.receive, given_.receive_type, start)
                        ? const_cast<void*>(given_.send)
                        : element_place(given_.receive, given_.receive_type, start);
    }
    const OneShare share(given_.shares, given_.shares.count(rank));
    own.shares = share.shares();
    return native_(own);
  }

  [[nodiscard]] std::vector<MPI_Datatype> types(int /*ranks*/) const override {
    return {given_.receive_type, given_.send == MPI_IN_PLACE ? MPI_DATATYPE_NULL : given_.send_type};
  }
  void keep_counts(int ranks) override { kept_.keep(given_.shares, ranks); }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const MPI_Comm silent = private_communicator()->communicator();
    gathered_ = Gathered{.buffer = given_.receive, .type = given_.receive_type, .communicator = silent, .shares = {}};
    for (int rank = 0; rank < transport.ranks(); ++rank) {
      gathered_->shares.push_back({given_.shares.count(rank), given_.shares.start(rank)});
    }
    const bool in_place = given_.send == MPI_IN_PLACE;
    if (!in_place && given_.send_count > 0) {
      own_.emplace(const_cast<void*>(given_.send), given_.send_count, given_.send_type, silent);
    }
    return decision.plan->part->gather(transport, *gathered_, own_ ? &*own_ : nullptr, in_place, decision.pace());
  }

 private:
  KeptShares kept_{};
  std::optional<Gathered> gathered_{};
  std::optional<Message> own_{};  ///< none where it is empty, or lies where it belongs
};

template <class Count>
int pass_allgather(auto* next, const GatherArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, static_cast<Count>(a.shares.each),
              a.receive_type, a.communicator, more...);
}

template <class Count>
int pass_allgatherv(auto* next, const GatherArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, a.shares.counts_in<Count>(),
              a.shares.starts_in<Count>(), a.receive_type, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                  \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, Count receive_count, \
      MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator }

TRUNKLINE_ENTRY_POINTS(Allgather, allgather, pass_allgather, Collective::allgather, Gather, GatherArguments)

#undef PARAMETERS
#undef GIVEN

#define PARAMETERS(Count, Start)                                                                   \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, const Count counts[], \
      const Start starts[], MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator }

TRUNKLINE_ENTRY_POINTS(Allgatherv, allgatherv, pass_allgatherv, Collective::allgatherv, Gather, GatherArguments)

#undef PARAMETERS
#undef GIVEN
