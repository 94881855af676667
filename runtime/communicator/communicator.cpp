// SPDX-License-Identifier: Apache-2.0
#include "communicator/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <vector>

#include "report.hpp"

namespace trunkline::runtime {
namespace {

/// A root's plans take some kilobytes.
constexpr std::size_t most_roots = 1024;
/// Of MPICH's 2048 communicators.
constexpr int most_internal = 512;

std::atomic<int> internal_count{0};

/// The communicators that have a state, so that MPI_Finalize leaves none behind.
struct Registry {
  std::mutex mutex;
  std::vector<MPI_Comm> users;
};

/// Never destroyed: programs may call MPI_Finalize while static objects are.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

int free_state(MPI_Comm user, int, void* state, void*) {
  Registry& known = registry();
  {
    const std::scoped_lock lock(known.mutex);
    std::erase(known.users, user);
  }
  delete static_cast<Communicator*>(state);
  return MPI_SUCCESS;
}

int keyval() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_state, &made, nullptr));
    return made;
  }();
  return key;
}

/// Host of each rank; null where a process is outside MPI_COMM_WORLD.
std::shared_ptr<const Placement> placement_of(MPI_Comm user, const World& world, int ranks) {
  int relation = MPI_UNEQUAL;
  check(PMPI_Comm_compare(user, MPI_COMM_WORLD, &relation));
  const bool same_as_world = relation == MPI_IDENT || relation == MPI_CONGRUENT;
  if (same_as_world && world.placement) return world.placement;

  const auto size = static_cast<std::size_t>(ranks);
  std::vector<int> own(size);
  std::vector<int> in_world(size);
  std::iota(own.begin(), own.end(), 0);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world_group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(user, &group));
  check(PMPI_Comm_group(MPI_COMM_WORLD, &world_group));
  check(PMPI_Group_translate_ranks(group, ranks, own.data(), world_group, in_world.data()));
  check(PMPI_Group_free(&group));
  check(PMPI_Group_free(&world_group));
  if (std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end()) return nullptr;

  Placement placement(size, 0);
  if (world.placement) {
    std::ranges::transform(in_world, placement.begin(),
                           [&](int rank) { return (*world.placement)[static_cast<std::size_t>(rank)]; });
  }
  return std::make_shared<const Placement>(std::move(placement));
}

}  // namespace

Communicator& Communicator::of(MPI_Comm communicator, const World& world, int rank, int ranks) {
  void* state = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(communicator, keyval(), static_cast<void*>(&state), &found));
  if (found != 0) return *static_cast<Communicator*>(state);
  auto made = std::unique_ptr<Communicator>(new Communicator(communicator, world, rank, ranks));
  Registry& known = registry();
  const std::scoped_lock lock(known.mutex);
  known.users.push_back(communicator);
  const int code = PMPI_Comm_set_attr(communicator, keyval(), made.get());
  if (code != MPI_SUCCESS) known.users.pop_back();
  check(code);
  return *made.release();
}

void Communicator::free_all() {
  Registry& known = registry();
  std::vector<MPI_Comm> users;
  {
    const std::scoped_lock lock(known.mutex);
    users = known.users;
  }
  for (const MPI_Comm user : users) PMPI_Comm_delete_attr(user, keyval());
}

Communicator::Communicator(MPI_Comm user, const World& world, int rank, int ranks)
    : user_(user), world_(world), rank_(static_cast<Rank>(rank)), placement_(placement_of(user, world, ranks)) {}

Communicator::~Communicator() {
  if (internal_ == MPI_COMM_NULL) return;
  PMPI_Comm_free(&internal_);
  --internal_count;
}

RootPlans& Communicator::plans(int root) {
  const auto key = static_cast<Rank>(root);
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  if (plans_.size() == most_roots) plans_.clear();
  return plans_.try_emplace(key, world_, placement_, rank_, key).first->second;
}

MPI_Comm Communicator::internal() {
  if (internal_ != MPI_COMM_NULL || no_internal_) return internal_;
  // How many there are may differ from rank to rank.
  const int own_room = internal_count < most_internal ? 1 : 0;
  int room = 0;
  check(PMPI_Allreduce(&own_room, &room, 1, MPI_INT, MPI_MIN, user_));
  no_internal_ = room == 0 || !create_internal();
  if (no_internal_) {
    static std::once_flag said;
    if (rank_ == 0) {
      std::call_once(said, [] {
        warn(
            "the program has so many communicators that broadcasts on further ones are native; those on the first "
            "ones are not");
      });
    }
    return MPI_COMM_NULL;
  }
  ++internal_count;
  check(PMPI_Comm_set_errhandler(internal_, MPI_ERRORS_RETURN));
  check(PMPI_Comm_set_name(internal_, "trunkline"));
  return internal_;
}

/// Unlike MPI_Comm_dup this copies no attributes: callbacks of the user's stay out of it. That there are no
/// communicators left is none of the user's error handler's business: the broadcast works without.
bool Communicator::create_internal() {
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(user_, &group));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  check(PMPI_Comm_get_errhandler(user_, &handler));
  PMPI_Comm_set_errhandler(user_, MPI_ERRORS_RETURN);
  const int code = PMPI_Comm_create(user_, group, &internal_);
  PMPI_Comm_set_errhandler(user_, handler);
  PMPI_Errhandler_free(&handler);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) internal_ = MPI_COMM_NULL;
  return code == MPI_SUCCESS;
}

}  // namespace trunkline::runtime
