// SPDX-License-Identifier: Apache-2.0
#include "communicator/owing.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "communicator/communicator.hpp"
#include "reserve.hpp"

namespace trunkline::runtime {

constinit std::atomic<bool> is_any_owing{false};

namespace {

struct Owing {
  std::mutex mutex;
  std::vector<MPI_Comm> communicators;

  [[nodiscard]] auto place_of(MPI_Comm one) { return std::ranges::find(communicators, one); }
  [[nodiscard]] bool has(MPI_Comm one) {
    const std::scoped_lock lock(mutex);
    return place_of(one) != communicators.end();
  }
};

/// Never destroyed: programs may call MPI while static objects are.
Owing& owing() {
  static auto* const instance = with_reserve([] { return new Owing; });
  return *instance;
}

}  // namespace

void begins_to_owe(MPI_Comm communicator) {
  Owing& all = owing();
  const std::scoped_lock lock(all.mutex);
  if (all.place_of(communicator) != all.communicators.end()) return;
  with_reserve([&] { all.communicators.push_back(communicator); });
  is_any_owing.store(true, std::memory_order_relaxed);
}

void owes_nothing(MPI_Comm communicator) {
  if (!is_any_owing.load(std::memory_order_relaxed)) return;
  Owing& all = owing();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.communicators, communicator);
  is_any_owing.store(!all.communicators.empty(), std::memory_order_relaxed);
}

int settle_owed(Collective collective, MPI_Comm communicator) {
  if (facts_of(collective).has_root || Dying::is(communicator) || !owing().has(communicator)) return MPI_SUCCESS;
  const Communicator::Found found = Communicator::known(communicator);
  if (found.code != MPI_SUCCESS) return found.code;
  const int code = found.state->settle();
  if (!found.state->owes()) owes_nothing(communicator);
  return code;
}

}  // namespace trunkline::runtime
