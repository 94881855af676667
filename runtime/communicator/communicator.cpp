// SPDX-License-Identifier: Apache-2.0
#include "communicator/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "communicator/following.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "startup/changed_cluster.hpp"
#include "text/quantity.hpp"
#include "transport/mpi/farewell.hpp"

namespace trunkline::runtime {
namespace {

thread_local MPI_Comm dying __attribute__((tls_model("initial-exec"))) = MPI_COMM_NULL;

/// The communicators that have a state, so that MPI_Finalize leaves none behind.
struct Registry {
  std::mutex mutex;
  std::vector<MPI_Comm> users;

  void add(MPI_Comm user) {
    const std::scoped_lock lock(mutex);
    users.push_back(user);
  }
  void remove(MPI_Comm user) {
    const std::scoped_lock lock(mutex);
    std::erase(users, user);
  }
  bool has(MPI_Comm user) {
    const std::scoped_lock lock(mutex);
    return std::ranges::find(users, user) != users.end();
  }
};

/// Never destroyed: programs may call MPI_Finalize while static objects are.
Registry& registry() {
  static auto* const instance = with_reserve([] { return new Registry; });
  return *instance;
}

constinit std::atomic<int> made_keyval = MPI_KEYVAL_INVALID;

int keyval() {
  static std::once_flag made;
  std::call_once(made, [] {
    int made_now = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, Communicator::free_state, &made_now, nullptr));
    made_keyval = made_now;
  });
  return made_keyval;
}

/// Never destroyed. There are few: states, reasons and lengths.
const char* kept_text(std::string text) {
  static std::mutex mutex;
  static auto* const kept = with_reserve([] { return new std::set<std::string>; });
  const std::scoped_lock lock(mutex);
  return with_reserve([&] { return kept->insert(text).first->c_str(); });
}

}  // namespace

int Communicator::free_state(MPI_Comm user, int, void* state, void*) {
  auto* const own = static_cast<Communicator*>(state);
  own->end_following();
  registry().remove(user);
  delete own;
  return MPI_SUCCESS;
}

Communicator::Found Communicator::of(MPI_Comm communicator, const World& world, PrivateCommunicator& ours, int rank,
                                     int ranks) {
  void* state = nullptr;
  int found = 0;
  int code = PMPI_Comm_get_attr(communicator, keyval(), static_cast<void*>(&state), &found);
  if (code != MPI_SUCCESS) return {.code = code};
  if (found != 0) return {.state = static_cast<Communicator*>(state)};
  Members::Found members = Members::of(communicator, lasting(world), rank, ranks);
  if (members.code != MPI_SUCCESS) return {.code = members.code};
  Communicator* const made = with_reserve([&] {
    std::unique_ptr<Communicator> own(new Communicator(communicator, ours, members.members, world));
    registry().add(communicator);
    return own.release();
  });
  code = PMPI_Comm_set_attr(communicator, keyval(), made);
  if (code == MPI_SUCCESS) return {.state = made};
  free_state(communicator, 0, made, nullptr);
  return {.code = code};
}

void Communicator::free_all(const PrivateCommunicator& ours) {
  std::vector<MPI_Comm> users;
  {
    Registry& known = registry();
    const std::scoped_lock lock(known.mutex);
    users = known.users;
  }
  for (const std::vector<int>& ranks : LeftBehind::sets_with_services()) say_farewell(ours, ranks);
  for (const MPI_Comm user : users) PMPI_Comm_delete_attr(user, keyval());
  int made = made_keyval.exchange(MPI_KEYVAL_INVALID);
  if (made != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&made);
  LeftBehind::forget_all();
  Members::forget();
}

void Communicator::forget(MPI_Comm communicator) {
  if (registry().has(communicator)) PMPI_Comm_delete_attr(communicator, keyval());
}

Communicator::Communicator(MPI_Comm user, PrivateCommunicator& ours, std::shared_ptr<Members> members,
                           const World& world)
    : user_(user), ours_(ours), members_(std::move(members)), explain_(world.explain), way_(world.way) {
  if (user == MPI_COMM_WORLD) id_ = Ids::of_world;
}

Communicator::~Communicator() {
  tell_what_it_heard();
  // One that has failed is not given back: what its calls left behind must not be taken for messages of another one.
  if (id_ && *id_ != Ids::of_world && !has_failed_) ours_.ids().release(*id_);
}

Communicator::Numbered Communicator::number() {
  if (id_ || no_id_) return {.id = id_};
  const Ids::Agreed agreed = ours_.ids().agree(user_, static_cast<int>(members_->processes().rank));
  if (agreed.code != MPI_SUCCESS) return {.code = agreed.code};
  if (agreed.busy) return {};  // this call is native; the next one tries again
  id_ = agreed.id;
  no_id_ = !agreed.id;
  if (no_id_ && members_->processes().rank == 0) {
    static std::once_flag said;
    std::call_once(said, [this] {
      warn("the program has more than " + std::to_string(ours_.tags().ids()) +
           " communicators with accelerated broadcasts: those on further ones are native");
    });
  }
  return {.id = id_};
}

Communicator::Entered Communicator::enter() {
  const std::uint64_t turn = turns_++;
  return {.code = ours_.tags().meet_before(turn) ? PMPI_Barrier(user_) : MPI_SUCCESS, .turn = turn};
}

Communicator::Grouped Communicator::group() {
  if (!has_asked_for_group_) {
    const Grouped opened = open_group();
    if (opened.code == MPI_SUCCESS && opened.group == nullptr) warn_of_no_group();
    return opened;
  }
  if (group_ != nullptr) return group_that_hears();
  warn_of_no_group();
  return {};
}

Communicator::Grouped Communicator::group_where_it_pays(double saved_s, double opening_s) {
  if (has_asked_for_group_) return group_ == nullptr ? Grouped{} : group_that_hears();
  would_have_saved_s_ += saved_s;
  if (would_have_saved_s_ < opening_s) {
    if (multicast_words_ == nullptr) {
      multicast_words_ = with_reserve([&] {
        return kept_text("no group yet: it opens once multicasts would have saved the " +
                         std::to_string(static_cast<std::uint64_t>(1e3 * opening_s)) + " ms that it costs");
      });
    }
    return {};
  }
  const int own = members_->are_out_of_reach() ? 1 : 0;
  int any = 0;
  const int code = PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, user_);
  if (code != MPI_SUCCESS) return {.code = code};
  if (any == 0) return open_group();
  has_asked_for_group_ = true;
  has_no_group("another communicator of the same processes has none");
  return {};
}

Communicator::Grouped Communicator::open_group() {
  const Processes& processes = members_->processes();
  group_members_ = members_;
  DatagramGroup::Opened opened = DatagramGroup::open(user_, processes.rank, processes.world_ranks, way_);
  if (opened.code != MPI_SUCCESS) return {.code = opened.code};
  has_asked_for_group_ = true;
  group_ = std::move(opened.group);
  if (group_ == nullptr) {
    members_->have_been_out_of_reach();
    has_no_group(opened.reason);
    return {};
  }
  if (!opened.not_eager.empty() && processes.rank == 0) {
    warn("the roots of short multicasts wait for all ranks on " + name_for_people() +
         ", since nobody could repair after them: " + opened.not_eager);
  }
  const std::uint64_t eager = group_->most_eager_bytes();
  multicast_words_ = with_reserve([&] {
    return kept_text(std::string("its group is open ") + group_->way() + ", " +
                     (eager > 0 ? "messages of up to " + format_bytes(eager) + " are eager"
                                : "no message is eager: " + opened.not_eager));
  });
  return {.group = group_.get(), .have_met = true};
}

void Communicator::has_no_group(std::string_view why) {
  with_reserve([&] {
    no_group_ = why;
    multicast_words_ = kept_text("no group: " + no_group_);
  });
}

void Communicator::warn_of_no_group() {
  if (std::exchange(has_warned_, true) || members_->processes().rank != 0) return;
  warn("multicast does not work on " + name_for_people() + ": " + no_group_ +
       "; its calls go along the confirm tree, by messages");
}

Communicator::Grouped Communicator::group_that_hears() {
  const DatagramGroup::Heard heard = group_->hears(user_);
  if (heard.code != MPI_SUCCESS) return {.code = heard.code};
  if (heard.deaf_rank) {
    tell_what_it_heard();
    group_.reset();
    has_warned_ = true;
    members_->have_been_out_of_reach();
    has_no_group("it was given up, since multicast has stopped to reach rank " + std::to_string(*heard.deaf_rank));
    if (members_->processes().rank == 0) {
      warn("multicast has stopped to reach rank " + std::to_string(*heard.deaf_rank) + " of " + name_for_people() +
           "; its calls go by messages from now on. A switch that snoops IGMP or MLD without a querier forgets members "
           "after "
           "some minutes: let it have one");
    }
  }
  return {.group = group_.get(), .have_met = heard.have_met};
}

std::string Communicator::name_for_people() const {
  return "a communicator of " + std::to_string(members_->processes().world_ranks.size()) + " ranks";
}

/// Rank 0 always, the others where there is something to tell.
void Communicator::tell_what_it_heard() const {
  if (!explain_ || group_ == nullptr) return;
  const auto& [calls, repaired, strange, early] = group_->tally();
  const std::uint64_t by_kernel = group_->dropped_by_kernel();
  const Rank rank = members_->processes().rank;
  if (rank != 0 && repaired + strange + early + by_kernel == 0) return;
  say("multicast on " + name_for_people() + ", rank " + std::to_string(rank) + ": " + std::to_string(calls) +
      " calls, " + std::to_string(repaired) + " of them repaired; datagrams dropped: " + std::to_string(strange) +
      " strange, " + std::to_string(early) + " too early, " + std::to_string(by_kernel) +
      " by the kernel, which had no room or knew them for strange ones");
}

Dying::Dying(MPI_Comm communicator) : outer_(std::exchange(dying, communicator)) {}

Dying::~Dying() { dying = outer_; }

bool Dying::is(MPI_Comm communicator) { return communicator == dying; }

}  // namespace trunkline::runtime
