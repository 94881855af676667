// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/late_receives.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "transport/watchdog.hpp"

namespace trunkline::runtime {

/// Without memory for the list it stays posted all the same, and its own memory is never given back.
void LateReceives::add(std::shared_ptr<void> memory, MPI_Request request) noexcept {
  const std::scoped_lock lock(mutex_);
  drop_those_over();
  try {
    late_.reserve(late_.size() + 1);  // nothing is moved where there is no room
    late_.push_back({.memory = std::move(memory), .request = request});
  } catch (const std::bad_alloc&) {
    static_cast<void>(new (std::nothrow) std::shared_ptr<void>(std::move(memory)));
    PMPI_Request_free(&request);
  }
}

void LateReceives::drop_those_over() {
  std::erase_if(late_, [](Late& one) {
    int over = 0;
    const int code = PMPI_Test(&one.request, &over, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS || over != 0;
  });
}

void LateReceives::end() noexcept {
  const std::scoped_lock lock(mutex_);
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
