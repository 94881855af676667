// SPDX-License-Identifier: Apache-2.0
// runtime-memory CASE [WORD...]: messages through memory that ranks of one host share, without the preload library.
//   trials TURNS SEED RANKS_PER_HOST usual|tiny reads|copies: every algorithm for every collective that it serves, with
//     random lengths, segments, windows, elements (some have gaps), roots and late ranks; hosts of so many ranks each
//   arrivals TURNS SEED RANKS_PER_HOST usual|tiny reads|copies: allreduces along random trees, in which ranks of a host
//     combine as they come: several communicators in turn, several calls of each in a row, late ranks
//   late-rank tiny|usual reads|copies: one thread of rank 0 sends to a rank that waits for a message of MPI's, which
//     another thread sends once it has exchanged messages with a third rank
//   fork: children that are there while messages go, and that see nothing of the memory
//   short-files, told-not: one rank may make no memory, or may not read; what all make of it
//   locked: ranks that read from each other's memory, and then give up the right to
//   hold: shares memory and waits for ever
// Checks every byte; exit status 0 or 1. Linked with the library's executors.
#include <mpi.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/registry.hpp"
#include "kinds/trees/trees.hpp"
#include "network/file/cluster_file.hpp"
#include "transport/memory/memory_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "trial.hpp"

namespace trunkline::runtime {
namespace {

/// Long messages to one rank are read where they are of 1000 bytes, and come by pieces below.
constexpr MemoryLimits tiny{
    .inbox = 2, .slot_bytes = 128, .own_slots = 1, .common_slots = 1, .tickets = 2000, .read_from_bytes = 1000};

struct Job {
  int rank = 0;
  int ranks = 1;
  std::unique_ptr<PrivateCommunicator> ours = PrivateCommunicator::open();
  std::vector<int> members{};

  Job() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    members.resize(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
  }
};

std::unique_ptr<HostMemory> opened(const Job& job, int per_host, const std::string& room, const std::string& way) {
  MemoryWish wish{.host = static_cast<std::uint64_t>(job.rank / per_host), .may_read = way == "reads"};
  if (room == "tiny") wish.limits = tiny;
  HostMemory::Opened made = HostMemory::open(*job.ours, wish);
  if (made.memory == nullptr || made.memory->reads() != wish.may_read) {
    std::fprintf(stderr, "rank %d: host memory does not work as it should: %s\n", job.rank, made.why.c_str());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return std::move(made.memory);
}

/// How many calls went wrong on any rank.
int run_trials(int turns, unsigned seed, const Job& job, HostMemory& memory, int per_host) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts:\n  - {hosts: 'h[0-6]', switch: s0}\n  - {hosts: 'h[7-12]', switch: s1}\n"
      "links:\n  - {between: [s0, s1], latency: 5ms}\n",
      "two.yaml");
  const auto ranks = static_cast<Rank>(job.ranks);
  Placement placement(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    placement[rank] = rank / static_cast<Rank>(per_host) * 7 % static_cast<HostIndex>(cluster.hosts().size());
  }
  std::vector<testing::ElementKind> kinds = testing::element_kinds();
  std::mt19937 random(seed);
  int wrong = 0;
  std::uint64_t number = 0;
  for (int turn = 0; turn < turns; ++turn) {
    for (const Algorithm& one : algorithms()) {
      if (one.is_native() || one.kind->name == "multicast") continue;
      // The tags of turns that are far apart are the same.
      if (number % 16 == 0) MPI_Barrier(MPI_COMM_WORLD);
      testing::Trial trial = testing::random_trial(one.collective, ranks, static_cast<int>(number), random);
      trial.plan = lay(one.collective, one.name, &cluster, placement, trial.root);
      const auto part = local_part(trial.plan, static_cast<Rank>(job.rank), job.members);
      MpiTransport mpi(*job.ours, job.members, Ids::of_world, number, number, part->streams());
      MemoryTransport transport(memory, mpi, *job.ours, {.turn = number, .claim = number});
      testing::Runner runner(transport, trial, kinds[trial.kind], static_cast<Rank>(job.rank), *part);
      ++number;
      if (runner.run()) continue;
      ++wrong;
      std::fprintf(stderr, "rank %d: wrong result of %s by %s, %s\n", job.rank,
                   std::string(facts_of(one.collective).name).c_str(), std::string(one.name).c_str(),
                   text_of(trial).c_str());
    }
  }
  testing::release(kinds);
  return wrong;
}

/// Each rank in turn below one that is there already.
Tree random_tree(Rank ranks, std::mt19937& random) {
  std::vector<Rank> order(ranks);
  std::iota(order.begin(), order.end(), Rank{0});
  std::ranges::shuffle(order, random);
  Tree tree = root_alone(ranks, order.front());
  for (Rank i = 1; i < ranks; ++i) add_child(tree, order[testing::below(random, i)], order[i]);
  return tree;
}

/// How many calls went wrong on any rank. Calls of four communicators follow each other in any order.
int run_arrivals(int turns, unsigned seed, const Job& job, HostMemory& memory, int per_host) {
  const auto ranks = static_cast<Rank>(job.ranks);
  std::vector<testing::ElementKind> kinds = testing::element_kinds();
  std::mt19937 random(seed);
  std::vector<std::uint64_t> turn_of(4, 0);
  int wrong = 0;
  int met = 0;
  for (int number = 0; number < turns; ++number) {
    testing::Trial trial = testing::random_trial(Collective::allreduce, ranks, number, random);
    trial.segment = std::uint64_t{1} << 16;
    constexpr MPI_Count lengths[] = {1, 5, 18, 300, 3000};
    trial.shares = {lengths[testing::below(random, std::size(lengths))]};
    trial.plan = plan_of({random_tree(ranks, random)});
    const bool is_dealt = testing::below(random, 2) == 0;
    Placement hosts(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) hosts[rank] = rank / static_cast<Rank>(per_host);
    std::vector<int> members = job.members;
    if (is_dealt) {
      std::ranges::shuffle(members, random);
      for (Rank rank = 0; rank < ranks; ++rank) hosts[rank] = static_cast<HostIndex>(members[rank] / per_host);
    }
    const auto own = static_cast<Rank>(std::ranges::find(members, job.rank) - members.begin());
    // The order in which ranks come: each sleeps longer than the one before it, now and then.
    std::vector<Rank> order(ranks);
    std::iota(order.begin(), order.end(), Rank{0});
    std::ranges::shuffle(order, random);
    if (testing::below(random, 3) == 0) {
      usleep(static_cast<useconds_t>(300 * (std::ranges::find(order, own) - order.begin())));
    }
    const unsigned communicator = static_cast<unsigned>(testing::below(random, turn_of.size()));
    const std::uint64_t turn = turn_of[communicator]++;
    if (number % 16 == 0) MPI_Barrier(MPI_COMM_WORLD);  // tags of turns that are far apart are the same
    const auto part = local_part(trial.plan, own, members, hosts);
    MpiTransport mpi(*job.ours, members, communicator, turn, turn, part->streams() + streams_of_sums);
    MemoryTransport transport(memory, mpi, *job.ours, {.communicator = communicator, .turn = turn, .claim = turn});
    testing::Runner runner(transport, trial, kinds[trial.kind], own, *part, true);
    if (transport.shelf() != nullptr || memory.is_alone()) ++met;
    if (runner.run()) continue;
    ++wrong;
    std::fprintf(stderr, "rank %d: wrong result by arrival, %s\n", job.rank, text_of(trial).c_str());
  }
  testing::release(kinds);
  return met == turns ? wrong : wrong + 1;
}

/// A call's messages between two ranks, one after another or all at once.
class Messages {
 public:
  Messages(Job& job, HostMemory& memory, unsigned communicator)
      : mpi_(*job.ours, job.members, communicator, 0, 0, 1),
        transport_(memory, mpi_, *job.ours, {communicator, 0, 0}) {}

  void send(int to, int count) {
    std::vector<Pending> pending(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      transport_.send(data_.data(), length(i), to, 0, false, pending[static_cast<std::size_t>(i)]);
    }
    transport_.wait_all(pending);
  }

  void receive(int from, int count) {
    for (int i = 0; i < count; ++i) {
      Pending pending;
      Pending* const one = &pending;
      transport_.receive(data_.data(), length(i), from, 0, pending);
      if (!pending.is_none()) static_cast<void>(transport_.wait_any({&one, 1}, true));
    }
  }

 private:
  static int length(int i) { return i % 5 == 0 ? 3000 : 100; }

  MpiTransport mpi_;
  MemoryTransport transport_;
  std::vector<std::byte> data_ = std::vector<std::byte>(3000);
};

void late_rank(Job& job, HostMemory& memory) {
  constexpr int many = 200;
  constexpr int go = 0;
  if (job.rank == 0) {
    std::thread other([&] {
      Messages messages(job, memory, 2);
      for (int i = 0; i < many; ++i) {
        messages.send(2, 1);
        messages.receive(2, 1);
      }
      MPI_Send(&many, 1, MPI_INT, 1, go, MPI_COMM_WORLD);
    });
    Messages(job, memory, 1).send(1, many);
    other.join();
  } else if (job.rank == 1) {
    int told = 0;
    MPI_Recv(&told, 1, MPI_INT, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Messages(job, memory, 1).receive(0, told);
  } else if (job.rank == 2) {
    Messages messages(job, memory, 2);
    for (int i = 0; i < many; ++i) {
      messages.receive(0, 1);
      messages.send(0, 1);
    }
  }
}

bool maps_memory() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:trunkline") != std::string::npos) return true;
  }
  return false;
}

/// How much went wrong.
int with_children(const Job& job) {
  const auto memory = opened(job, job.ranks, "usual", "reads");
  const pid_t child = fork();
  if (child == 0) {
    usleep(200000);
    _exit(maps_memory() ? 1 : 0);
  }
  int wrong = maps_memory() ? 0 : 1;
  wrong += run_trials(1, 3, job, *memory, job.ranks);
  int status = 0;
  waitpid(child, &status, 0);
  return wrong + (status == 0 ? 0 : 1);
}

/// How much went wrong. `word`: what one rank lacks.
int with_one_that_cannot(const Job& job, const std::string& word) {
  MemoryWish wish{.host = 0, .may_read = word != "told-not" || job.rank != 1};
  const rlimit short_files{1000, RLIM_INFINITY};
  if (word == "short-files" && job.rank == 1) setrlimit(RLIMIT_FSIZE, &short_files);
  const HostMemory::Opened made = HostMemory::open(*job.ours, wish);
  const bool is_right =
      word == "short-files" ? made.memory == nullptr : made.memory != nullptr && !made.memory->reads();
  int told = made.is_mine_to_say && !made.why.empty() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return is_right && told == 1 ? 0 : 1;
}

/// How much went wrong. Programs drop what they may do, or keep what they hold from others, once they have started.
int with_rights_given_up(const Job& job) {
  const auto memory = opened(job, job.ranks, "usual", "reads");
  int wrong = run_trials(1, 7, job, *memory, job.ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  constexpr unsigned nobody = 65534;
  const bool is_root = geteuid() == 0;
  if (is_root && setresuid(nobody, nobody, nobody) != 0) ++wrong;
  if (prctl(PR_SET_DUMPABLE, 0) != 0) ++wrong;
  MPI_Barrier(MPI_COMM_WORLD);
  wrong += run_trials(2, 8, job, *memory, job.ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  return wrong;
}

int run(const std::vector<std::string>& words) {
  Job job;
  int wrong = 0;
  if (words[0] == "trials" && words.size() == 6) {
    const int per_host = std::stoi(words[3]);
    const auto memory = opened(job, per_host, words[4], words[5]);
    wrong = run_trials(std::stoi(words[1]), static_cast<unsigned>(std::stoi(words[2])), job, *memory, per_host);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (words[0] == "arrivals" && words.size() == 6) {
    const int per_host = std::stoi(words[3]);
    const auto memory = opened(job, per_host, words[4], words[5]);
    wrong = run_arrivals(std::stoi(words[1]), static_cast<unsigned>(std::stoi(words[2])), job, *memory, per_host);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (words[0] == "late-rank" && words.size() == 3) {
    const auto memory = opened(job, job.ranks, words[1], words[2]);
    late_rank(job, *memory);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (words[0] == "fork") {
    wrong = with_children(job);
  } else if (words[0] == "locked") {
    wrong = with_rights_given_up(job);
  } else if (words[0] == "short-files" || words[0] == "told-not") {
    wrong = with_one_that_cannot(job, words[0]);
  } else if (words[0] == "hold") {
    const auto memory = opened(job, job.ranks, "usual", "reads");
    run_trials(1, 5, job, *memory, job.ranks);
    std::printf("holding %d\n", static_cast<int>(getpid()));
    std::fflush(stdout);
    while (true) pause();
  } else {
    return 2;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  const bool is_threaded = argc > 1 && std::strcmp(argv[1], "late-rank") == 0;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  const int wrong = argc > 1 ? trunkline::runtime::run({argv + 1, argv + argc}) : 2;
  if (wrong == 0) std::printf("fine\n");
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
