// SPDX-License-Identifier: Apache-2.0
#include "intercept/planned_call.hpp"

#include <cstddef>
#include <new>

#include "datatype/operands.hpp"
#include "intercept/state.hpp"
#include "intercept/traced.hpp"
#include "reserve.hpp"

// Two rules keep the program's error handlers, exceptions and thread cancellation working through our frames: MPI calls
// that may run code of the program (native ones, and all on its own communicators) are made outside of any try block,
// and return codes; a try block encloses messages of ours, on the private communicator, whose errors come back to us,
// and the program's own operations, whose exceptions go on to it once the other ranks have been told. (MPICH reports
// what goes wrong in completing several requests to MPI_COMM_WORLD's handler: there is no way round that.)

namespace trunkline::runtime {
namespace {

/// A digest of what all ranks must take the call for.
std::uint64_t claim_of(const Arguments& call, const Prepared& prepared, std::uint64_t bytes) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  const LocalDecision& decision = *prepared.decision;
  std::uint64_t claim = decision.plan->key_hash;
  const auto root = static_cast<std::uint64_t>(call.root);
  for (const std::uint64_t part : {static_cast<std::uint64_t>(call.collective), bytes, decision.segment_bytes, root}) {
    claim = (claim ^ part) * odd;
    claim ^= claim >> 32U;
  }
  return claim;
}

std::size_t streams_of(const Prepared& prepared) {
  return prepared.decision->plan->part->streams() + (prepared.members->world().by_arrival ? streams_of_sums : 0);
}

}  // namespace

PlannedCall::PlannedCall(UserCall& call, const SharedFacts& shared, const Prepared& prepared, Leaves leaves)
    : call_(call),
      shared_(shared),
      prepared_(prepared),
      leaves_(leaves),
      claim_(claim_of(call.arguments(), prepared, shared.bytes)),
      over_mpi_(*private_communicator(), *prepared.members->processes().world_ranks, prepared.number->number(),
                prepared.turn, claim_, streams_of(prepared)) {
  if constexpr (simulated) {
    if (prepared.decision->by_arrival) over_mpi_.use(*(shelf_ = simulated_shelf(over_mpi_, prepared.number->number())));
  }
  if (prepared.group != nullptr) over_mpi_.use(datagrams_.emplace(*prepared.group, prepared.turn, claim_));
  const Arguments& arguments = call.arguments();
  const CollectiveFacts& facts = facts_of(arguments.collective);
  over_mpi_.belongs_to({.communicator = arguments.communicator,
                        .name = facts.mpi_name,
                        .root = facts.has_root ? std::optional(arguments.root) : std::nullopt,
                        .bytes = shared.bytes,
                        .is_blocking = leaves == Leaves::by_exception});
  HostMemory* const shared_memory = host_memory();
  if (shared_memory != nullptr && !shared_memory->is_alone()) {
    const MemoryCallKey key{.communicator = prepared.number->number(), .turn = prepared.turn, .claim = claim_};
    with_reserve([&] { in_memory_.emplace(*shared_memory, over_mpi_, *private_communicator(), key); });
  }
}

PlannedCall::~PlannedCall() = default;

void PlannedCall::trace(TracedCall& traced) {
  const Arguments& arguments = call_.arguments();
  begin_planned(traced, arguments, shared_.bytes, prepared_, leaves_ == Leaves::by_exception);
  transport().tell(&traced);
  if (prepared_.have_met) {
    traced.take({.kind = Event::Kind::told, .tree = static_cast<unsigned>(Event::Step::meeting)});
  }
  if (datagrams_) {
    const std::uint64_t packets = (shared_.bytes + datagrams_->payload_bytes() - 1) / datagrams_->payload_bytes();
    // What several ranks send, or a root that has all operands, nobody confirms.
    const bool is_confirmed =
        facts_of(arguments.collective).has_root && !datagrams_->is_eager(static_cast<std::uint32_t>(packets));
    over_mpi_.use(told_.emplace(*datagrams_, traced, is_confirmed));
  }
}

std::optional<int> PlannedCall::go_on(bool to_the_end) {
  try {
    if (running_ == nullptr) running_ = call_.begin(transport(), *prepared_.decision);
    if (!to_the_end && !running_->step()) return {};
    const int code = to_the_end ? running_->run() : running_->code();
    if (code == MPI_SUCCESS) call_.succeeded();
    return code;
  } catch (const GivenUp& other) {
    running_.reset();
    return other.code;  // whom it concerns has been told
  } catch (const MpiError& error) {
    return give_up(error.code);
  } catch (const std::bad_alloc&) {
    if (!Operands::has_thrown() || leaves_ == Leaves::by_code) return give_up(MPI_ERR_NO_MEM);
    static_cast<void>(give_up(MPI_ERR_NO_MEM));
    throw;
  } catch (...) {  // of an operation of the program, or this thread's cancellation
    static_cast<void>(Operands::has_thrown());
    static_cast<void>(give_up(MPI_ERR_OTHER));
    if (leaves_ == Leaves::by_exception) throw;
    return MPI_ERR_OTHER;
  }
}

/// Tells the others, once nothing of this rank's part is under way.
int PlannedCall::give_up(int code) noexcept {
  running_.reset();
  transport().give_up(code);
  return code;
}

}  // namespace trunkline::runtime
