// SPDX-License-Identifier: Apache-2.0
#include "reserve.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "mpi_api.hpp"
#include "report.hpp"

namespace trunkline::runtime {
namespace {

// To decide a call and lay its plan took 430 KiB at 1024 ranks, 1.7 MiB at 4096. Nobody writes to the reserve, so it
// takes addresses alone.
constexpr std::size_t least_bytes = std::size_t{1} << 20;
constexpr std::size_t bytes_a_rank = 1024;

constinit std::atomic<std::size_t> wanted{0};
constinit std::atomic<void*> held{nullptr};

}  // namespace

void hold_reserve(std::size_t ranks) noexcept {
  wanted = least_bytes + ranks * bytes_a_rank;
  renew_reserve();
}

void renew_reserve() noexcept {
  if (held.load(std::memory_order_relaxed) != nullptr || wanted == 0) return;
  std::free(held.exchange(std::malloc(wanted)));
}

void release_reserve() noexcept { std::free(held.exchange(nullptr)); }

// Without strings, which take memory.
void end_for_want_of_memory() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr,
               "trunkline: rank %d has no memory left to find out what the other ranks run, which would wait for it\n",
               rank);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // launchers drop what they have not read by then
  PMPI_Abort(MPI_COMM_WORLD, usage_exit_status);
  std::_Exit(usage_exit_status);
}

}  // namespace trunkline::runtime
