// SPDX-License-Identifier: Apache-2.0
#include "intercept/gather.hpp"

#include <optional>

#include "intercept/state.hpp"

namespace trunkline::runtime {

Gather::Gather(Collective collective, const GatherArguments& given, Native* native)
    : given_(given),
      arguments_{.collective = collective,
                 .buffer = given.receive,
                 .count = 0,
                 .type = given.receive_type,
                 .root = 0,
                 .communicator = given.communicator},
      native_(native) {}

MPI_Count Gather::elements(int ranks) const {
  return given_.shares.by_rank && !given_.shares.has_starts() ? -1 : given_.shares.total(ranks);
}

bool Gather::is_doubtful(int rank) const {
  if (is_null(given_.receive, given_.receive_type)) return true;
  if (given_.send == MPI_IN_PLACE) return false;
  if (given_.send_count < 0 || given_.send_type == MPI_DATATYPE_NULL || !type_bytes(given_.send_type)) return true;
  if (given_.send_count == 0) return false;
  return is_null(given_.send, given_.send_type) ||
         given_.send == forbidden_place(given_.receive, given_.receive_type, given_.shares.start(rank));
}

int Gather::judged(MPI_Comm alone, int rank) const {
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

Running Gather::begin(Transport& transport, const LocalDecision& decision) {
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

}  // namespace trunkline::runtime
