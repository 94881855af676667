// SPDX-License-Identifier: Apache-2.0
#include "startup/host_memory.hpp"

#include <array>
#include <string>

#include "model/transfer/memory_speeds.hpp"
#include "report.hpp"
#include "text/fnv.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {
namespace {

/// As far as is known before it is tried: without a placement by the name that the rank's host is given.
std::uint64_t host_of(const Setup& setup, const World& world, int rank) {
  if (world.placement != nullptr) return (*world.placement)[static_cast<std::size_t>(rank)];
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(PMPI_Get_processor_name(name.data(), &length));
  return hash(setup.host.empty() ? std::string(name.data(), static_cast<std::size_t>(length)) : setup.host);
}

}  // namespace

std::unique_ptr<HostMemory> open_host_memory(const Setup& setup, const World& world, const PrivateCommunicator& ours) {
  if (simulated || setup.host_memory == HostMemoryWish::none) return nullptr;
  int rank = 0;
  check(PMPI_Comm_rank(ours.communicator(), &rank));
  const MemorySpeeds& memory = *world.knowledge.hosts.memory;
  HostMemory::Opened opened = HostMemory::open(ours, {.host = host_of(setup, world, rank),
                                                      .may_read = setup.host_memory == HostMemoryWish::any,
                                                      .limits = {.slots_in_turn = memory.slots_in_turn,
                                                                 .read_from_bytes = memory.read_from_bytes,
                                                                 .slow_copy_byte_s = memory.slow_copy_byte_s}});
  const bool is_missed = world.by_arrival && opened.memory == nullptr;
  if (!opened.is_mine_to_say || !(world.explain || is_missed)) return std::move(opened.memory);
  const std::string reason = ", since rank " + std::to_string(rank) + " says: " + opened.why;
  if (opened.memory == nullptr) {
    say("ranks of one host exchange messages over MPI" + reason +
        (is_missed ? ". So they combine as plans say, and not as they come (TRUNKLINE_WITHIN_HOSTS)" : ""));
  } else if (opened.memory->reads()) {
    say("ranks of one host hand data on in memory");
  } else {
    say("ranks of one host hand data on in memory, and do not read from each other's own" + reason);
  }
  return std::move(opened.memory);
}

}  // namespace trunkline::runtime
