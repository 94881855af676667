// SPDX-License-Identifier: Apache-2.0
#include "intercept/call.hpp"

#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "communicator/communicator.hpp"
#include "communicator/explain.hpp"
#include "datatype/operands.hpp"
#include "datatype/predefined.hpp"
#include "decide/decision.hpp"
#include "intercept/state.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "revoked.hpp"
#include "text/fnv.hpp"
#include "trace/recorder.hpp"
#include "trace/session.hpp"
#include "transport/mpi/turn.hpp"

// Two rules keep the program's error handlers, exceptions and thread cancellation working through our frames: MPI calls
// that may run code of the program (native ones, and all on its own communicators) are made outside of any try block,
// and return codes; a try block encloses messages of ours, on the conduit, whose errors come back to us, and the
// program's own operations, whose exceptions go on to it once the other ranks have been told. (MPICH
// reports what goes wrong in completing several requests to MPI_COMM_WORLD's handler: there is no way round that.)

namespace trunkline::runtime {
namespace {

thread_local std::array<LastRun, collective_count> last __attribute__((tls_model("initial-exec")));

const char* reason_to_stay_native(Collective collective, std::uint64_t bytes) {
  return native_anyway(world()->knowledge, collective, wish_for(collective), bytes);
}

/// What all ranks of the call know equally, and nothing else.
struct Shared {
  int rank = 0;
  int ranks = 0;
  std::uint64_t bytes = 0;
  const char* native = nullptr;  ///< why it is that, whatever the plans say; null: it need not be
};

/// Whether MPI reports an error of what this rank alone knows. Only then may it go its own way: a rank that goes to MPI
/// and is welcome there would wait for the others, which run a plan. So MPI is asked, and nobody has to know which of
/// its versions reports what.
bool is_refused(const UserCall& user, int rank) {
  if (!user.is_doubtful(rank)) return false;
  static std::mutex one_at_a_time;  // collective calls on one communicator
  const Uncancelled uncancelled;
  const std::scoped_lock lock(one_at_a_time);
  return user.judged(conduit()->alone(), rank) != MPI_SUCCESS;
}

/// MPI's code, of which the communicator's error handler has heard. `shared` stays empty where MPI itself has to judge
/// the arguments, or where there is nothing to send.
int shared_facts(const UserCall& user, std::optional<Shared>& shared) {
  const Arguments& call = user.arguments();
  const bool plain = (call.count > 0 || user.has_shares()) && call.root >= 0 && call.type != MPI_DATATYPE_NULL &&
                     call.communicator != MPI_COMM_NULL && call.buffer != MPI_IN_PLACE && !Dying::is(call.communicator);
  if (!plain) return MPI_SUCCESS;
  const auto element_bytes = type_bytes(call.type);
  if (!element_bytes || *element_bytes == 0) return MPI_SUCCESS;
  Shared facts;
  const auto count_bytes = [&](MPI_Count elements) {
    facts.bytes = static_cast<std::uint64_t>(elements) * *element_bytes;
    facts.native = reason_to_stay_native(call.collective, facts.bytes);
  };
  if (!user.has_shares()) count_bytes(call.count);
  if (facts.native != nullptr && !world()->explain) return MPI_SUCCESS;
  int is_inter = 0;
  int code = PMPI_Comm_test_inter(call.communicator, &is_inter);
  if (code != MPI_SUCCESS || is_inter != 0) return code;
  code = PMPI_Comm_rank(call.communicator, &facts.rank);
  if (code == MPI_SUCCESS) code = PMPI_Comm_size(call.communicator, &facts.ranks);
  if (code != MPI_SUCCESS || facts.ranks == 1 || call.root >= facts.ranks) return code;
  if (user.has_shares()) {
    const MPI_Count elements = user.elements(facts.ranks);
    if (elements <= 0) return code;
    count_bytes(elements);
  }
  if (is_refused(user, facts.rank) || is_revoked(call.communicator)) return code;
  shared = facts;
  return MPI_SUCCESS;
}

/// What one call is going to run.
struct Prepared {
  int code = MPI_SUCCESS;                ///< MPI's, of which the communicator's error handler has heard
  Communicator* communicator = nullptr;  ///< where it is not native
  unsigned id = 0;                       ///< of the communicator
  std::uint64_t turn = 0;                ///< of the call on it
  std::shared_ptr<const LocalDecision> decision{};
};

/// Errors are the communicator's business: its error handler hears of them, as it does of the library's own.
int report_error(const Arguments& call, int code) {
  PMPI_Comm_call_errhandler(call.communicator, code);
  return code;
}

/// Null where nobody asks for the reason.
std::shared_ptr<const LocalDecision> natively(const char* reason) {
  return world()->explain ? std::make_shared<const LocalDecision>(LocalDecision{.reason = reason}) : nullptr;
}

std::string name_of(const Arguments& call) { return std::string(facts_of(call.collective).mpi_name); }

/// What the plans say; where laying them fails, native. It fails on all ranks alike, since it depends on what they know
/// alike, and before any message.
std::shared_ptr<const LocalDecision> plan(Members& members, const UserCall& user, const Shared& shared) {
  const Arguments& call = user.arguments();
  try {
    return with_reserve([&] {
      return members.decide(call.collective, static_cast<Rank>(call.root), shared.bytes, user.operand_order(),
                            wish_for(call.collective));
    });
  } catch (const std::exception& error) {
    if (world()->strict) end_job("no plan for " + name_of(call) + ": " + error.what());
    static std::once_flag said;
    if (shared.rank == 0) {
      std::call_once(said, [&] {
        warn("no plan for " + name_of(call) + ": " + error.what() +
             "\ntrunkline: warning: it runs natively there (TRUNKLINE_STRICT=1 ends the job instead); please report "
             "this "
             "with the cluster file");
      });
    }
    return std::make_shared<const LocalDecision>(
        LocalDecision{.reason = std::string("no plan could be laid: ") + error.what()});
  }
}

Prepared prepare(const UserCall& user, const Shared& shared) {
  const Arguments& call = user.arguments();
  for (const char* const reason : {shared.native, user.reason_for_mpi()}) {
    if (reason != nullptr) return {.decision = natively(reason)};
  }
  const Communicator::Found found =
      Communicator::of(call.communicator, *world(), *conduit(), shared.rank, shared.ranks);
  if (found.code != MPI_SUCCESS) return {.code = found.code};
  Members* const members = found.state->members();
  if (members == nullptr) return {.decision = natively("a process outside MPI_COMM_WORLD, whose host is not known")};
  Prepared prepared{.decision = plan(*members, user, shared)};
  if (prepared.decision->plan == nullptr) return prepared;
  const Communicator::Numbered number = found.state->number();
  if (number.code != MPI_SUCCESS) return {.code = number.code};
  if (!number.id) return {.decision = natively("no number for the communicator: too many of them, or threads at once")};
  const Communicator::Entered entered = found.state->enter();
  if (entered.code != MPI_SUCCESS) return {.code = entered.code};
  prepared.communicator = found.state;
  prepared.id = *number.id;
  prepared.turn = entered.turn;
  return prepared;
}

/// A digest of what all ranks must take the call for.
std::uint64_t claim_of(const Arguments& call, const Prepared& prepared, std::uint64_t bytes) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  const LocalDecision& decision = *prepared.decision;
  std::uint64_t claim = hash(decision.plan->key);
  const auto root = static_cast<std::uint64_t>(call.root);
  for (const std::uint64_t part : {static_cast<std::uint64_t>(call.collective), bytes, decision.segment_bytes, root}) {
    claim = (claim ^ part) * odd;
    claim ^= claim >> 32U;
  }
  return claim;
}

/// Runs the messages of a call. Where this rank cannot go on, the others are told, so that none waits for it for ever.
int execute(const UserCall& call, Turn& turn, const LocalDecision& decision) {
  int code = MPI_SUCCESS;
  try {
    return call.execute(turn, decision);
  } catch (const GivenUp& other) {
    return other.code;  // whom it concerns has been told
  } catch (const MpiError& error) {
    code = error.code;
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
    if (Operands::has_thrown()) {
      turn.give_up(code);
      throw;
    }
  } catch (...) {  // of an operation of the program, or this thread's cancellation
    static_cast<void>(Operands::has_thrown());
    turn.give_up(MPI_ERR_OTHER);
    throw;
  }
  turn.give_up(code);
  return code;
}

int run_natively(const UserCall& call) {
  last_run(call.arguments().collective) = {};
  return call.native();
}

/// The call of this thread is traced as one that MPI runs. `bytes`: as far as they are known.
void begin_natively(TracedCall& traced, const Arguments& call, std::uint64_t bytes) {
  CallKind kind{.plan = 0,
                .bytes = bytes,
                .segment_bytes = 0,
                .communicator = call.communicator == MPI_COMM_WORLD ? 1U : 0U,
                .root = call.root,
                .collective = {},
                .algorithm = "native"};
  copy_text(kind.collective, facts_of(call.collective).name);
  static_cast<void>(traced.begin(kind, 0));
}

/// Bytes of the signature where no look at the datatype is needed.
std::uint64_t known_bytes(const Arguments& call) {
  const auto element = call.type == MPI_DATATYPE_NULL ? std::nullopt : predefined_bytes(call.type);
  return element && call.count >= 0 ? static_cast<std::uint64_t>(call.count) * *element : unknown_bytes;
}

void keep_plan_of(const Arguments& call, const LocalPlan& plan, const Processes& processes) {
  const Knowledge& knowledge = world()->knowledge;
  PlanFile file{.collective = call.collective,
                .algorithm = plan.key == plan_of_file ? "custom" : std::string(plan.key),
                .cluster = {},
                .cluster_fingerprint = {},
                .host_of_rank = {},
                .plan = *plan.whole,
                .segment_bytes = {},
                .provenance = "traced"};
  if (knowledge.cluster) {
    file.cluster = knowledge.cluster->name();
    file.cluster_fingerprint = knowledge.cluster->fingerprint();
    const auto hosts = knowledge.cluster->hosts();
    for (const HostIndex host : *processes.placement) {
      file.host_of_rank.push_back(knowledge.cluster->nodes()[hosts[host]].name);
    }
  }
  keep_plan(*recorder(), plan.identity, file, processes.world_ranks);
}

void begin_planned(TracedCall& traced, const Arguments& call, std::uint64_t bytes, const Prepared& prepared) {
  const LocalPlan& plan = *prepared.decision->plan;
  CallKind kind{.plan = plan.identity,
                .bytes = bytes,
                .segment_bytes = prepared.decision->segment_bytes,
                .communicator = prepared.id,
                .root = call.root,
                .collective = {},
                .algorithm = {}};
  copy_text(kind.collective, facts_of(call.collective).name);
  copy_text(kind.algorithm, plan.name);
  if (!traced.begin(kind, prepared.turn) || plan.whole == nullptr) return;
  try {
    keep_plan_of(call, plan, prepared.communicator->members()->processes());
  } catch (const std::exception& wrong) {
    static std::once_flag said;
    std::call_once(said, [&] { warn("a plan cannot be written beside the trace: " + std::string(wrong.what())); });
  }
}

int run_prepared(const UserCall& call, const Shared& shared, const Prepared& prepared, TracedCall& traced) {
  if (prepared.communicator == nullptr) {
    if (traced.is_on()) begin_natively(traced, call.arguments(), shared.bytes);
    return run_natively(call);
  }
  const Arguments& arguments = call.arguments();
  const LocalDecision& decision = *prepared.decision;
  Turn turn(*conduit(), prepared.communicator->members()->processes().world_ranks, prepared.id, prepared.turn,
            claim_of(arguments, prepared, shared.bytes), decision.plan->part->streams());
  const CollectiveFacts& facts = facts_of(arguments.collective);
  turn.belongs_to({.communicator = arguments.communicator,
                   .name = facts.mpi_name,
                   .root = facts.has_root ? std::optional(arguments.root) : std::nullopt,
                   .bytes = shared.bytes});
  if (traced.is_on()) {
    begin_planned(traced, arguments, shared.bytes, prepared);
    turn.tell(&traced);
  }
  last_run(arguments.collective) = {decision.plan->name, decision.segment_bytes};
  const int code = execute(call, turn, decision);
  if (code == MPI_SUCCESS) return code;
  prepared.communicator->has_failed();
  return report_error(arguments, code);
}

}  // namespace

std::optional<std::uint64_t> type_bytes(MPI_Datatype type) {
  if (const auto bytes = predefined_bytes(type)) return bytes;
  const MPI_Comm silent = conduit()->communicator();  // whose errors nobody hears of
  constexpr char any_place = 0;                       // a null buffer would be another error
  if (PMPI_Send(&any_place, 1, type, MPI_PROC_NULL, 0, silent) != MPI_SUCCESS) return {};
  MPI_Count bytes = 0;
  if (PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS || bytes < 0) return {};
  return static_cast<std::uint64_t>(bytes);
}

bool is_null(const void* buffer, MPI_Datatype type) {
  if (buffer != nullptr) return false;
  MPI_Count first = 0;
  MPI_Count extent = 0;
  return PMPI_Type_get_true_extent_x(type, &first, &extent) != MPI_SUCCESS || first == 0;
}

LastRun& last_run(Collective collective) { return last[static_cast<std::size_t>(collective)]; }

namespace {

int run_watched(const UserCall& call, TracedCall& traced) {
  const Arguments& arguments = call.arguments();
  std::optional<Shared> shared;
  const int code = shared_facts(call, shared);
  if (code != MPI_SUCCESS) return code;
  if (!shared) {
    if (traced.is_on()) begin_natively(traced, arguments, known_bytes(arguments));
    return run_natively(call);
  }
  const Prepared prepared = prepare(call, *shared);
  if (prepared.code != MPI_SUCCESS) return prepared.code;
  const bool explains = world()->explain && shared->rank == 0;
  const double start = explains ? PMPI_Wtime() : 0.0;
  const int result = run_prepared(call, *shared, prepared, traced);
  if (explains) {
    const double took = PMPI_Wtime() - start;
    explain(arguments.collective, shared->ranks, arguments.root, shared->bytes, *prepared.decision, took);
  }
  return result;
}

}  // namespace

int run(const UserCall& call) {
  if (world() == nullptr) return run_natively(call);
  TracedCall traced(recorder());
  const int code = run_watched(call, traced);
  traced.end(code != MPI_SUCCESS);
  return code;
}

}  // namespace trunkline::runtime
