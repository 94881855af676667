// SPDX-License-Identifier: Apache-2.0
#include "startup/host_memory.hpp"

#include <array>
#include <string>
#include <vector>

#include "model/transfer/memory_speeds.hpp"
#include "report.hpp"
#include "text/fnv.hpp"
#include "transport/watchdog.hpp"
#include "transport/yields.hpp"

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

Machine find_machine(const World& world, const PrivateCommunicator& ours) {
  if (simulated) return {};
  int ranks = 0;
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Comm_size(ours.communicator(), &ranks));
  check(PMPI_Query_thread(&level));
  const OnMachine own = own_machine();
  std::vector<OnMachine> all(static_cast<std::size_t>(ranks));
  constexpr int bytes = static_cast<int>(sizeof own);
  check(PMPI_Allgather(&own, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, ours.communicator()));
  Machine machine = machine_of(all, own);
  machine.is_crowded = machine.is_crowded || world.knowledge.hosts.share_processors();  // as a lab's hosts do
  if (machine.is_crowded) {
    share_processors(Processors::shared);
  } else if (level != MPI_THREAD_MULTIPLE) {  // else other threads of a rank may need its processor
    share_processors(Processors::enough);
  }
  return machine;
}

std::unique_ptr<HostMemory> open_host_memory(const Setup& setup, const World& world, const PrivateCommunicator& ours,
                                             const Machine& machine) {
  if (simulated || setup.host_memory == HostMemoryWish::none) return nullptr;
  int rank = 0;
  check(PMPI_Comm_rank(ours.communicator(), &rank));
  const MemorySpeeds& memory = *world.knowledge.hosts.memory;
  HostMemory::Opened opened = HostMemory::open(ours, {.host = host_of(setup, world, rank),
                                                      .may_read = setup.host_memory == HostMemoryWish::any,
                                                      .machine = machine,
                                                      .limits = {.slots_in_turn = memory.slots_in_turn,
                                                                 .read_from_bytes = memory.read_from_bytes,
                                                                 .slow_copy_byte_s = memory.slow_copy_byte_s}});
  const bool is_missed = world.by_arrival && opened.memory == nullptr;
  if (!opened.is_mine_to_say || !(world.explain || is_missed)) return std::move(opened.memory);
  const std::string reason = ", since rank " + std::to_string(rank) + " says: " + opened.why;
  if (opened.memory == nullptr) {
    say("host-memory",
        "ranks of one host exchange messages over MPI" + reason +
            (is_missed ? ". So they combine as plans say, and not as they come (TRUNKLINE_WITHIN_HOSTS)" : ""),
        JsonFields().add("way", "mpi").add("reason", opened.why));
  } else if (opened.memory->reads()) {
    say("host-memory", "ranks of one host hand data on in memory", JsonFields().add("way", "read"));
  } else {
    say("host-memory", "ranks of one host hand data on in memory, and do not read from each other's own" + reason,
        JsonFields().add("way", "copied").add("reason", opened.why));
  }
  return std::move(opened.memory);
}

}  // namespace trunkline::runtime
