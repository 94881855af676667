// SPDX-License-Identifier: Apache-2.0
#include "intercept/state.hpp"

#include <unistd.h>

#include <memory>
#include <optional>

#include "communicator/communicator.hpp"
#include "intercept/settings.hpp"
#include "mpi_api.hpp"
#include "report.hpp"
#include "startup/agreement.hpp"
#include "startup/presence.hpp"

namespace trunkline::runtime {

constinit std::atomic<bool> watching{false};

namespace {

// Never destroyed: programs may broadcast, and call MPI_Finalize, while static objects are.
constinit const World* agreed_world = nullptr;
constinit Conduit* opened = nullptr;
constinit bool finalized = false;
constinit BcastChoice choice_by_setting;
constinit std::optional<BcastChoice> choice_by_call;

void update_watching() {
  const World* const known = world();
  const bool has_something_to_lay = known != nullptr && (known->cluster || known->plan);
  const bool accelerates = bcast_choice().kind == BcastChoice::Kind::forced ||
                           (bcast_choice().kind == BcastChoice::Kind::automatic && has_something_to_lay);
  watching.store(known != nullptr && (accelerates || known->explain), std::memory_order_relaxed);
}

int stop(MPI_Comm, int, void*, void*) {
  watching.store(false, std::memory_order_relaxed);
  Communicator::free_all();
  finalized = true;
  delete opened;
  opened = nullptr;
  forget_silent_ranks();
  return MPI_SUCCESS;
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, the last one first. Ours is the first one, so the
/// application's own callbacks there can still broadcast.
void stop_at_finalize() {
  int key = MPI_KEYVAL_INVALID;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop, &key, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
  check(PMPI_Comm_free_keyval(&key));  // once the attribute is gone
}

}  // namespace

const World* world() { return finalized ? nullptr : agreed_world; }

Conduit* conduit() { return opened; }

const BcastChoice& bcast_choice() { return choice_by_call ? *choice_by_call : choice_by_setting; }

void choose_bcast_by_call(const BcastChoice& choice) {
  choice_by_call = choice;
  update_watching();
}

void start() {
  Setup setup;
  try {
    setup = read_settings(environ);
  } catch (const BadSettings& bad) {
    end_job(bad.what());
  }
  choice_by_setting = setup.bcast;
  // A rank that was told nothing takes part too, since launchers may hand the settings on to some hosts only; so does
  // one that was told to change nothing, or the others would wait for it.
  const bool all_here = attend(setup);
  if (!all_here) {
    if (is_waiting_for_silent_ranks()) stop_at_finalize();
    return;
  }
  std::unique_ptr<const World> made = agree(local_view(setup), setup.strict);
  if (made == nullptr) return;
  opened = Conduit::open().release();
  agreed_world = made.release();
  stop_at_finalize();
  update_watching();
}

}  // namespace trunkline::runtime
