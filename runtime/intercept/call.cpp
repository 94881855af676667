// SPDX-License-Identifier: Apache-2.0
#include "intercept/call.hpp"

#include <array>
#include <optional>

#include "communicator/explain.hpp"
#include "intercept/prepare.hpp"
#include "intercept/run_plan.hpp"
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

int run_watched(const UserCall& call, TracedCall& traced) {
  const Arguments& arguments = call.arguments();
  std::optional<SharedFacts> shared;
  const int code = find_shared_facts(call, shared);
  if (code != MPI_SUCCESS) return code;
  if (!shared) {
    if (traced.is_on()) begin_natively(traced, arguments);
    return run_natively(call);
  }
  const Prepared prepared = prepare(call, *shared);
  if (prepared.code != MPI_SUCCESS) return prepared.code;
  const bool explains = world()->explain && shared->rank == 0;
  const double start = explains ? PMPI_Wtime() : 0.0;
  const bool is_native = prepared.communicator == nullptr;
  if (is_native && traced.is_on()) begin_natively(traced, arguments, shared->bytes);
  const int result = is_native ? run_natively(call) : run_plan(call, *shared, prepared, traced);
  LastRun& last_one = last_run(arguments.collective);
  last_one.multicast = prepared.multicast;
  if (prepared.group != nullptr) last_one.heard = prepared.group->tally();
  if (explains) {
    explain({.collective = arguments.collective,
             .ranks = shared->ranks,
             .root = arguments.root,
             .bytes = shared->bytes,
             .communicator_id = prepared.id,
             .multicast = prepared.multicast,
             .measured_s = PMPI_Wtime() - start},
            *prepared.decision);
  }
  return result;
}

}  // namespace

LastRun& last_run(Collective collective) { return last[static_cast<std::size_t>(collective)]; }

int run(const UserCall& call) {
  if (world() == nullptr) return run_natively(call);
  const Arguments& arguments = call.arguments();
  TracedCall traced(recorder(), arguments.collective, arguments.communicator == MPI_COMM_WORLD);
  const int code = run_watched(call, traced);
  traced.end(code != MPI_SUCCESS);
  return code;
}

}  // namespace trunkline::runtime
