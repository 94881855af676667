// SPDX-License-Identifier: Apache-2.0
#include "intercept/shared_facts.hpp"

#include <limits>
#include <mutex>

#include "communicator/communicator.hpp"
#include "decide/decision.hpp"
#include "intercept/state.hpp"
#include "receipt/receipt.hpp"
#include "revoked.hpp"
#include "trace/format.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace trunkline::runtime {
namespace {

const char* reason_to_stay_native(Collective collective, std::uint64_t bytes) {
  // Once the network is another one, so may the floor be: then the communicator's own decisions know it.
  const std::uint64_t counted = world()->follow ? std::numeric_limits<std::uint64_t>::max() : bytes;
  return native_anyway(world()->knowledge, collective, wish_for(collective), counted);
}

/// Whether MPI reports an error of what this rank alone knows. Only then may it go its own way: a rank that goes to MPI
/// and is welcome there would wait for the others, which run a plan. So MPI is asked, and nobody has to know which of
/// its versions reports what.
bool is_refused(const UserCall& user, int rank) {
  if (!user.is_doubtful(rank)) return false;
  static std::mutex one_at_a_time;  // collective calls on one communicator
  const Uncancelled uncancelled;
  const std::scoped_lock lock(one_at_a_time);
  return user.judged(private_communicator()->alone(), rank) != MPI_SUCCESS;
}

}  // namespace

int find_shared_facts(const UserCall& user, std::optional<SharedFacts>& shared) {
  const Arguments& call = user.arguments();
  const bool plain = (call.count > 0 || user.has_shares()) && call.root >= 0 && call.type != MPI_DATATYPE_NULL &&
                     call.communicator != MPI_COMM_NULL && call.buffer != MPI_IN_PLACE && !Dying::is(call.communicator);
  if (!plain) return MPI_SUCCESS;
  const auto element_bytes = type_bytes(call.type);
  if (!element_bytes || *element_bytes == 0) return MPI_SUCCESS;
  SharedFacts facts;
  const auto count_bytes = [&](MPI_Count elements) {
    facts.bytes = static_cast<std::uint64_t>(elements) * *element_bytes;
    facts.native = reason_to_stay_native(call.collective, facts.bytes);
  };
  const bool is_agreed_on = facts_of(call.collective).has_private_lengths();
  if (is_agreed_on) {
    facts.bytes = unknown_bytes;
    facts.native = reason_to_stay_native(call.collective, facts.bytes);
  } else if (!user.has_shares()) {
    count_bytes(call.count);
  }
  if (facts.native != nullptr && !world()->explain && receipt() == nullptr) return MPI_SUCCESS;
  int is_inter = 0;
  int code = PMPI_Comm_test_inter(call.communicator, &is_inter);
  if (code != MPI_SUCCESS || is_inter != 0) return code;
  code = PMPI_Comm_rank(call.communicator, &facts.rank);
  if (code == MPI_SUCCESS) code = PMPI_Comm_size(call.communicator, &facts.ranks);
  if (code != MPI_SUCCESS || facts.ranks == 1 || call.root >= facts.ranks) return code;
  if (user.has_shares() && !is_agreed_on) {
    const MPI_Count elements = user.elements(facts.ranks);
    if (elements <= 0) return code;
    count_bytes(elements);
  }
  if (is_refused(user, facts.rank) || is_revoked(call.communicator)) return code;
  shared = facts;
  return MPI_SUCCESS;
}

}  // namespace trunkline::runtime
