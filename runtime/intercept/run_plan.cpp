// SPDX-License-Identifier: Apache-2.0
#include "intercept/run_plan.hpp"

#include <memory>
#include <new>
#include <optional>

#include "datatype/operands.hpp"
#include "intercept/state.hpp"
#include "intercept/traced.hpp"
#include "reserve.hpp"
#include "trace/traced_datagrams.hpp"
#include "transport/memory/memory_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/shelf.hpp"

// Two rules keep the program's error handlers, exceptions and thread cancellation working through our frames: MPI calls
// that may run code of the program (native ones, and all on its own communicators) are made outside of any try block,
// and return codes; a try block encloses messages of ours, on the private communicator, whose errors come back to us,
// and the program's own operations, whose exceptions go on to it once the other ranks have been told. (MPICH reports
// what goes wrong in completing several requests to MPI_COMM_WORLD's handler: there is no way round that.)

namespace trunkline::runtime {
namespace {

/// Errors are the communicator's business: its error handler hears of them, as it does of the library's own.
int report_error(const Arguments& call, int code) {
  PMPI_Comm_call_errhandler(call.communicator, code);
  return code;
}

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

/// Runs the messages of a call. Where this rank cannot go on, the others are told, so that none waits for it for ever.
int execute(const UserCall& call, Transport& transport, const LocalDecision& decision) {
  int code = MPI_SUCCESS;
  try {
    return call.execute(transport, decision);
  } catch (const GivenUp& other) {
    return other.code;  // whom it concerns has been told
  } catch (const MpiError& error) {
    code = error.code;
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
    if (Operands::has_thrown()) {
      transport.give_up(code);
      throw;
    }
  } catch (...) {  // of an operation of the program, or this thread's cancellation
    static_cast<void>(Operands::has_thrown());
    transport.give_up(MPI_ERR_OTHER);
    throw;
  }
  transport.give_up(code);
  return code;
}

}  // namespace

int run_plan(const UserCall& call, const SharedFacts& shared, const Prepared& prepared, TracedCall& traced) {
  const Arguments& arguments = call.arguments();
  const LocalDecision& decision = *prepared.decision;
  const std::uint64_t claim = claim_of(arguments, prepared, shared.bytes);
  const Members& members = *prepared.communicator->members();
  const std::size_t streams = decision.plan->part->streams() + (members.world().by_arrival ? streams_of_sums : 0);
  MpiTransport over_mpi(*private_communicator(), *members.processes().world_ranks, prepared.id, prepared.turn, claim,
                        streams);
  std::unique_ptr<Shelf> shelf;
  if constexpr (simulated) {
    if (decision.by_arrival) over_mpi.use(*(shelf = simulated_shelf(over_mpi, prepared.id)));
  }
  std::optional<DatagramCall> datagrams;
  std::optional<TracedDatagrams> told;
  if (prepared.group != nullptr) over_mpi.use(datagrams.emplace(*prepared.group, prepared.turn, claim));
  const CollectiveFacts& facts = facts_of(arguments.collective);
  over_mpi.belongs_to({.communicator = arguments.communicator,
                       .name = facts.mpi_name,
                       .root = facts.has_root ? std::optional(arguments.root) : std::nullopt,
                       .bytes = shared.bytes});
  std::optional<MemoryTransport> in_memory;
  HostMemory* const shared_memory = host_memory();
  if (shared_memory != nullptr && !shared_memory->is_alone()) {
    const MemoryCallKey key{.communicator = prepared.id, .turn = prepared.turn, .claim = claim};
    with_reserve([&] { in_memory.emplace(*shared_memory, over_mpi, *private_communicator(), key); });
  }
  Transport& transport = in_memory ? static_cast<Transport&>(*in_memory) : over_mpi;
  if (traced.is_on()) {
    begin_planned(traced, arguments, shared.bytes, prepared);
    transport.tell(&traced);
    if (prepared.have_met) {
      traced.take({.kind = Event::Kind::told, .tree = static_cast<unsigned>(Event::Step::meeting)});
    }
    if (datagrams) {
      const std::uint64_t packets = (shared.bytes + datagrams->payload_bytes() - 1) / datagrams->payload_bytes();
      // What several ranks send, or a root that has all operands, nobody confirms.
      const bool is_confirmed = facts.has_root && !datagrams->is_eager(static_cast<std::uint32_t>(packets));
      over_mpi.use(told.emplace(*datagrams, traced, is_confirmed));
    }
  }
  last_run(arguments.collective) = {decision.plan->name, decision.segment_bytes};
  const int code = execute(call, transport, decision);
  if (code == MPI_SUCCESS) return code;
  prepared.communicator->has_failed();
  return report_error(arguments, code);
}

}  // namespace trunkline::runtime
