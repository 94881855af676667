// SPDX-License-Identifier: Apache-2.0
// runtime-mixed CALLS SEED THREADS CHOICE...: all collectives of the table below in one program, of mixed sizes, roots
// and communicators, some ranks late now and then, under the choices by turns (as for trunkline_set; a collective that
// has no such algorithm keeps what it has). Each thread has communicators of its own. Checks every element. Rank 0
// prints, for each collective that the library knows, COLLECTIVE ACCELERATED CALLS of its first thread; exit status 0
// or 1.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int batch = 100;
/// Elements of 8 bytes: within one frame, at its edge, several segments, many.
constexpr std::array sizes{1, 3, 75, 181, 250, 500, 1125, 4000, 20000};

int world_rank = 0;
int world_ranks = 1;
std::atomic<long> wrong_calls = 0;

/// One call: where it runs, what it is given and what it must give. All values fit the sums of all ranks.
struct Call {
  MPI_Comm communicator;
  int rank;
  int ranks;
  int root;
  int count;  ///< elements; of a rank's share where there are shares
  long serial;
  std::vector<long long> from{};
  std::vector<long long> to{};

  [[nodiscard]] long long value(int i) const { return (i * 31LL + (i >> 7) + serial * 7) % 65521 + 1; }
  /// What a rank puts in; all ranks' sum of it.
  [[nodiscard]] long long given(int who, int i) const { return value(i) * (1 + who * 3LL); }
  [[nodiscard]] long long sum(int i) const { return sum_below(ranks, i); }
  [[nodiscard]] long long sum_below(int who, int i) const { return value(i) * (who + 3LL * who * (who - 1) / 2); }

  void fill(int elements) {
    from.resize(static_cast<std::size_t>(elements));
    for (int i = 0; i < elements; ++i) from[static_cast<std::size_t>(i)] = given(rank, i);
  }
  template <class Expected>
  [[nodiscard]] bool is(int elements, const Expected& expected) const {
    for (int i = 0; i < elements; ++i) {
      if (to[static_cast<std::size_t>(i)] != expected(i)) return false;
    }
    return true;
  }
};

bool bcast(Call& call) {
  call.to.assign(static_cast<std::size_t>(call.count), -1);
  for (int i = 0; i < call.count && call.rank == call.root; ++i) call.to[static_cast<std::size_t>(i)] = call.value(i);
  MPI_Bcast(call.to.data(), call.count, MPI_LONG_LONG, call.root, call.communicator);
  return call.is(call.count, [&](int i) { return call.value(i); });
}

bool reduce(Call& call) {
  const bool root = call.rank == call.root;
  // From other roots MPICH 4.0.2 itself fails in place, at MPI_IN_PLACE as an address.
  const bool in_place = call.serial % 3 == 0 && call.root == 0;
  call.fill(call.count);
  call.to = call.from;
  const void* const operand = root && in_place ? MPI_IN_PLACE : call.from.data();
  MPI_Reduce(operand, root ? call.to.data() : nullptr, call.count, MPI_LONG_LONG, MPI_SUM, call.root,
             call.communicator);
  return !root || call.is(call.count, [&](int i) { return call.sum(i); });
}

bool allreduce(Call& call) {
  const bool in_place = call.serial % 3 == 0;
  call.fill(call.count);
  call.to = call.from;
  MPI_Allreduce(in_place ? MPI_IN_PLACE : call.from.data(), call.to.data(), call.count, MPI_LONG_LONG, MPI_SUM,
                call.communicator);
  return call.is(call.count, [&](int i) { return call.sum(i); });
}

bool barrier(Call& call) { return MPI_Barrier(call.communicator) == MPI_SUCCESS; }

bool allgather(Call& call) {
  call.fill(call.count);
  call.to.assign(static_cast<std::size_t>(call.count * call.ranks), -1);
  MPI_Allgather(call.from.data(), call.count, MPI_LONG_LONG, call.to.data(), call.count, MPI_LONG_LONG,
                call.communicator);
  return call.is(call.count * call.ranks, [&](int i) { return call.given(i / call.count, i % call.count); });
}

bool reduce_scatter_block(Call& call) {
  call.fill(call.count * call.ranks);
  call.to.assign(static_cast<std::size_t>(call.count), -1);
  MPI_Reduce_scatter_block(call.from.data(), call.to.data(), call.count, MPI_LONG_LONG, MPI_SUM, call.communicator);
  return call.is(call.count, [&](int i) { return call.sum(call.rank * call.count + i); });
}

/// Shares of different lengths, an empty one among them.
int share_of(const Call& call, int rank) { return rank % 4 == 1 ? 0 : call.count * (rank % 3 + 1) / 2; }

/// Their lengths, and where each begins: one more than there are.
std::vector<int> starts_of(const Call& call) {
  std::vector<int> starts{0};
  for (int rank = 0; rank < call.ranks; ++rank) starts.push_back(starts.back() + share_of(call, rank));
  return starts;
}

bool allgatherv(Call& call) {
  const std::vector<int> starts = starts_of(call);
  std::vector<int> counts;
  for (int rank = 0; rank < call.ranks; ++rank) counts.push_back(share_of(call, rank));
  call.fill(share_of(call, call.rank));
  call.to.assign(static_cast<std::size_t>(starts.back()), -1);
  MPI_Allgatherv(call.from.data(), share_of(call, call.rank), MPI_LONG_LONG, call.to.data(), counts.data(),
                 starts.data(), MPI_LONG_LONG, call.communicator);
  int owner = 0;
  return call.is(starts.back(), [&](int i) {
    while (starts[static_cast<std::size_t>(owner) + 1] <= i) ++owner;
    return call.given(owner, i - starts[static_cast<std::size_t>(owner)]);
  });
}

bool reduce_scatter(Call& call) {
  const std::vector<int> starts = starts_of(call);
  std::vector<int> counts;
  for (int rank = 0; rank < call.ranks; ++rank) counts.push_back(share_of(call, rank));
  const int own = share_of(call, call.rank);
  const bool in_place = call.serial % 3 == 0;
  call.fill(starts.back());
  call.to = call.from;
  MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : call.from.data(), call.to.data(), counts.data(), MPI_LONG_LONG, MPI_SUM,
                     call.communicator);
  return call.is(own, [&](int i) { return call.sum(starts[static_cast<std::size_t>(call.rank)] + i); });
}

/// Each of my elements is for another rank.
bool alltoall(Call& call) {
  const bool in_place = call.serial % 3 == 0;
  call.fill(call.count * call.ranks);
  call.to = call.from;
  MPI_Alltoall(in_place ? MPI_IN_PLACE : call.from.data(), call.count, MPI_LONG_LONG, call.to.data(), call.count,
               MPI_LONG_LONG, call.communicator);
  return call.is(call.count * call.ranks,
                 [&](int i) { return call.given(i / call.count, call.rank * call.count + i % call.count); });
}

/// The same, and for some ranks none at all: rank r has for r' as many as r' has for it.
bool alltoallv(Call& call) {
  const bool in_place = call.serial % 3 == 0;
  const auto from_to = [&](int one, int other) { return (one + other) % 3 == 0 ? 0 : call.count; };
  std::vector<int> counts;
  std::vector<int> starts;
  for (int other = 0; other < call.ranks; ++other) {
    counts.push_back(from_to(call.rank, other));
    starts.push_back(other * call.count);
  }
  call.fill(call.count * call.ranks);
  call.to = call.from;
  MPI_Alltoallv(in_place ? MPI_IN_PLACE : static_cast<const void*>(call.from.data()), counts.data(), starts.data(),
                MPI_LONG_LONG, call.to.data(), counts.data(), starts.data(), MPI_LONG_LONG, call.communicator);
  return call.is(call.count * call.ranks, [&](int i) {
    const int other = i / call.count;
    return from_to(call.rank, other) == 0 ? call.given(call.rank, i)
                                          : call.given(other, call.rank * call.count + i % call.count);
  });
}

bool gather(Call& call) {
  const bool in_place = call.serial % 3 == 0 && call.rank == call.root;
  call.fill(call.count);
  call.to.assign(static_cast<std::size_t>(call.count * call.ranks), -1);
  std::ranges::copy(call.from, call.to.begin() + std::ptrdiff_t{call.count} * call.rank);
  MPI_Gather(in_place ? MPI_IN_PLACE : call.from.data(), call.count, MPI_LONG_LONG, call.to.data(), call.count,
             MPI_LONG_LONG, call.root, call.communicator);
  return call.rank != call.root ||
         call.is(call.count * call.ranks, [&](int i) { return call.given(i / call.count, i % call.count); });
}

bool scatter(Call& call) {
  const bool in_place = call.serial % 3 == 0 && call.rank == call.root;
  call.fill(call.count * call.ranks);
  call.to.assign(static_cast<std::size_t>(call.count), -1);
  MPI_Scatter(call.from.data(), call.count, MPI_LONG_LONG, in_place ? MPI_IN_PLACE : call.to.data(), call.count,
              MPI_LONG_LONG, call.root, call.communicator);
  return in_place || call.is(call.count, [&](int i) { return call.given(call.root, call.rank * call.count + i); });
}

bool scan(Call& call) {
  const bool in_place = call.serial % 3 == 0;
  call.fill(call.count);
  call.to = call.from;
  MPI_Scan(in_place ? MPI_IN_PLACE : call.from.data(), call.to.data(), call.count, MPI_LONG_LONG, MPI_SUM,
           call.communicator);
  return call.is(call.count, [&](int i) { return call.sum_below(call.rank + 1, i); });
}

bool exscan(Call& call) {
  const bool in_place = call.serial % 3 == 0;
  call.fill(call.count);
  call.to = call.from;
  MPI_Exscan(in_place ? MPI_IN_PLACE : call.from.data(), call.to.data(), call.count, MPI_LONG_LONG, MPI_SUM,
             call.communicator);
  return call.rank == 0 || call.is(call.count, [&](int i) { return call.sum_below(call.rank, i); });
}

struct Collective {
  const char* name;  ///< as trunkline_set takes it
  bool (*run)(Call&);
};
/// Those that the library leaves to MPI are right as well: what others send must not reach them.
constexpr std::array collectives{
    Collective{"bcast", bcast},
    Collective{"reduce", reduce},
    Collective{"allreduce", allreduce},
    Collective{"barrier", barrier},
    Collective{"allgather", allgather},
    Collective{"reduce-scatter-block", reduce_scatter_block},
    Collective{"allgatherv", allgatherv},
    Collective{"reduce-scatter", reduce_scatter},
    Collective{"alltoall", alltoall},
    Collective{"gather", gather},
    Collective{"scatter", scatter},
    Collective{"alltoallv", alltoallv},
    Collective{"scan", scan},
    Collective{"exscan", exscan},
};

class Communicators {
 public:
  Communicators() : all_(4, MPI_COMM_NULL) {
    MPI_Comm_dup(MPI_COMM_WORLD, all_.data());
    MPI_Comm_dup(MPI_COMM_WORLD, &all_[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &all_[2]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &all_[3]);
  }
  Communicators(Communicators&&) = default;
  [[nodiscard]] MPI_Comm at(std::size_t i) const { return all_[i]; }
  void release() {
    for (MPI_Comm& one : all_) MPI_Comm_free(&one);
  }

 private:
  std::vector<MPI_Comm> all_;
};

using Last = const char*(const char*);

struct Counts {
  std::array<int, collectives.size()> calls{};
  std::array<int, collectives.size()> accelerated{};
};

/// The same calls on all ranks: everything follows from the seed.
void run_batch(unsigned seed, const Communicators& communicators, Last* last, Counts& counts) {
  std::mt19937 random(seed);
  for (int i = 0; i < batch; ++i) {
    const auto which = static_cast<std::size_t>(random() % collectives.size());
    const auto where = random() % 8 < 4 ? std::size_t{0} : static_cast<std::size_t>(random() % 4);
    Call call{.communicator = communicators.at(where), .rank = 0, .ranks = 1, .root = 0, .count = 0, .serial = i};
    call.count = sizes[random() % sizes.size()];
    const auto any_root = static_cast<int>(random() % 2 == 0 ? 0 : random() % 1000);
    const bool late = random() % 40 == 0;
    const auto who = static_cast<int>(random() % static_cast<unsigned>(world_ranks));
    MPI_Comm_rank(call.communicator, &call.rank);
    MPI_Comm_size(call.communicator, &call.ranks);
    call.root = any_root % call.ranks;
    if (late && who == world_rank) usleep(20000);
    const Collective& collective = collectives[which];
    if (!collective.run(call)) {
      ++wrong_calls;
      std::printf("rank %d: wrong result of %s, call %d of seed %u: %d elements, root %d of %d\n", world_rank,
                  collective.name, i, seed, call.count, call.root, call.ranks);
    }
    ++counts.calls[which];
    const char* const ran = last != nullptr ? last(collective.name) : nullptr;
    if (ran != nullptr && std::strcmp(ran, "native") != 0) ++counts.accelerated[which];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 4 ? std::atoi(argv[3]) : 1;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (argc < 5 || (threads > 1 && provided < MPI_THREAD_MULTIPLE)) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  using Set = int(const char*, const char*);
  auto* const set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "trunkline_set"));
  auto* const last = reinterpret_cast<Last*>(dlsym(RTLD_DEFAULT, "trunkline_last"));
  const int calls = std::atoi(argv[1]);
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  std::vector<Communicators> communicators(static_cast<std::size_t>(threads));
  Counts counts;
  for (int done = 0; done < calls; done += batch) {
    const int turn = done / batch;
    bool taken = set == nullptr;
    for (const Collective& one : collectives) {
      taken = (set != nullptr && set(one.name, argv[4 + turn % (argc - 4)]) == 0) || taken;
    }
    if (!taken) ++wrong_calls;
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < communicators.size(); ++k) {
      others.emplace_back([&, k] {
        Counts uncounted;
        run_batch(seed + static_cast<unsigned>(turn) + 1000U * static_cast<unsigned>(k), communicators[k], nullptr,
                  uncounted);
      });
    }
    run_batch(seed + static_cast<unsigned>(turn), communicators[0], last, counts);
    for (std::thread& one : others) one.join();
  }
  for (Communicators& one : communicators) one.release();
  long wrong = wrong_calls;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (std::size_t k = 0; k < collectives.size() && world_rank == 0; ++k) {
    if (last != nullptr && last(collectives[k].name) != nullptr) {
      std::printf("%s %d %d\n", collectives[k].name, counts.accelerated[k], counts.calls[k]);
    }
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
