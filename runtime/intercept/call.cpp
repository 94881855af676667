// SPDX-License-Identifier: Apache-2.0
#include "intercept/call.hpp"

#include <array>
#include <optional>

#include "communicator/explain.hpp"
#include "communicator/learning.hpp"
#include "intercept/counted.hpp"
#include "intercept/planned_call.hpp"
#include "intercept/prepare.hpp"
#include "intercept/shared_facts.hpp"
#include "intercept/state.hpp"
#include "intercept/traced.hpp"
#include "trace/recorder.hpp"

namespace trunkline::runtime {
namespace {

thread_local std::array<LastRun, most_collectives> last __attribute__((tls_model("initial-exec")));

int run_natively(const UserCall& call) {
  last_run(call.arguments().collective) = {};
  return call.native();
}

/// By the plan. Errors are the communicator's business: its error handler hears of them, as it does of the library's
/// own.
int run_planned(UserCall& call, const SharedFacts& shared, const Prepared& prepared, TracedCall& traced) {
  const Arguments& arguments = call.arguments();
  PlannedCall planned(call, shared, prepared, PlannedCall::Leaves::by_exception);
  if (traced.is_on()) planned.trace(traced);
  last_run(arguments.collective) = {prepared.decision->plan->name, prepared.decision->segment_bytes};
  const int code = planned.run();
  if (code == MPI_SUCCESS) return code;
  prepared.number->fails();
  PMPI_Comm_call_errhandler(arguments.communicator, code);
  return code;
}

int run_watched(UserCall& call, TracedCall& traced, std::optional<SharedFacts>& shared, Why& why) {
  const Arguments& arguments = call.arguments();
  const int code = find_shared_facts(call, shared);
  if (code != MPI_SUCCESS) return code;
  if (!shared) {
    if (traced.is_on()) begin_natively(traced, arguments);
    return run_natively(call);
  }
  const Prepared prepared = prepare(call, *shared);
  if (prepared.code != MPI_SUCCESS) return prepared.code;
  if (receipt() != nullptr) why = Why::of(prepared);
  const bool explains = world()->explain && shared->rank == 0;
  const bool is_timed = explains || prepared.learning != nullptr || shared->lengths != nullptr;
  const double start = is_timed ? PMPI_Wtime() : 0.0;
  const bool is_native = prepared.communicator == nullptr;
  if (is_native && traced.is_on()) begin_natively(traced, arguments, shared->bytes);
  const int result = is_native ? run_natively(call) : run_planned(call, *shared, prepared, traced);
  const double took_s = is_timed ? PMPI_Wtime() - start : 0.0;
  if (prepared.learning != nullptr) prepared.learning->took(took_s);
  if (shared->lengths != nullptr) shared->lengths->took(took_s);
  LastRun& last_one = last_run(arguments.collective);
  last_one.multicast = prepared.multicast;
  if (prepared.group != nullptr) last_one.heard = prepared.group->tally();
  if (explains) {
    const bool has_bytes = facts_of(arguments.collective).has_data && shared->bytes != unknown_bytes;
    explain({.collective = arguments.collective,
             .ranks = shared->ranks,
             .root = arguments.root,
             .bytes = has_bytes ? std::optional(shared->bytes) : std::nullopt,
             .communicator_id = prepared.number != nullptr ? prepared.number->number() : 0,
             .multicast = prepared.multicast,
             .measured_s = took_s},
            *prepared.decision);
  }
  return result;
}

}  // namespace

LastRun& last_run(Collective collective) { return last[static_cast<std::size_t>(collective)]; }

int run(UserCall&& call) {
  if (world() == nullptr) return run_natively(call);
  const Arguments& arguments = call.arguments();
  TracedCall traced(recorder(), arguments.collective, arguments.communicator == MPI_COMM_WORLD);
  std::optional<SharedFacts> shared;
  const bool is_counted = receipt() != nullptr;
  const double start = is_counted ? PMPI_Wtime() : 0.0;
  Why why;
  const int code = run_watched(call, traced, shared, why);
  traced.end(code != MPI_SUCCESS);
  if (is_counted) {
    count_call(arguments, shared ? shared->bytes : known_bytes(arguments), last_run(arguments.collective).algorithm,
               why, {.seconds = PMPI_Wtime() - start});
  }
  return code;
}

}  // namespace trunkline::runtime
