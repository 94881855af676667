// SPDX-License-Identifier: Apache-2.0
#include "communicator/communicator.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <vector>

namespace trunkline::runtime {
namespace {

constexpr std::size_t most_roots = 8;

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
  if (internal_ != MPI_COMM_NULL) PMPI_Comm_free(&internal_);
}

RootPlans& Communicator::plans(int root) {
  const auto known = std::ranges::find(plans_, static_cast<Rank>(root), &RootPlans::root);
  if (known != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, known);
  } else {
    if (plans_.size() == most_roots) plans_.pop_back();
    plans_.emplace_front(world_, placement_, rank_, static_cast<Rank>(root));
  }
  return plans_.front();
}

MPI_Comm Communicator::internal() {
  if (internal_ != MPI_COMM_NULL) return internal_;
  // Unlike MPI_Comm_dup this copies no attributes: callbacks of the user's stay out of it.
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(user_, &group));
  const int code = PMPI_Comm_create(user_, group, &internal_);
  PMPI_Group_free(&group);
  check(code);
  check(PMPI_Comm_set_errhandler(internal_, MPI_ERRORS_RETURN));
  check(PMPI_Comm_set_name(internal_, "trunkline"));
  return internal_;
}

}  // namespace trunkline::runtime
