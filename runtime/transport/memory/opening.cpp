// SPDX-License-Identifier: Apache-2.0
// How the ranks of a host come to share memory: each makes its own, tells all others where it is, and maps theirs. A
// number that nobody guesses proves whose it is: what has the same name may be in another container.
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {

/// Of one rank, for all others.
struct HostMemory::Card {
  std::uint64_t host;
  MemoryToken token;
  std::uint64_t place;   ///< of the token in its memory
  std::int64_t process;  ///< 0: it could make no memory
  std::int32_t file;
  std::int32_t may_read;
};

namespace {

/// The lowest rank for which something does not work; INT_MAX: it works everywhere.
struct Failing {
  int sharing;
  int reading;
};

/// Collective. `own`: why it does not work here.
Failing agree_on_failures(MPI_Comm communicator, int rank, bool shares, bool reads) {
  const int own[2] = {shares ? INT_MAX : rank, reads ? INT_MAX : rank};
  int all[2] = {};
  check(PMPI_Allreduce(own, all, 2, MPI_INT, MPI_MIN, communicator));
  return {.sharing = all[0], .reading = all[1]};
}

std::string because(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

MemoryHost host_among(std::span<const std::uint64_t> hosts, std::span<const std::int64_t> processes, int rank) {
  MemoryHost host{.all_ranks = hosts.size()};
  for (std::size_t other = 0; other < hosts.size(); ++other) {
    if (hosts[other] != hosts[static_cast<std::size_t>(rank)]) continue;
    if (static_cast<int>(other) == rank) host.own = static_cast<std::uint32_t>(host.ranks.size());
    host.ranks.push_back(static_cast<int>(other));
    host.processes.push_back(static_cast<long>(processes[other]));
  }
  return host;
}

}  // namespace

/// Why this rank cannot; empty: it can.
std::string HostMemory::map_all(std::span<const Card> cards) {
  if (peers_.size() > SharedSegment::most_peers) {
    return "its host has more than " + std::to_string(SharedSegment::most_peers) + " ranks";
  }
  const auto peers = static_cast<std::uint32_t>(peers_.size());
  const std::size_t bytes = SharedSegment::bytes(limits_, peers);
  if (!Mapping::may_map(peers * bytes)) {
    return "the memory of all ranks of its host is more than a fourth of its limit of address space (ulimit -v)";
  }
  for (Peer& peer : peers_) {
    const Card& card = cards[static_cast<std::size_t>(peer.rank)];
    const std::string whose = "the memory of rank " + std::to_string(peer.rank);
    if (card.process == 0) return "rank " + std::to_string(peer.rank) + " could make none";
    const MemoryFile file = MemoryFile::of_process(peer.process, card.file);
    if (!file.is_open()) return because(("it cannot open " + whose).c_str());
    MemoryToken found{};
    if (!file.read(found.data(), sizeof found) || found != card.token) {
      return "what it finds for " + whose + " is another process's: they do not see the same processes";
    }
    peer.mapping = Mapping(file, bytes);
    if (peer.mapping.at() == nullptr) return because(("it cannot map " + whose).c_str());
    attach(static_cast<std::uint32_t>(&peer - peers_.data()), SharedSegment(peer.mapping.at(), limits_, peers));
  }
  return {};
}

/// So too.
std::string HostMemory::try_reading(std::span<const Card> cards) const {
  for (const Peer& peer : peers_) {
    const Card& card = cards[static_cast<std::size_t>(peer.rank)];
    if (card.may_read == 0) return "it was told not to";
    MemoryToken found{};
    const iovec here{.iov_base = found.data(), .iov_len = sizeof found};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
    const iovec there{.iov_base = reinterpret_cast<void*>(card.place), .iov_len = sizeof found};
    if (process_vm_readv(static_cast<pid_t>(peer.process), &here, 1, &there, 1, 0) != sizeof found) {
      return because(("it cannot read from the memory of rank " + std::to_string(peer.rank)).c_str());
    }
    if (found != card.token) return "what it reads from rank " + std::to_string(peer.rank) + " is not that rank's";
  }
  return {};
}

HostMemory::Opened HostMemory::open(const PrivateCommunicator& ours, const MemoryWish& wish) {
  const MPI_Comm communicator = ours.communicator();
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(communicator, &rank));
  check(PMPI_Comm_size(communicator, &ranks));
  const MemoryLimits& limits = wish.limits;
  // How many ranks the host has is not known yet: there is room for all, and what nobody writes takes no memory.
  const auto most = static_cast<std::uint32_t>(std::min(ranks, static_cast<int>(SharedSegment::most_peers)));
  const MemoryFile own = MemoryFile::make(SharedSegment::bytes(limits, most));
  MemoryToken token{};
  const bool is_made = own.is_open() && getrandom(token.data(), sizeof token, 0) == sizeof token &&
                       own.write(token.data(), sizeof token);
  const Card mine{.host = wish.host,
                  .token = token,
                  .place = reinterpret_cast<std::uintptr_t>(token.data()),
                  .process = is_made ? getpid() : 0,
                  .file = own.number(),
                  .may_read = wish.may_read ? 1 : 0};
  std::vector<Card> cards(static_cast<std::size_t>(ranks));
  constexpr int bytes = static_cast<int>(sizeof(Card));
  check(PMPI_Allgather(&mine, bytes, MPI_BYTE, cards.data(), bytes, MPI_BYTE, communicator));

  Opened opened;
  std::vector<std::uint64_t> hosts;
  std::vector<std::int64_t> processes;
  for (const Card& card : cards) {
    hosts.push_back(card.host);
    processes.push_back(card.process);
  }
  MemoryHost host = host_among(hosts, processes, rank);
  host.machine = wish.machine;
  host.alone = ours.alone();
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Query_thread(&level));
  host.is_threaded = level == MPI_THREAD_MULTIPLE;
  std::ranges::sort(hosts);
  if (std::ranges::adjacent_find(hosts) == hosts.end()) return opened;  // none has several ranks

  auto made = std::make_unique<HostMemory>(limits, host);
  const std::string no_sharing = made->is_alone() ? "" : made->map_all(cards);
  const std::string no_reading = made->is_alone() ? "" : no_sharing.empty() ? made->try_reading(cards) : no_sharing;
  // Until the others have read from here the token must stay; so must the file until they have mapped it.
  const Failing failing = agree_on_failures(communicator, rank, no_sharing.empty(), no_reading.empty());
  if (failing.sharing != INT_MAX) {
    opened.is_mine_to_say = failing.sharing == rank;
    opened.why = no_sharing;
    return opened;
  }
  const double own_s = made->time_handing_over();
  check(PMPI_Allreduce(&own_s, &made->handing_over_s_, 1, MPI_DOUBLE, MPI_MAX, communicator));
  made->free_first_slot();
  made->reads_ = failing.reading == INT_MAX;
  opened.is_mine_to_say = made->reads_ ? rank == 0 : failing.reading == rank;
  opened.why = no_reading;
  opened.memory = std::move(made);
  return opened;
}

}  // namespace trunkline::runtime
