// SPDX-License-Identifier: Apache-2.0
#include "communicator/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "communicator/following.hpp"
#include "communicator/learning.hpp"
#include "communicator/owing.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "startup/changed_cluster.hpp"
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

}  // namespace

int Communicator::free_state(MPI_Comm user, int, void* state, void*) {
  auto* const own = static_cast<Communicator*>(state);
  own->end_meetings();
  registry().remove(user);
  owes_nothing(user);
  delete own;
  return MPI_SUCCESS;
}

Communicator::Found Communicator::known(MPI_Comm communicator) {
  void* state = nullptr;
  int found = 0;
  const int code = PMPI_Comm_get_attr(communicator, keyval(), static_cast<void*>(&state), &found);
  return {.code = code, .state = code == MPI_SUCCESS && found != 0 ? static_cast<Communicator*>(state) : nullptr};
}

Communicator::Found Communicator::of(MPI_Comm communicator, const World& world, PrivateCommunicator& ours, int rank,
                                     int ranks) {
  const Found kept = known(communicator);
  if (kept.code != MPI_SUCCESS || kept.state != nullptr) return kept;
  Members::Found members = Members::of(communicator, lasting(world), rank, ranks);
  if (members.code != MPI_SUCCESS) return {.code = members.code};
  Communicator* const made = with_reserve([&] {
    std::unique_ptr<Communicator> own(new Communicator(communicator, ours, members.members, world));
    registry().add(communicator);
    return own.release();
  });
  const int code = PMPI_Comm_set_attr(communicator, keyval(), made);
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
  if (user == MPI_COMM_WORLD) number_ = std::make_shared<NumberInUse>(ours.ids(), Ids::of_world);
}

/// The number goes last: the groups' datagrams bear it.
Communicator::~Communicator() {
  groupings_.clear();
  if (number_ != nullptr) number_->communicator_is_freed();
  for (const auto& one : numbers_apart_) {
    if (const auto number = one.lock()) number->communicator_is_freed();
  }
}

Communicator::Numbered Communicator::agree_on_number() {
  const Ids::Agreed agreed = ours_.ids().agree(user_, static_cast<int>(members_->processes().rank));
  if (agreed.code != MPI_SUCCESS) return {.code = agreed.code};
  if (agreed.busy) return {};  // this call is native; the next one tries again
  if (agreed.id)
    return {.number = with_reserve([&] { return std::make_shared<NumberInUse>(ours_.ids(), *agreed.id); })};
  static std::once_flag said;
  if (members_->processes().rank == 0) {
    std::call_once(said, [this] {
      warn("the program has more than " + std::to_string(ours_.tags().ids()) +
           " communicators and persistent collectives with plans: further ones are native");
    });
  }
  return {.is_last = true};
}

Communicator::Numbered Communicator::number() {
  if (number_ != nullptr || no_number_) return {.number = number_};
  Numbered agreed = agree_on_number();
  number_ = agreed.number;
  no_number_ = agreed.is_last;
  return agreed;
}

Communicator::Numbered Communicator::number_apart() {
  Numbered agreed = agree_on_number();
  std::erase_if(numbers_apart_, [](const auto& one) { return one.expired(); });
  if (agreed.number != nullptr) with_reserve([&] { numbers_apart_.push_back(agreed.number); });
  return agreed;
}

bool Communicator::pays_for_its_number(const LocalDecision& decision) {
  if (number_ != nullptr || no_number_) return true;
  lost_s_ += decision.saved_natively_s;
  return lost_s_ >= decision.numbering_s;
}

bool Communicator::owes() const noexcept {
  const bool misses_number = misses_number_ && number_ == nullptr && !no_number_;
  return misses_number || (lengths_ && lengths_->is_owed()) ||
         std::ranges::any_of(groupings_, [](const auto& one) { return one.second->is_due(); });
}

int Communicator::settle() {
  int code = MPI_SUCCESS;
  if (misses_number_) code = number().code;
  if (code == MPI_SUCCESS && lengths_ && lengths_->is_owed()) {
    code = lengths_->settle(user_, static_cast<int>(members_->processes().world_ranks->size()));
  }
  for (const auto& [group_of, grouping] : groupings_) {
    if (code == MPI_SUCCESS && grouping->is_due()) code = grouping->open_for_started().code;
  }
  return code;
}

Grouping& Communicator::grouping(std::span<const Rank> group_of) {
  return *with_reserve([&] {
    std::unique_ptr<Grouping>& known = groupings_[{group_of.begin(), group_of.end()}];
    if (known == nullptr) known = std::make_unique<Grouping>(user_, ours_, members_, group_of, way_, explain_);
    return known.get();
  });
}

Learning& Communicator::learning() {
  if (learning_ == nullptr) {
    const Processes& processes = members_->processes();
    const bool says = explain_ && processes.rank == 0;
    learning_ = with_reserve([&] {
      const World& world = members_->world();
      Learning::Earlier earlier{.learned = world.learned, .is_alone = world.learn == Learn::only_known};
      if (earlier.learned != nullptr) {
        earlier.ranks = static_cast<std::uint32_t>(processes.world_ranks->size());
        earlier.placement = members_->placement_digest();
      }
      return std::make_unique<Learning>(says, members_->telling_s(Learning::usual_meeting_bytes), std::move(earlier));
    });
  }
  return *learning_;
}

AgreedLengths& Communicator::lengths() {
  if (!lengths_) {
    constexpr double unknown_s = 1.0;  // where no cluster is: longer than any
    const bool is_known = bool{members_->world().knowledge.cluster};
    lengths_.emplace(is_known ? with_reserve([&] { return members_->telling_s(AgreedLengths::bytes); }) : unknown_s);
  }
  return *lengths_;
}

std::string Communicator::name_for_people() const {
  return "a communicator of " + std::to_string(members_->processes().world_ranks->size()) + " ranks";
}

Dying::Dying(MPI_Comm communicator) : outer_(std::exchange(dying, communicator)) {}

Dying::~Dying() { dying = outer_; }

bool Dying::is(MPI_Comm communicator) { return communicator == dying; }

}  // namespace trunkline::runtime
