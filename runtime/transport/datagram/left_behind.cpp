// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/left_behind.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace trunkline::runtime {
namespace {

struct Sets {
  std::mutex mutex;
  std::map<std::vector<int>, LeftBehind> by_ranks;
  std::size_t count = 0;  ///< groups that are left behind
  std::int64_t next_number = 0;
};

/// Never destroyed: programs may call MPI_Finalize while static objects are.
Sets& sets() {
  static auto* const instance = new Sets;
  return *instance;
}

}  // namespace

LeftBehind& LeftBehind::of(std::span<const int> ranks) {
  const std::scoped_lock lock(sets().mutex);
  return sets().by_ranks[{ranks.begin(), ranks.end()}];
}

std::size_t LeftBehind::count() {
  const std::scoped_lock lock(sets().mutex);
  return sets().count;
}

std::int64_t LeftBehind::new_number() {
  const std::scoped_lock lock(sets().mutex);
  return sets().next_number++;
}

std::vector<std::vector<int>> LeftBehind::sets_with_services() {
  const std::scoped_lock lock(sets().mutex);
  std::vector<std::vector<int>> all;
  for (const auto& [ranks, one] : sets().by_ranks) {
    if (one.has_service_) all.push_back(ranks);
  }
  return all;
}

void LeftBehind::forget_all() {
  const std::scoped_lock lock(sets().mutex);
  for (auto& [ranks, one] : sets().by_ranks) one = {};  // SMPI ends groups later, which still know it
  sets().count = 0;
}

void LeftBehind::opened(std::int64_t number) {
  const std::scoped_lock lock(sets().mutex);
  groups_.try_emplace(number);
}

void LeftBehind::has_service() noexcept {
  const std::scoped_lock lock(sets().mutex);
  has_service_ = true;
}

void LeftBehind::freed(std::int64_t number, std::unique_ptr<Repairs> repairs) noexcept {
  const std::scoped_lock lock(sets().mutex);
  const auto group = groups_.find(number);
  if (group == groups_.end()) return;
  if (repairs == nullptr) {
    groups_.erase(group);
    return;
  }
  group->second = {.is_live = false, .repairs = std::move(repairs)};
  ++sets().count;
}

std::int64_t LeftBehind::freed_before() const {
  const std::scoped_lock lock(sets().mutex);
  const auto live = std::ranges::find_if(groups_, [](const auto& one) { return one.second.is_live; });
  return live == groups_.end() ? std::numeric_limits<std::int64_t>::max() : live->first;
}

void LeftBehind::forget_before(std::int64_t number) noexcept {
  const std::scoped_lock lock(sets().mutex);
  sets().count -=
      std::erase_if(groups_, [number](const auto& one) { return !one.second.is_live && one.first < number; });
}

}  // namespace trunkline::runtime
