// SPDX-License-Identifier: Apache-2.0
#include "intercept/state.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "communicator/communicator.hpp"
#include "decide/decision.hpp"
#include "intercept/settings.hpp"
#include "intercept/short_calls.hpp"
#include "intercept/under_way.hpp"
#include "learned/memory.hpp"
#include "model/transfer/memory_speeds.hpp"
#include "mpi_api.hpp"
#include "network/placement.hpp"
#include "receipt/receipt.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "startup/agreement.hpp"
#include "startup/host_memory.hpp"
#include "startup/progress_hook.hpp"
#include "startup/roll.hpp"
#include "text/quantity.hpp"
#include "trace/session.hpp"

namespace trunkline::runtime {

constinit std::atomic<bool> watching{false};
constinit std::array<std::atomic<std::uint64_t>, most_collectives> left_below{};
constinit int ranks_of_job = 0;

namespace {

// Never destroyed: programs may broadcast, and call MPI_Finalize, while static objects are.
constinit const World* agreed_world = nullptr;
constinit PrivateCommunicator* opened = nullptr;
constinit HostMemory* shared_memory = nullptr;
constinit Recorder* recording = nullptr;
constinit bool finalized = false;
constinit Wishes wishes_by_setting;
constinit std::array<std::optional<Wish>, most_collectives> wishes_by_call;

bool is_accelerated(const CollectiveFacts& one) {
  const Wish& wish = wish_for(one.collective);
  if (wish.kind != Wish::Kind::automatic) return wish.kind == Wish::Kind::forced;
  const Knowledge& knowledge = world()->knowledge;
  return knowledge.cluster || !knowledge.plans.empty() || knowledge.keeps_one_order(one.collective);
}

bool is_any_accelerated() { return std::ranges::any_of(collectives(), is_accelerated); }

/// Where calls are traced, explained or counted, each is looked at; once the network may be another one, so may the
/// floor be.
void update_left_below() {
  for (const CollectiveFacts& one : collectives()) {
    const bool by_size = world() != nullptr && one.has_data && !world()->explain && !world()->trace &&
                         !world()->follow && receipt() == nullptr;
    const std::uint64_t bytes =
        by_size ? native_anyway_below(world()->knowledge, one.collective, wish_for(one.collective)) : 0;
    left_below[static_cast<std::size_t>(one.collective)].store(bytes, std::memory_order_relaxed);
  }
}

void update_watching() {
  const bool is_on =
      world() != nullptr && (world()->explain || world()->trace || receipt() != nullptr || is_any_accelerated());
  watching.store(is_on, std::memory_order_relaxed);
  update_left_below();
}

/// A rank that has died ends the job, not the clocks: then the trace has the first comparison alone, and says so.
void compare_clocks_at_end(Recorder& recorder, const PrivateCommunicator& ours) {
  try {
    compare_clocks_again(recorder, ours);
  } catch (const MpiError&) {
    return;
  }
}

int stop(MPI_Comm, int, void*, void*) {
  watching.store(false, std::memory_order_relaxed);
  stop_calls_under_way();
  if (opened != nullptr) {  // else ranks without the library have kept it out: there are no communicators of ours
    Communicator::free_all(*opened);
    if (recording != nullptr) compare_clocks_at_end(*recording, *opened);
    opened->late().end();
  }
  write_what_was_learned();
  end_receipt();
  finalized = true;
  if (recording != nullptr) stop_trace(*recording);
  delete recording;
  recording = nullptr;
  delete shared_memory;
  shared_memory = nullptr;
  delete opened;
  opened = nullptr;
  forget_silent_ranks();
  release_reserve();
  return MPI_SUCCESS;
}

ReceiptHead head_of(const World& world, int ranks) {
  const auto& cluster = world.knowledge.cluster;
  const Placement none;
  const Placement& hosts = world.placement ? *world.placement : none;
  return {.mpi = std::string(mpi_name) + " " + std::string(mpi_version),
          .library = TRUNKLINE_VERSION,
          .cluster = cluster ? cluster->name() : "",
          .ranks = ranks,
          .hosts = static_cast<int>(std::set(hosts.begin(), hosts.end()).size())};
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, the last one first. Ours is the first one, so the
/// application's own callbacks there can still broadcast.
void stop_at_finalize() {
  int key = MPI_KEYVAL_INVALID;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop, &key, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
  check(PMPI_Comm_free_keyval(&key));  // once the attribute is gone
}

/// As fast as it was just measured, unless somebody has said which one is, or every run is to take the same plan.
void go_by_memory(World& world, HostMemory& memory) {
  HostCosts& hosts = world.knowledge.hosts;
  const bool is_settled = hosts.is_memory_named || world.knowledge.reproducible;
  if (!is_settled) hosts.memory = &memory_speeds_here(memory.handing_over_s());
  memory.use_in_turn(hosts.memory->slots_in_turn);
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (is_settled || !world.explain || rank != 0) return;
  const bool is_measured = std::isfinite(memory.handing_over_s());
  say("host-processor",
      "memory of hosts counts as that of " + std::string(hosts.memory->name) +
          " (TRUNKLINE_HOST_COSTS=processor=NAME): " +
          (is_measured ? "16 KiB took " + format_short_time(memory.handing_over_s()) + " from rank to rank"
                       : "how fast it is could not be measured"),
      JsonFields().add("processor", hosts.memory->name).add("measured_s", memory.handing_over_s()));
}

const char* why_no_thread() {
  if (simulated) return "the ranks are simulated";
  if (!may_have_threads()) return "the program does not run with MPI_THREAD_MULTIPLE";
  return "it is not set on all ranks, or not all run with MPI_THREAD_MULTIPLE";
}

}  // namespace

const World* world() { return finalized ? nullptr : agreed_world; }

PrivateCommunicator* private_communicator() { return opened; }

HostMemory* host_memory() { return shared_memory; }

Recorder* recorder() { return recording; }

const Wish& wish_for(Collective collective) {
  const auto which = static_cast<std::size_t>(collective);
  return wishes_by_call[which] ? *wishes_by_call[which] : wishes_by_setting[which];
}

void wish_by_call(Collective collective, const Wish& wish) {
  wishes_by_call[static_cast<std::size_t>(collective)] = wish;
  update_watching();
}

void start() {
  Setup setup;
  try {
    setup = read_settings(environ);
  } catch (const BadSettings& bad) {
    end_job(bad.what());
  }
  wishes_by_setting = setup.wishes;
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (setup.explain == Explain::json) speak_json(rank);
  // A rank that was told nothing takes part too, since launchers may hand the settings on to some hosts only; so does
  // one that was told to change nothing, or the others would wait for it.
  const bool all_here = call_roll(setup);
  if (!all_here) {
    if (is_waiting_for_silent_ranks()) stop_at_finalize();
    return;
  }
  std::unique_ptr<World> made = agree(local_view(setup), setup.strict);
  if (made == nullptr) return;
  opened = PrivateCommunicator::open().release();
  if (made->trace) recording = start_trace(setup, *made, *opened).release();
  World* const mine = made.release();
  agreed_world = mine;
  // All ranks have been told the same.
  if (is_any_accelerated()) {
    shared_memory = open_host_memory(setup, *mine, *opened, find_machine(*mine, *opened)).release();
  }
  mine->knowledge.host_memory = shared_memory != nullptr;
  if (shared_memory != nullptr) go_by_memory(*mine, *shared_memory);
  if (shared_memory != nullptr) opened->ids().before_release([](unsigned id) { shared_memory->clear_shelf(id); });
  if (mine->knowledge.cluster) mine->knowledge.look_for_short_calls(*mine->placement);
  if (mine->knowledge.cluster && is_one_host(*mine->placement)) mine->knowledge.stay_on_one_host();
  mine->learned = recall(setup, *mine);
  int ranks = 0;
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks));
  hold_reserve(static_cast<std::size_t>(ranks));
  ranks_of_job = ranks;
  if (rank == 0 && !setup.summary.empty()) begin_receipt(setup.summary, head_of(*mine, ranks));
  if (mine->has_progress_thread) begin_progress_thread();
  if (setup.progress == Progress::thread && !mine->has_progress_thread && rank == 0) {
    warn(std::string("TRUNKLINE_PROGRESS=thread: no thread goes on with calls that do not block, since ") +
         why_no_thread());
  }
  stop_at_finalize();
  update_watching();
}

}  // namespace trunkline::runtime
