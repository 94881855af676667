// SPDX-License-Identifier: Apache-2.0
#include "communicator/members.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reserve.hpp"
#include "shared_in_simulation.hpp"
#include "text/fnv.hpp"

namespace trunkline::runtime {
namespace {

/// Programs let many ranks be the root in turn. A root's plans take some kilobytes.
constexpr std::size_t most_roots = 1024;
/// So many of them keep the plans that were compared and not run yet: another size may be for one of those.
constexpr std::size_t most_compared_roots = 8;
/// Sets of processes kept for communicators to come.
constexpr std::size_t most_kept = 32;

/// Frees what MPI hands out, also where an error handler of the program leaves by an exception.
struct Group {
  MPI_Group handle = MPI_GROUP_NULL;
  Group() = default;
  ~Group() {
    if (handle != MPI_GROUP_NULL) PMPI_Group_free(&handle);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
};

/// The ranks in MPI_COMM_WORLD of all processes of a communicator; MPI_UNDEFINED for those that are outside. `ranks`:
/// 0, 1, ... as many.
int translate(MPI_Comm communicator, std::span<const int> ranks, std::span<int> in_world) {
  Group own;
  Group world;
  int code = PMPI_Comm_group(communicator, &own.handle);
  if (code == MPI_SUCCESS) code = PMPI_Comm_group(MPI_COMM_WORLD, &world.handle);
  if (code != MPI_SUCCESS) return code;
  return PMPI_Group_translate_ranks(own.handle, static_cast<int>(ranks.size()), ranks.data(), world.handle,
                                    in_world.data());
}

Placement placement_of(const std::vector<int>& in_world, const World& world) {
  Placement placement(in_world.size(), 0);
  if (world.placement != nullptr) {
    std::ranges::transform(in_world, placement.begin(),
                           [&](int rank) { return (*world.placement)[static_cast<std::size_t>(rank)]; });
  }
  return placement;
}

Processes processes_of(const std::vector<int>& in_world, const World& world, Rank rank) {
  const std::uint64_t digest =
      hash({reinterpret_cast<const char*>(in_world.data()), in_world.size() * sizeof in_world.front()});
  const auto named = [&](const char* what) {
    const std::uint64_t changed = world.first != nullptr ? world.knowledge.cluster->fingerprint() : 0;
    return what + std::to_string(digest) + " " + std::to_string(changed);
  };
  return {.world_ranks =
              shared_in_simulation<std::vector<int>>([&] { return named("world ranks "); }, [&] { return in_world; }),
          .placement = shared_in_simulation<Placement>([&] { return named("placement of "); },
                                                       [&] { return placement_of(in_world, world); }),
          .rank = rank,
          .digest = digest};
}

/// The last sets of processes that were asked for, the latest first.
struct Kept {
  std::mutex mutex;
  std::list<std::shared_ptr<Members>> members;
};

/// Never destroyed: programs may broadcast while static objects are.
Kept& kept() {
  static auto* const instance = with_reserve([] { return new Kept; });
  return *instance;
}

}  // namespace

Members::Found Members::of(MPI_Comm communicator, std::shared_ptr<const World> world, int rank, int ranks) {
  const auto numbered = [ranks] {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
  };
  const std::vector<int> own = with_reserve(numbered);
  std::vector<int> in_world = with_reserve(numbered);
  const int code = translate(communicator, own, in_world);
  if (code != MPI_SUCCESS) return {.code = code};
  if (std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end()) return {};
  return {.members = kept_ones(std::move(world), in_world, static_cast<Rank>(rank))};
}

std::shared_ptr<Members> Members::in(std::shared_ptr<const World> world, const Members& same) {
  auto members = kept_ones(std::move(world), *same.processes_.world_ranks, same.processes_.rank);
  if (same.are_out_of_reach()) members->have_been_out_of_reach();
  return members;
}

std::shared_ptr<Members> Members::kept_ones(std::shared_ptr<const World> world, const std::vector<int>& world_ranks,
                                            Rank rank) {
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  const auto is_same = [&](const auto& members) {
    return members->world_ == world && *members->processes_.world_ranks == world_ranks;
  };
  const auto known = std::ranges::find_if(all.members, is_same);
  if (known != all.members.end()) {
    all.members.splice(all.members.begin(), all.members, known);
  } else {
    with_reserve(
        [&] { all.members.push_front(std::make_shared<Members>(world, processes_of(world_ranks, *world, rank))); });
    if (all.members.size() > most_kept) all.members.pop_back();
  }
  return all.members.front();
}

void Members::forget() {
  const std::scoped_lock lock(kept().mutex);
  kept().members.clear();
}

std::shared_ptr<const LocalDecision> Members::decide(Collective collective, Rank root, std::uint64_t bytes,
                                                     OperandOrder order, const Wish& wish) {
  const std::scoped_lock lock(mutex_);
  return plans_of(collective, root).decide(bytes, order, wish);
}

std::vector<Arm> Members::arms(Collective collective, Rank root, std::uint64_t bytes, OperandOrder order,
                               const Arm& runs) {
  const std::scoped_lock lock(mutex_);
  return plans_of(collective, root).arms(bytes, order, runs);
}

std::uint64_t Members::placement_digest() {
  const std::scoped_lock lock(mutex_);
  if (!placement_digest_) {
    placement_digest_ = trunkline::placement_digest(*world_->knowledge.cluster, *processes_.placement);
  }
  return *placement_digest_;
}

double Members::telling_s(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  return plans_of(Collective::allreduce, 0).telling_s(bytes);
}

LocalPlans& Members::plans_of(Collective collective, Rank root) {
  const Key key{collective, root};
  if (plans_.empty() || plans_.front().key != key) bring_to_front(key);
  return plans_.front().plans;
}

void Members::bring_to_front(const Key& key) {
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    plans_.splice(plans_.begin(), plans_, known->second);
  } else {
    if (plans_.size() == most_roots) {
      by_key_.erase(plans_.back().key);
      plans_.pop_back();
    }
    std::list<Plans> made;
    made.push_front({key, LocalPlans(*world_, processes_, key.first, key.second)});
    by_key_.emplace(key, made.begin());
    plans_.splice(plans_.begin(), made);
  }
  if (plans_.size() > most_compared_roots) std::next(plans_.begin(), most_compared_roots)->plans.forget_unused();
}

}  // namespace trunkline::runtime
