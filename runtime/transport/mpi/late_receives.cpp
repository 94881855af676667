// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/late_receives.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

#include "transport/looks.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {

/// Without memory for the list it stays posted all the same, and its own memory is never given back.
void LateReceives::add(std::shared_ptr<void> memory, MPI_Request request) noexcept {
  drop_those_over();
  const std::scoped_lock lock(mutex_);
  try {
    late_.reserve(late_.size() + 1);  // nothing is moved where there is no room
    late_.push_back({.memory = std::move(memory), .request = request});
  } catch (const std::bad_alloc&) {
    static_cast<void>(new (std::nothrow) std::shared_ptr<void>(std::move(memory)));
    PMPI_Request_free(&request);
  }
}

/// Without the lock: within the library's progress calls that do not block go on, and may add some.
void LateReceives::drop_those_over() noexcept {
  std::vector<Late> seen;
  {
    const std::scoped_lock lock(mutex_);
    seen.swap(late_);
  }
  std::erase_if(seen, [](Late& one) {
    if (!may_be_tested(one.request)) return false;
    int over = 0;
    const int code = PMPI_Test(&one.request, &over, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS || over != 0;
  });
  if (seen.empty()) return;
  const std::scoped_lock lock(mutex_);
  if (late_.empty()) return seen.swap(late_);
  try {
    late_.insert(late_.end(), std::make_move_iterator(seen.begin()), std::make_move_iterator(seen.end()));
  } catch (const std::bad_alloc&) {
    static_cast<void>(new (std::nothrow) std::vector<Late>(std::move(seen)));  // they stay posted
  }
}

void LateReceives::end() noexcept {
  if constexpr (simulated) {  // where looks take no time, what they look for would never come
    for (Late& one : late_) PMPI_Wait(&one.request, MPI_STATUS_IGNORE);
    late_.clear();
  }
  while (!late_.empty()) {
    drop_those_over();
    std::this_thread::yield();
  }
}

}  // namespace trunkline::runtime
