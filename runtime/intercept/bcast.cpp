// SPDX-License-Identifier: Apache-2.0
#include "intercept/bcast.hpp"

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "collectives/block_exchange.hpp"
#include "collectives/pipelined_trees.hpp"
#include "communicator/communicator.hpp"
#include "communicator/explain.hpp"
#include "datatype/contents.hpp"
#include "datatype/message.hpp"
#include "intercept/export.hpp"
#include "intercept/state.hpp"
#include "report.hpp"

namespace trunkline::runtime {
namespace {

thread_local LastBcast last __attribute__((tls_model("initial-exec")));

bool below_floor(std::uint64_t bytes) {
  return bytes < world()->floor_bytes && bcast_choice().kind != BcastChoice::Kind::forced;
}

/// What all ranks of the call know equally, and nothing else.
struct Shared {
  int rank = 0;
  int ranks = 0;
  std::uint64_t bytes = 0;
};

/// Empty where MPI itself has to judge the arguments, or where there is nothing to send.
std::optional<Shared> shared_facts(const BcastCall& call) {
  const bool plain = call.count > 0 && call.root >= 0 && call.type != MPI_DATATYPE_NULL &&
                     call.communicator != MPI_COMM_NULL && call.buffer != MPI_IN_PLACE;
  if (!plain) return {};
  MPI_Count type_bytes = 0;
  check(PMPI_Type_size_x(call.type, &type_bytes));
  Shared shared{.bytes = static_cast<std::uint64_t>(call.count) * static_cast<std::uint64_t>(type_bytes)};
  if (shared.bytes == 0) return {};
  if (below_floor(shared.bytes) && !world()->explain) return {};
  int is_inter = 0;
  check(PMPI_Comm_test_inter(call.communicator, &is_inter));
  if (is_inter != 0) return {};
  check(PMPI_Comm_rank(call.communicator, &shared.rank));
  check(PMPI_Comm_size(call.communicator, &shared.ranks));
  if (shared.ranks == 1 || call.root >= shared.ranks) return {};
  return shared;
}

/// Why a broadcast is native whatever the plans say; empty: it need not be.
std::string veto(const Shared& shared) {
  const BcastChoice& choice = bcast_choice();
  if (choice.kind == BcastChoice::Kind::native) return "chosen by the user (TRUNKLINE_BCAST or trunkline_set_bcast)";
  if (choice.kind == BcastChoice::Kind::forced) return {};
  if (below_floor(shared.bytes)) {
    return world()->tuning ? "shorter than what the tuning file accelerates anywhere (TRUNKLINE_TUNING)"
                           : "less than one frame: nothing to pipeline";
  }
  if (!world()->cluster && !world()->plan) return "no cluster is set (TRUNKLINE_CLUSTER)";
  return {};
}

/// Whether the arguments are wrong in a way that MPI has to report: a null buffer, a datatype not committed.
bool native_would_refuse(const BcastCall& call, MPI_Comm internal) {
  if (call.buffer == nullptr) {  // also MPI_BOTTOM, whose datatypes hold the addresses
    MPI_Count first = 0;
    MPI_Count extent = 0;
    check(PMPI_Type_get_true_extent_x(call.type, &first, &extent));
    if (first == 0) return true;
  }
  return !is_named(call.type) && PMPI_Send(call.buffer, 1, call.type, MPI_PROC_NULL, 0, internal) != MPI_SUCCESS;
}

int run_native(const BcastCall& call, NativeBcast* native) {
  last = {};
  return native(call);
}

int run_laid(const BcastCall& call, const Decision& decision, MPI_Comm internal, unsigned turn, NativeBcast* native) {
  if (native_would_refuse(call, internal)) return run_native(call, native);
  Message message(call.buffer, call.count, call.type, internal);
  if (const auto* const trees = std::get_if<std::vector<LocalTree>>(&decision.laid->local)) {
    PipelinedTrees(internal, *trees, message, decision.segment_bytes, turn).run();
  } else {
    BlockExchange(internal, std::get<LocalBlocks>(decision.laid->local), message, decision.segment_bytes, turn).run();
  }
  last = {decision.laid->name, decision.segment_bytes};
  return MPI_SUCCESS;
}

/// What the plans say; where laying them fails, native, for the reason that goes into `unplanned`. It fails on all
/// ranks alike, since it depends on what they know alike, and before any message.
const Decision* plan(Communicator& communicator, int root, const Shared& shared, Decision& unplanned) {
  try {
    return &communicator.plans(root).decide(shared.bytes, bcast_choice());
  } catch (const MpiError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (world()->strict) throw;
    static std::once_flag said;
    if (shared.rank == 0) {
      std::call_once(said, [&] {
        warn(std::string("no plan for a broadcast: ") + error.what() +
             "\ntrunkline: warning: MPI_Bcast runs natively there (TRUNKLINE_STRICT=1 ends the job instead); please "
             "report "
             "this with the cluster file");
      });
    }
    unplanned.reason = std::string("no plan could be laid: ") + error.what();
    return &unplanned;
  }
}

int decide_and_run(const BcastCall& call, const Shared& shared, NativeBcast* native) {
  Decision decided;
  const Decision* decision = &decided;
  MPI_Comm internal = MPI_COMM_NULL;
  unsigned turn = 0;
  decided.reason = veto(shared);
  if (decided.reason.empty()) {
    Communicator& communicator = Communicator::of(call.communicator, *world(), shared.rank, shared.ranks);
    if (communicator.all_in_world()) {
      decision = plan(communicator, call.root, shared, decided);
      if (decision->laid != nullptr) internal = communicator.internal();
      if (internal != MPI_COMM_NULL) {
        turn = communicator.next_turn();
      } else if (decision->laid != nullptr) {
        decided.reason = "no communicator left for its messages: the program has too many";
        decision = &decided;
      }
    } else {
      decided.reason = "a process outside MPI_COMM_WORLD, whose host is not known";
    }
  }
  const bool explains = world()->explain && shared.rank == 0;
  const double start = explains ? PMPI_Wtime() : 0.0;
  const int code =
      decision->laid != nullptr ? run_laid(call, *decision, internal, turn, native) : run_native(call, native);
  if (explains) explain(shared.ranks, call.root, shared.bytes, *decision, PMPI_Wtime() - start);
  return code;
}

/// Errors are the communicator's business: its error handler hears of them, as it does of the library's own.
int report_error(const BcastCall& call, int code) {
  PMPI_Comm_call_errhandler(call.communicator, code);
  return code;
}

}  // namespace

const LastBcast& last_bcast() { return last; }

int broadcast(const BcastCall& call, NativeBcast* native) {
  if (!watching.load(std::memory_order_relaxed)) return run_native(call, native);
  try {
    const auto shared = shared_facts(call);
    return shared ? decide_and_run(call, *shared, native) : run_native(call, native);
  } catch (const MpiError& error) {
    return report_error(call, error.code);
  } catch (const std::bad_alloc&) {
    return report_error(call, MPI_ERR_NO_MEM);
  } catch (const std::exception& error) {
    say(std::string("MPI_Bcast failed: ") + error.what());
    return report_error(call, MPI_ERR_INTERN);
  }
}

}  // namespace trunkline::runtime

using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return broadcast({buffer, count, type, root, communicator}, [](const BcastCall& call) {
    return PMPI_Bcast(call.buffer, static_cast<int>(call.count), call.type, call.root, call.communicator);
  });
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return broadcast({buffer, count, type, root, communicator}, [](const BcastCall& call) {
    return PMPI_Bcast_c(call.buffer, call.count, call.type, call.root, call.communicator);
  });
}
#endif
