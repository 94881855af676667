// SPDX-License-Identifier: Apache-2.0
// runtime-overlapped CALLS SEED THREADS CHOICE...: collectives that do not block, several at once on several
// communicators, started by all ranks in one order and completed by each in an order of its own, with every function
// that completes requests, beside requests of the program's own messages, collectives that block, and others that the
// library knows nothing of; some ranks late now and then, under the choices by turns (as for trunkline_set). Each
// thread has communicators of its own. Before that, on the first thread, the cases of `cases` below. With
// TRUNKLINE_PROGRESS=thread MPI is asked for threads whatever THREADS is. Checks every element. Rank 0 prints, for each
// collective, COLLECTIVE ACCELERATED CALLS of its first thread, and the cases that are over; exit status 0 or 1.
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
#include <memory>
#include <numeric>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int batch = 100;
constexpr std::size_t most_at_once = 16;
/// Elements of 8 bytes: within one frame, at its edge, several segments, many.
constexpr std::array sizes{1, 3, 75, 181, 250, 500, 1125, 4000, 20000};

int world_rank = 0;
int world_ranks = 1;
std::atomic<long> wrong = 0;
bool has_progress_thread = false;

using Last = const char*(const char*);
using Set = int(const char*, const char*);
struct Heard {  ///< trunkline_multicast
  const char* words = nullptr;
  std::array<unsigned long long, 4> counts{};
};
using LastMulticast = int(const char*, Heard*);
Last* last = nullptr;
LastMulticast* last_multicast = nullptr;
Set* set = nullptr;

/// One call: where it runs, what it is given and what it must give. It stays where it is while it runs.
struct Call {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  int root = 0;
  int count = 0;  ///< elements; of a rank's share where there are shares
  long serial = 0;
  bool is_persistent = false;
  MPI_Datatype type = MPI_LONG_LONG;
  MPI_Op operation = MPI_SUM;
  std::vector<long long> from{};
  std::vector<long long> to{};
  std::vector<int> counts{};
  std::vector<int> starts{};
  std::vector<MPI_Datatype> types{};  ///< of each rank

  [[nodiscard]] long long value(int i) const { return (i * 31LL + (i >> 7) + serial * 7) % 65521 + 1; }
  /// What a rank puts in; all ranks' sum of it.
  [[nodiscard]] long long given(int who, int i) const { return value(i) * (1 + who * 3LL); }
  [[nodiscard]] long long sum(int i) const { return sum_below(ranks, i); }
  [[nodiscard]] long long sum_below(int who, int i) const { return value(i) * (who + 3LL * who * (who - 1) / 2); }
  [[nodiscard]] bool in_place() const { return serial % 3 == 0; }

  void fill(int elements, int room) {
    from.resize(static_cast<std::size_t>(elements));
    for (int i = 0; i < elements; ++i) from[static_cast<std::size_t>(i)] = given(rank, i);
    if (in_place()) {
      to = from;
      to.resize(static_cast<std::size_t>(std::max(elements, room)), -1);
    } else {
      to.assign(static_cast<std::size_t>(room), -1);
    }
  }
  template <class Expected>
  [[nodiscard]] bool is(int elements, const Expected& expected) const {
    for (int i = 0; i < elements; ++i) {
      if (to[static_cast<std::size_t>(i)] != expected(i)) return false;
    }
    return true;
  }
  /// Shares of different lengths, an empty one among them.
  [[nodiscard]] int share(int who) const { return who % 4 == 1 ? 0 : count * (who % 3 + 1) / 2; }
  void share_out() {
    starts.assign(1, 0);
    for (int who = 0; who < ranks; ++who) {
      counts.push_back(share(who));
      starts.push_back(starts.back() + share(who));
    }
  }
  /// What two ranks have for each other; some have nothing.
  [[nodiscard]] int pair(int one, int other) const { return count * ((one + other) % 4) / 2; }
  void pair_out() {
    starts.assign(1, 0);
    for (int who = 0; who < ranks; ++who) {
      counts.push_back(pair(rank, who));
      starts.push_back(starts.back() + counts.back());
    }
    fill(starts.back() + 1, starts.back() + 1);
  }
  [[nodiscard]] const void* operand() const { return in_place() ? MPI_IN_PLACE : from.data(); }
};

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define BEGIN(nonblocking, persistent, ...)                                          \
  (call.is_persistent ? MPI_##persistent##_init(__VA_ARGS__, MPI_INFO_NULL, request) \
                      : MPI_##nonblocking(__VA_ARGS__, request))
constexpr bool has_persistent = true;
#else
#define BEGIN(nonblocking, persistent, ...) MPI_##nonblocking(__VA_ARGS__, request)
constexpr bool has_persistent = false;
#endif

struct Collective {
  const char* name;  ///< as trunkline_set takes it
  void (*start)(Call&, MPI_Request*);
  bool (*is_right)(const Call&);
};

void start_bcast(Call& call, MPI_Request* request) {
  call.to.assign(static_cast<std::size_t>(call.count), -1);
  for (int i = 0; i < call.count && call.rank == call.root; ++i) call.to[static_cast<std::size_t>(i)] = call.value(i);
  BEGIN(Ibcast, Bcast, call.to.data(), call.count, call.type, call.root, call.communicator);
}
bool bcast_is_right(const Call& call) {
  return call.is(call.count, [&](int i) { return call.value(i); });
}

void start_reduce(Call& call, MPI_Request* request) {
  const bool is_root = call.rank == call.root;
  call.fill(call.count, call.count);
  // From other roots MPICH 4.0.2 itself fails in place, at MPI_IN_PLACE as an address.
  const bool in_place = is_root && call.root == 0 && call.in_place();
  BEGIN(Ireduce, Reduce, in_place ? MPI_IN_PLACE : call.from.data(), is_root ? call.to.data() : nullptr, call.count,
        call.type, call.operation, call.root, call.communicator);
}
bool reduce_is_right(const Call& call) {
  return call.rank != call.root || call.is(call.count, [&](int i) { return call.sum(i); });
}

void start_allreduce(Call& call, MPI_Request* request) {
  call.fill(call.count, call.count);
  BEGIN(Iallreduce, Allreduce, call.operand(), call.to.data(), call.count, call.type, call.operation,
        call.communicator);
}
bool allreduce_is_right(const Call& call) {
  return call.is(call.count, [&](int i) { return call.sum(i); });
}

void start_barrier(Call& call, MPI_Request* request) { BEGIN(Ibarrier, Barrier, call.communicator); }
bool barrier_is_right(const Call& /*call*/) { return true; }

void start_allgather(Call& call, MPI_Request* request) {
  call.fill(call.count, call.count * call.ranks);
  if (call.in_place()) {
    std::copy(call.from.begin(), call.from.end(), call.to.begin() + std::ptrdiff_t{call.rank} * call.count);
  }
  BEGIN(Iallgather, Allgather, call.operand(), call.count, call.type, call.to.data(), call.count, call.type,
        call.communicator);
}
bool allgather_is_right(const Call& call) {
  return call.is(call.count * call.ranks, [&](int i) { return call.given(i / call.count, i % call.count); });
}

/// Counts or starts as some programs give them (mpi4py 4.1 is one): gone once the call has been started. MPI does not
/// promise that this holds; all libraries do, natively.
class Gone {
 public:
  explicit Gone(const std::vector<int>& values) : values_(values) {}
  ~Gone() { std::fill(values_.begin(), values_.end(), -7); }
  Gone(const Gone&) = delete;
  Gone& operator=(const Gone&) = delete;
  [[nodiscard]] const int* data() const { return values_.data(); }

 private:
  std::vector<int> values_;
};

void start_allgatherv(Call& call, MPI_Request* request) {
  call.share_out();
  const Gone counts(call.counts);
  const Gone starts(call.starts);
  call.fill(call.share(call.rank), call.starts.back());
  if (call.in_place()) {
    std::copy(call.from.begin(), call.from.end(), call.to.begin() + call.starts[static_cast<std::size_t>(call.rank)]);
  }
  BEGIN(Iallgatherv, Allgatherv, call.operand(), call.share(call.rank), call.type, call.to.data(), counts.data(),
        starts.data(), call.type, call.communicator);
}
bool allgatherv_is_right(const Call& call) {
  int owner = 0;
  return call.is(call.starts.back(), [&](int i) {
    while (call.starts[static_cast<std::size_t>(owner) + 1] <= i) ++owner;
    return call.given(owner, i - call.starts[static_cast<std::size_t>(owner)]);
  });
}

void start_reduce_scatter(Call& call, MPI_Request* request) {
  call.share_out();
  const Gone counts(call.counts);
  call.fill(call.starts.back(), call.share(call.rank));
  BEGIN(Ireduce_scatter, Reduce_scatter, call.operand(), call.to.data(), counts.data(), call.type, call.operation,
        call.communicator);
}
bool reduce_scatter_is_right(const Call& call) {
  return call.is(call.share(call.rank),
                 [&](int i) { return call.sum(call.starts[static_cast<std::size_t>(call.rank)] + i); });
}

void start_reduce_scatter_block(Call& call, MPI_Request* request) {
  call.fill(call.count * call.ranks, call.count);
  BEGIN(Ireduce_scatter_block, Reduce_scatter_block, call.operand(), call.to.data(), call.count, call.type,
        call.operation, call.communicator);
}
bool reduce_scatter_block_is_right(const Call& call) {
  return call.is(call.count, [&](int i) { return call.sum(call.rank * call.count + i); });
}

/// Each of my elements is for another rank.
void start_alltoall(Call& call, MPI_Request* request) {
  call.fill(call.count * call.ranks, call.count * call.ranks);
  BEGIN(Ialltoall, Alltoall, call.operand(), call.count, call.type, call.to.data(), call.count, call.type,
        call.communicator);
}
bool alltoall_is_right(const Call& call) {
  return call.is(call.count * call.ranks,
                 [&](int i) { return call.given(i / call.count, call.rank * call.count + i % call.count); });
}

/// In place Open MPI's own MPI_Ialltoallv and MPI_Ialltoallw give wrong results (4.1.4 and 5.0.11, 6 ranks).
const void* operand_of_pairs(const Call& call) {
#ifdef OPEN_MPI
  return call.from.data();
#else
  return call.operand();
#endif
}

void start_alltoallv(Call& call, MPI_Request* request) {
  call.pair_out();
  const Gone counts(call.counts);
  const Gone starts(call.starts);
  BEGIN(Ialltoallv, Alltoallv, operand_of_pairs(call), counts.data(), starts.data(), call.type, call.to.data(),
        counts.data(), starts.data(), call.type, call.communicator);
}
bool alltoallv_is_right(const Call& call) {
  for (int who = 0; who < call.ranks; ++who) {
    int before = 0;  // of what that rank has given
    for (int rank = 0; rank < call.rank; ++rank) before += call.pair(who, rank);
    for (int i = 0; i < call.pair(who, call.rank); ++i) {
      const int at = call.starts[static_cast<std::size_t>(who)] + i;
      if (call.to[static_cast<std::size_t>(at)] != call.given(who, before + i)) return false;
    }
  }
  return true;
}

/// MPI's arrays of datatypes stay until the call is over.
void start_alltoallw(Call& call, MPI_Request* request) {
  call.pair_out();
  std::vector<int> bytes;
  for (const int start : call.starts) bytes.push_back(start * static_cast<int>(sizeof(long long)));
  const Gone counts(call.counts);
  const Gone starts(bytes);
  for (int who = 0; who < call.ranks; ++who) {  // alike at both ends
    call.types.push_back((who + call.rank) % 2 == 0 ? call.type : MPI_LONG_LONG);
  }
  BEGIN(Ialltoallw, Alltoallw, operand_of_pairs(call), counts.data(), starts.data(), call.types.data(), call.to.data(),
        counts.data(), starts.data(), call.types.data(), call.communicator);
}

void start_gather(Call& call, MPI_Request* request) {
  const bool is_root = call.rank == call.root;
  call.fill(call.count, is_root ? call.count * call.ranks : 0);
  const bool in_place = is_root && call.in_place();
  if (in_place) {
    std::copy(call.from.begin(), call.from.end(), call.to.begin() + std::ptrdiff_t{call.rank} * call.count);
  }
  BEGIN(Igather, Gather, in_place ? MPI_IN_PLACE : call.from.data(), call.count, call.type,
        is_root ? call.to.data() : nullptr, call.count, call.type, call.root, call.communicator);
}
bool gather_is_right(const Call& call) { return call.rank != call.root || allgather_is_right(call); }

/// The root has a share for each rank.
void start_scatter(Call& call, MPI_Request* request) {
  const bool is_root = call.rank == call.root;
  call.fill(is_root ? call.count * call.ranks : 0, call.count);
  const bool in_place = is_root && call.in_place();
  BEGIN(Iscatter, Scatter, is_root ? call.from.data() : nullptr, call.count, call.type,
        in_place ? MPI_IN_PLACE : call.to.data(), call.count, call.type, call.root, call.communicator);
}
bool scatter_is_right(const Call& call) {
  if (call.rank == call.root && call.in_place()) return true;
  return call.is(call.count, [&](int i) { return call.given(call.root, call.rank * call.count + i); });
}

void start_scan(Call& call, MPI_Request* request) {
  call.fill(call.count, call.count);
  BEGIN(Iscan, Scan, call.operand(), call.to.data(), call.count, call.type, call.operation, call.communicator);
}
bool scan_is_right(const Call& call) {
  return call.is(call.count, [&](int i) { return call.sum_below(call.rank + 1, i); });
}

void start_exscan(Call& call, MPI_Request* request) {
  call.fill(call.count, call.count);
  BEGIN(Iexscan, Exscan, call.operand(), call.to.data(), call.count, call.type, call.operation, call.communicator);
}
bool exscan_is_right(const Call& call) {
  return call.rank == 0 || call.is(call.count, [&](int i) { return call.sum_below(call.rank, i); });
}

constexpr std::array collectives{
    Collective{"bcast", start_bcast, bcast_is_right},
    Collective{"reduce", start_reduce, reduce_is_right},
    Collective{"allreduce", start_allreduce, allreduce_is_right},
    Collective{"barrier", start_barrier, barrier_is_right},
    Collective{"allgather", start_allgather, allgather_is_right},
    Collective{"allgatherv", start_allgatherv, allgatherv_is_right},
    Collective{"reduce-scatter", start_reduce_scatter, reduce_scatter_is_right},
    Collective{"reduce-scatter-block", start_reduce_scatter_block, reduce_scatter_block_is_right},
    Collective{"alltoall", start_alltoall, alltoall_is_right},
    Collective{"alltoallv", start_alltoallv, alltoallv_is_right},
    Collective{"alltoallv", start_alltoallw, alltoallv_is_right},
    Collective{"gather", start_gather, gather_is_right},
    Collective{"scatter", start_scatter, scatter_is_right},
    Collective{"scan", start_scan, scan_is_right},
    Collective{"exscan", start_exscan, exscan_is_right},
};

/// What is under way: calls, and messages round the ring of ranks; places of both lists belong together.
class UnderWay {
 public:
  explicit UnderWay(unsigned seed) : random_(seed) {}

  void start(std::size_t which, std::unique_ptr<Call> call, int number) {
    MPI_Request request = MPI_REQUEST_NULL;
    collectives[which].start(*call, &request);
    requests_.push_back(request);
    started_.push_back({which, std::move(call), number});
  }

  void message(MPI_Comm communicator, int number) {
    auto call = std::make_unique<Call>();
    MPI_Comm_rank(communicator, &call->rank);
    MPI_Comm_size(communicator, &call->ranks);
    call->to.assign(2, -1);
    call->from.assign(1, number);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(call->to.data(), 1, MPI_LONG_LONG, (call->rank + call->ranks - 1) % call->ranks, number, communicator,
              &receive);
    MPI_Isend(call->from.data(), 1, MPI_LONG_LONG, (call->rank + 1) % call->ranks, number, communicator, &send);
    requests_.push_back(send);
    started_.push_back({none, nullptr, number});
    senders_.push_back(std::move(call->from));  // it moves no memory
    requests_.push_back(receive);
    started_.push_back({none, std::move(call), number});
  }

  [[nodiscard]] std::size_t size() const { return requests_.size(); }

  /// With whichever function; one that waits has at least one of them over.
  void complete_some() {
    if (requests_.empty()) return;
    std::vector<int> places(requests_.size());
    const int all = static_cast<int>(requests_.size());
    int found = 0;
    switch (random_() % 9) {
      case 0:
      case 1: {
        const std::size_t one = random_() % requests_.size();
        MPI_Wait(&requests_[one], MPI_STATUS_IGNORE);
        break;
      }
      case 2: {
        const std::size_t one = random_() % requests_.size();
        MPI_Status status;
        for (int i = 0; i < 20 && found == 0; ++i) MPI_Test(&requests_[one], &found, &status);
        break;
      }
      case 3:
        MPI_Waitany(all, requests_.data(), &found, MPI_STATUS_IGNORE);
        break;
      case 4: {
        std::vector<MPI_Status> statuses(requests_.size());
        MPI_Waitsome(all, requests_.data(), &found, places.data(), statuses.data());
        break;
      }
      case 5:
        MPI_Testsome(all, requests_.data(), &found, places.data(), MPI_STATUSES_IGNORE);
        break;
      case 6: {
        int place = 0;
        MPI_Testany(all, requests_.data(), &place, &found, MPI_STATUS_IGNORE);
        break;
      }
      case 7: {
        const std::size_t one = random_() % requests_.size();
        MPI_Status status;
        MPI_Request_get_status(requests_[one], &found, &status);
        break;
      }
      default:
        MPI_Testall(all, requests_.data(), &found, MPI_STATUSES_IGNORE);
    }
    drop_those_over();
  }

  void complete_all() {
    if (random_() % 2 == 0) {
      while (!requests_.empty()) complete_some();
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    drop_those_over();
    senders_.clear();
  }

 private:
  static constexpr std::size_t none = collectives.size();
  struct Started {
    std::size_t which;
    std::unique_ptr<Call> call;
    int number;
  };

  void drop_those_over() {
    for (std::size_t i = 0; i < requests_.size();) {
      if (requests_[i] != MPI_REQUEST_NULL) {
        ++i;
        continue;
      }
      const Started& one = started_[i];
      const bool is_right = one.which != none ? collectives[one.which].is_right(*one.call)
                                              : one.call == nullptr || one.call->to[0] == one.number;
      if (!is_right) {
        ++wrong;
        std::printf("rank %d: wrong result of %s, call %d\n", world_rank,
                    one.which != none ? collectives[one.which].name : "a message", one.number);
      }
      requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
      started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  std::mt19937 random_;
  std::vector<MPI_Request> requests_{};
  std::vector<Started> started_{};
  std::vector<std::vector<long long>> senders_{};
};

class Communicators {
 public:
  Communicators() : all_(4, MPI_COMM_NULL) {
    MPI_Comm_dup(MPI_COMM_WORLD, all_.data());
    MPI_Comm_dup(MPI_COMM_WORLD, &all_[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &all_[2]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &all_[3]);
    // The first call that blocks agrees on a number.
    std::vector<long long> some(1000, 1);
    for (const MPI_Comm one : all_) MPI_Bcast(some.data(), 1000, MPI_LONG_LONG, 0, one);
  }
  Communicators(Communicators&&) = default;
  [[nodiscard]] MPI_Comm at(std::size_t i) const { return all_[i]; }
  void release() {
    for (MPI_Comm& one : all_) MPI_Comm_free(&one);
  }

 private:
  std::vector<MPI_Comm> all_;
};

struct Counts {
  std::array<int, collectives.size()> calls{};
  std::array<int, collectives.size()> accelerated{};
};

std::unique_ptr<Call> random_call(std::mt19937& random, MPI_Comm communicator, long serial) {
  auto call = std::make_unique<Call>();
  call->communicator = communicator;
  call->serial = serial;
  call->count = sizes[random() % sizes.size()];
  MPI_Comm_rank(communicator, &call->rank);
  MPI_Comm_size(communicator, &call->ranks);
  call->root = static_cast<int>(random() % 2 == 0 ? 0 : random() % 1000) % call->ranks;
  return call;
}

/// What else blocks, ours or not.
void block(std::mt19937& random, MPI_Comm communicator) {
  std::vector<long long> some(sizes[random() % sizes.size()], 1);
  const int count = static_cast<int>(some.size());
  std::vector<long long> sums(some.size());
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  bool is_right = true;
  switch (random() % 6) {
    case 0:
      MPI_Bcast(some.data(), count, MPI_LONG_LONG, 0, communicator);
      break;
    case 1:
      MPI_Allreduce(some.data(), sums.data(), count, MPI_LONG_LONG, MPI_SUM, communicator);
      is_right = sums.back() == ranks;
      break;
    case 2:
      MPI_Scan(some.data(), sums.data(), count, MPI_LONG_LONG, MPI_SUM, communicator);
      is_right = sums.back() == rank + 1;
      break;
    case 3:
      MPI_Sendrecv(some.data(), count, MPI_LONG_LONG, (rank + 1) % ranks, 1, sums.data(), count, MPI_LONG_LONG,
                   (rank + ranks - 1) % ranks, 1, communicator, MPI_STATUS_IGNORE);
      is_right = sums.back() == 1;
      break;
    case 4: {
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Comm_dup(communicator, &copy);
      MPI_Barrier(copy);
      MPI_Comm_free(&copy);
      break;
    }
    default:
      MPI_Barrier(communicator);
  }
  if (is_right) return;
  ++wrong;
  std::printf("rank %d: wrong result of a call that blocks\n", world_rank);
}

/// The same starts on all ranks: they follow from the seed. When each completes what is its own business.
void run_batch(unsigned seed, const Communicators& communicators, Counts* counts) {
  std::mt19937 random(seed);
  UnderWay under_way(seed * 1000 + static_cast<unsigned>(world_rank));
  std::mt19937 own(seed * 77 + static_cast<unsigned>(world_rank));
  for (int i = 0; i < batch; ++i) {
    const MPI_Comm where = communicators.at(random() % 8 < 4 ? 0 : random() % 4);
    const auto kind = random() % 8;
    const bool is_late = random() % 40 == 0;
    if (is_late && random() % static_cast<unsigned>(world_ranks) == static_cast<unsigned>(world_rank)) usleep(20000);
    if (kind == 0) {
      under_way.message(where, i);
    } else if (kind == 1) {
      block(random, where);
    } else {
      const std::size_t which = random() % collectives.size();
      under_way.start(which, random_call(random, where, i), i);
      if (counts != nullptr) {
        ++counts->calls[which];
        const char* const ran = last != nullptr ? last(collectives[which].name) : nullptr;
        if (ran != nullptr && std::strcmp(ran, "native") != 0) ++counts->accelerated[which];
      }
    }
    while (under_way.size() > most_at_once) under_way.complete_some();
    if (own() % 4 == 0) under_way.complete_some();
  }
  under_way.complete_all();
}

// Cases: what MPI promises while calls are under way. Each waits for ever where it does not hold.

constexpr int some_elements = 5000;

std::unique_ptr<Call> call_on(MPI_Comm communicator, int root, int count, long serial) {
  auto call = std::make_unique<Call>();
  call->communicator = communicator;
  call->root = root;
  call->count = count;
  call->serial = serial;
  MPI_Comm_rank(communicator, &call->rank);
  MPI_Comm_size(communicator, &call->ranks);
  return call;
}

void expect(bool holds, const char* what) {
  if (holds) return;
  ++wrong;
  std::printf("rank %d: %s\n", world_rank, what);
}

/// One rank after the other is blocked in something else, while the others need what it hands on.
template <class Block>
void while_blocked(const Block& block_in) {
  for (int blocked = 0; blocked < world_ranks; ++blocked) {
    for (std::size_t which = 0; which < collectives.size(); ++which) {
      const auto call = call_on(MPI_COMM_WORLD, (blocked + 1) % world_ranks, some_elements, blocked);
      MPI_Request request = MPI_REQUEST_NULL;
      collectives[which].start(*call, &request);
      if (world_rank == blocked) block_in(blocked);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (world_rank != blocked) block_in(blocked);
      expect(collectives[which].is_right(*call), collectives[which].name);
    }
  }
}

void in_a_barrier(MPI_Comm other) {
  while_blocked([&](int /*blocked*/) { MPI_Barrier(other); });
}
void in_others_collectives(MPI_Comm other) {
  while_blocked([&](int /*blocked*/) {
    int own = 1;
    int all = 0;
    PMPI_Scan(&own, &all, 1, MPI_INT, MPI_SUM, other);
  });
}
void in_long_collectives(MPI_Comm other) {
  std::vector<long long> data(some_elements);
  while_blocked([&](int blocked) { MPI_Bcast(data.data(), some_elements, MPI_LONG_LONG, blocked, other); });
}
void in_a_receive(MPI_Comm other) {
  while_blocked([&](int blocked) {
    int word = 0;
    if (world_rank == (blocked + 1) % world_ranks) MPI_Send(&word, 1, MPI_INT, blocked, 0, other);
    if (world_rank == blocked) MPI_Recv(&word, 1, MPI_INT, (blocked + 1) % world_ranks, 0, other, MPI_STATUS_IGNORE);
  });
}
void in_a_send(MPI_Comm other) {
  while_blocked([&](int blocked) {
    int word = 0;
    if (world_rank == (blocked + 1) % world_ranks) MPI_Recv(&word, 1, MPI_INT, blocked, 0, other, MPI_STATUS_IGNORE);
    if (world_rank == blocked) MPI_Ssend(&word, 1, MPI_INT, (blocked + 1) % world_ranks, 0, other);
  });
}
void in_a_probe(MPI_Comm other) {
  while_blocked([&](int blocked) {
    int word = 0;
    const int from = (blocked + 1) % world_ranks;
    if (world_rank == from) MPI_Send(&word, 1, MPI_INT, blocked, 0, other);
    if (world_rank != blocked) return;
    MPI_Probe(from, 0, other, MPI_STATUS_IGNORE);
    MPI_Recv(&word, 1, MPI_INT, from, 0, other, MPI_STATUS_IGNORE);
  });
}
void in_making_communicators(MPI_Comm other) {
  while_blocked([&](int /*blocked*/) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(other, 0, -world_rank, &made);
    MPI_Comm_free(&made);
  });
}

/// False: there is no library of ours.
bool choose_ours() {
  for (const Collective& one : collectives) {
    bool is_taken = false;
    for (const char* const choice : {"linear:1448", "ring:1448", "binomial"}) {
      is_taken = is_taken || (set != nullptr && set(one.name, choice) == 0);
    }
    expect(is_taken || set == nullptr, "a collective that takes none of three plans");
  }
  return set != nullptr;
}

/// What calls on it that do not block go by: its number, and how long blocks of alltoallv are.
void agree_on_all(MPI_Comm communicator) {
  int ranks = 1;
  MPI_Comm_size(communicator, &ranks);
  const std::vector<int> counts(static_cast<std::size_t>(ranks), some_elements);
  std::vector<int> starts;
  for (int rank = 0; rank < ranks; ++rank) starts.push_back(rank * some_elements);
  const std::vector<long long> from(static_cast<std::size_t>(ranks) * some_elements);
  std::vector<long long> to(from.size());
  MPI_Alltoallv(from.data(), counts.data(), starts.data(), MPI_LONG_LONG, to.data(), counts.data(), starts.data(),
                MPI_LONG_LONG, communicator);
}

/// All that a call works on is freed as soon as it has been started. Calls of Open MPI's own crash then, so all are
/// ours.
void freed_at_once(MPI_Comm other) {
  if (!choose_ours()) return;
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(other, &communicator);
    agree_on_all(communicator);
    std::vector<std::unique_ptr<Call>> calls;
    std::vector<MPI_Request> requests;
    for (std::size_t which = 0; which < collectives.size(); ++which) {
      auto call = call_on(communicator, turn % world_ranks, some_elements, which);
      const bool is_shared = std::strcmp(collectives[which].name, "barrier") == 0;
      MPI_Datatype type = MPI_LONG_LONG;
      if (!is_shared) {
        MPI_Type_contiguous(1, MPI_LONG_LONG, &type);
        MPI_Type_commit(&type);
      }
      MPI_Op operation = MPI_OP_NULL;
      MPI_Op_create(
          [](void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
            for (int i = 0; i < *count; ++i) static_cast<long long*>(inout)[i] += static_cast<long long*>(in)[i];
          },
          1, &operation);
      call->type = type;
      call->operation = operation;
      requests.push_back(MPI_REQUEST_NULL);
      collectives[which].start(*call, &requests.back());
      MPI_Op_free(&operation);
      expect(operation == MPI_OP_NULL, "an operation that was freed has a handle");
      if (!is_shared) MPI_Type_free(&type);
      calls.push_back(std::move(call));
    }
    MPI_Comm_free(&communicator);
    expect(communicator == MPI_COMM_NULL, "a communicator that was freed has a handle");
    for (std::size_t k = calls.size(); k-- > 0;) {
      MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
      expect(collectives[k].is_right(*calls[k]), "a wrong result where all was freed");
    }
  }
}

/// Made once, and started again and again, with calls of the other kinds in between; datatypes are freed at once. MPICH
/// 4's own fail after some starts, so all are ours.
void persistent(MPI_Comm other) {
  if (!has_persistent || !choose_ours()) return;
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_dup(other, &communicator);
  std::vector<long long> some(1000);
  MPI_Bcast(some.data(), 1000, MPI_LONG_LONG, 0, communicator);  // its number is not theirs
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<std::pair<std::vector<long long>, std::vector<long long>>> before;
  std::vector<MPI_Request> requests(collectives.size(), MPI_REQUEST_NULL);
  for (std::size_t which = 0; which < collectives.size(); ++which) {
    auto call = call_on(communicator, static_cast<int>(which) % world_ranks, some_elements, static_cast<long>(which));
    call->is_persistent = true;
    const std::string_view name = collectives[which].name;
    if (name.find("reduce") == std::string_view::npos && name.find("scan") == std::string_view::npos) {
      MPI_Type_contiguous(1, MPI_LONG_LONG, &call->type);
      MPI_Type_commit(&call->type);
    }
    collectives[which].start(*call, &requests[which]);
    if (call->type != MPI_LONG_LONG) MPI_Type_free(&call->type);
    before.emplace_back(call->from, call->to);
    calls.push_back(std::move(call));
  }
  std::mt19937 own(static_cast<unsigned>(world_rank));
  for (int turn = 0; turn < 60; ++turn) {
    for (std::size_t k = 0; k < calls.size(); ++k) {  // requests know where the elements lie
      std::copy(before[k].first.begin(), before[k].first.end(), calls[k]->from.begin());
      std::copy(before[k].second.begin(), before[k].second.end(), calls[k]->to.begin());
    }
    const auto between = call_on(communicator, 0, some_elements, turn);
    MPI_Request started = MPI_REQUEST_NULL;
    const std::size_t which = static_cast<std::size_t>(turn) % 3;
    if (turn % 2 == 0) {
      collectives[which].start(*between, &started);
      MPI_Startall(static_cast<int>(requests.size()), requests.data());
    } else {  // each rank in an order of its own
      std::vector<std::size_t> order(calls.size() + 1);
      std::iota(order.begin(), order.end(), 0U);
      std::shuffle(order.begin(), order.end(), own);
      for (const std::size_t k : order) {
        if (k == calls.size()) {
          collectives[which].start(*between, &started);
          continue;
        }
        MPI_Start(&requests[k]);
        const char* const ran = last != nullptr ? last(collectives[k].name) : "native";
        expect(std::strcmp(ran, "native") != 0, "a persistent call ran no plan");
      }
    }
    if (turn % 5 == 0 && world_rank == turn / 5 % world_ranks) usleep(3000);
    if (turn % 7 == 0) MPI_Bcast(some.data(), 300, MPI_LONG_LONG, 0, communicator);
    for (int k = 0; k < 4; ++k) MPI_Wait(&requests[own() % requests.size()], MPI_STATUS_IGNORE);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
    expect(collectives[which].is_right(*between), "a wrong result among persistent calls");
    for (std::size_t k = 0; k < calls.size(); ++k) expect(collectives[k].is_right(*calls[k]), collectives[k].name);
  }
  for (MPI_Request& one : requests) {
    expect(one != MPI_REQUEST_NULL, "a persistent request is gone when it is complete");
    MPI_Request_free(&one);
    expect(one == MPI_REQUEST_NULL, "a persistent request is there when it was freed");
  }
  MPI_Comm_free(&communicator);
}

/// More than there are turns in a round of tags: all started before any is completed, and completed backwards.
void a_thousand_at_once(MPI_Comm other) {
  constexpr int many = 1000;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<MPI_Request> requests(many, MPI_REQUEST_NULL);
  for (int i = 0; i < many; ++i) {
    calls.push_back(call_on(other, i % world_ranks, 300, i));
    const Collective& collective = collectives[static_cast<std::size_t>(i) % 3];
    collective.start(*calls.back(), &requests[static_cast<std::size_t>(i)]);
    if (i % 100 == 50 && world_rank == i / 100 % world_ranks) usleep(5000);
  }
  for (std::size_t i = many; i-- > 0;) {
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    expect(collectives[i % 3].is_right(*calls[i]), "a wrong result among a thousand");
  }
  for (int i = 0; i < 300; ++i) {  // those that block, after them
    auto call = call_on(other, i % world_ranks, 300, i);
    MPI_Request request = MPI_REQUEST_NULL;
    collectives[static_cast<std::size_t>(i) % 3].start(*call, &request);
    std::vector<long long> some(300, i);
    MPI_Bcast(some.data(), 300, MPI_LONG_LONG, i % world_ranks, other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(collectives[static_cast<std::size_t>(i) % 3].is_right(*call), "a wrong result beside calls that block");
  }
}

/// MPI_Waitall finds null requests beside a call that is not over.
void beside_null(MPI_Comm other) {
  for (const Collective& one : collectives) {
    const auto call = call_on(other, world_ranks - 1, some_elements, 1);
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    one.start(*call, &requests[1]);
    if (world_rank == world_ranks - 1) usleep(3000);
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    expect(one.is_right(*call), one.name);
  }
}

/// MPI_Waitany finds none that is active, while a call is under way that it does not ask about.
void beside_inactive(MPI_Comm other) {
  const auto call = call_on(other, world_ranks - 1, some_elements, 1);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int nothing = 0;
  MPI_Recv_init(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, other, &requests[1]);
  MPI_Request started = MPI_REQUEST_NULL;
  start_bcast(*call, &started);
  int index = 0;
  MPI_Status status{};
  status.MPI_SOURCE = 12345;
  MPI_Waitany(2, requests.data(), &index, &status);
  expect(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE, "a wait for nothing has a status of something");
  if (world_rank == world_ranks - 1) usleep(3000);
  MPI_Wait(&started, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[1]);
  expect(bcast_is_right(*call), "a wrong result beside an inactive request");
}

/// MPI forbids it: an error, and the call goes on.
void freed_while_under_way(MPI_Comm other) {
  if (!choose_ours()) return;
  MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
  for (const Collective& one : collectives) {
    const auto call = call_on(other, 0, some_elements, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    one.start(*call, &request);
    const bool is_native = std::strcmp(last(one.name), "native") == 0;  // libraries may free theirs
    if (world_rank != 0 && !is_native) {
      const bool is_freed = MPI_Request_free(&request) == MPI_SUCCESS;  // it was over
      expect(is_freed == (request == MPI_REQUEST_NULL), "a request that is freed and not, or neither");
    }
    if (world_rank == 0) usleep(3000);
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(one.is_right(*call), one.name);
  }
  MPI_Comm_set_errhandler(other, MPI_ERRORS_ARE_FATAL);
}

/// For the error handler of in_an_error_handler().
MPI_Request beside_the_error = MPI_REQUEST_NULL;
MPI_Comm freed_by_handler = MPI_COMM_NULL;
int errors_heard = 0;

void wait_and_free(MPI_Comm* /*communicator*/, int* /*code*/, ...) {
  ++errors_heard;
  MPI_Wait(&beside_the_error, MPI_STATUS_IGNORE);
  if (freed_by_handler != MPI_COMM_NULL) MPI_Comm_free(&freed_by_handler);
}

/// The program's error handler ends another call that is under way, and frees a communicator.
void in_an_error_handler(MPI_Comm other) {
  if (!choose_ours()) return;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(wait_and_free, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm failing = MPI_COMM_NULL;
  MPI_Comm beside = MPI_COMM_NULL;
  MPI_Comm_dup(other, &failing);
  MPI_Comm_dup(other, &beside);
  MPI_Comm_dup(other, &freed_by_handler);
  agree_on_all(failing);
  agree_on_all(beside);
  MPI_Comm_set_errhandler(failing, handler);
  errors_heard = 0;

  const auto call = call_on(beside, 0, some_elements, 1);
  start_allreduce(*call, &beside_the_error);
  std::vector<long long> data(1000, world_rank);  // the root sends more than the others have room for
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(data.data(), world_rank == 0 ? 1000 : 600, MPI_LONG_LONG, 0, failing, &request);
  int failed = MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS ? 1 : 0;
  expect(failed == errors_heard, "a handler that was not called once for an error");
  MPI_Wait(&beside_the_error, MPI_STATUS_IGNORE);
  expect(allreduce_is_right(*call), "a wrong result of what an error handler has waited for");
  if (freed_by_handler != MPI_COMM_NULL) MPI_Comm_free(&freed_by_handler);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, other);
  expect(failed > 0, "no rank was told that it had too little room");
  MPI_Comm_free(&failing);
  MPI_Comm_free(&beside);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// No rank looks after its calls until the last one is late by much.
void without_a_look(MPI_Comm other) {
  for (std::size_t which = 0; which < collectives.size(); ++which) {
    const auto call = call_on(other, world_ranks - 1, some_elements, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    collectives[which].start(*call, &request);
    usleep(static_cast<unsigned>(world_rank) * 3000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(collectives[which].is_right(*call), collectives[which].name);
  }
}

/// No rank calls anything of MPI's until it has all of a long message that others hand on: by a thread of the
/// library's.
void without_calls(MPI_Comm other) {
  if (!has_progress_thread || !choose_ours()) return;
  const auto call = call_on(other, 0, 20000, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  start_bcast(*call, &request);
  const volatile long long& last_element = call->to.back();
  for (int waited = 0; last_element != call->value(call->count - 1) && waited < 60'000; ++waited) usleep(1000);
  expect(last_element == call->value(call->count - 1), "a call got on by calls of MPI's alone, in spite of a thread");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(bcast_is_right(*call), "a wrong result of a call that a thread has ended");
}

/// What a communicator's ranks have not agreed on, calls that do not block cannot wait for: the next one that blocks
/// does, however short it is.
void before_the_first_that_blocks(MPI_Comm other) {
  const bool is_ours = choose_ours();
  if (is_ours) set("allreduce", "auto");
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(other, &fresh);
  const auto call_short_one = [&] {
    int short_one = 1;
    MPI_Allreduce(MPI_IN_PLACE, &short_one, 1, MPI_INT, MPI_SUM, fresh);
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (const Collective& one : collectives) {
      const bool is_next = std::strcmp(one.name, "bcast") == 0 || std::strcmp(one.name, "alltoallv") == 0;
      if (!is_next) continue;
      const auto call = call_on(fresh, 0, some_elements, turn);
      MPI_Request request = MPI_REQUEST_NULL;
      one.start(*call, &request);
      const bool is_native = !is_ours || std::strcmp(last(one.name), "native") == 0;
      expect(is_native == (turn == 0 || !is_ours), "a call that does not block ran another than its ranks can know of");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(one.is_right(*call), "a wrong result on a fresh communicator");
    }
    call_short_one();
  }
  if (is_ours && set("bcast", "multicast") == 0) {
    for (const bool is_there : {false, true}) {
      const auto call = call_on(fresh, 0, some_elements, 3);
      MPI_Request request = MPI_REQUEST_NULL;
      start_bcast(*call, &request);
      Heard heard;
      last_multicast("bcast", &heard);
      const bool may_be = is_there && !has_progress_thread;
      expect((heard.words != nullptr) == may_be, "a group that is asked for before it may be, or after");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(bcast_is_right(*call), "a wrong result of a multicast");
      call_short_one();
    }
  }
  MPI_Comm_free(&fresh);
}

struct Case {
  const char* name;
  void (*run)(MPI_Comm other);
};
constexpr std::array cases{
    Case{"in-a-barrier", in_a_barrier},
    Case{"in-others-collectives", in_others_collectives},
    Case{"in-long-collectives", in_long_collectives},
    Case{"in-a-receive", in_a_receive},
    Case{"in-a-send", in_a_send},
    Case{"in-a-probe", in_a_probe},
    Case{"in-making-communicators", in_making_communicators},
    Case{"freed-at-once", freed_at_once},
    Case{"persistent", persistent},
    Case{"a-thousand-at-once", a_thousand_at_once},
    Case{"beside-null", beside_null},
    Case{"beside-inactive", beside_inactive},
    Case{"freed-while-under-way", freed_while_under_way},
    Case{"in-an-error-handler", in_an_error_handler},
    Case{"without-a-look", without_a_look},
    Case{"without-calls", without_calls},
    Case{"before-the-first-that-blocks", before_the_first_that_blocks},
};

void choose(const char* choice) {
  bool taken = set == nullptr;
  for (const Collective& one : collectives) taken = (set != nullptr && set(one.name, choice) == 0) || taken;
  if (!taken) ++wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 4 ? std::atoi(argv[3]) : 1;
  const char* const progress = std::getenv("TRUNKLINE_PROGRESS");
  has_progress_thread = progress != nullptr && std::strcmp(progress, "thread") == 0;
  const int level = threads > 1 || has_progress_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level, &provided);
  if (argc < 5 || provided < level) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "trunkline_set"));
  last_multicast = reinterpret_cast<LastMulticast*>(dlsym(RTLD_DEFAULT, "trunkline_last_multicast"));
  last = reinterpret_cast<Last*>(dlsym(RTLD_DEFAULT, "trunkline_last"));
  const int calls = std::atoi(argv[1]);
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  choose(argv[4]);
  std::vector<Communicators> communicators(static_cast<std::size_t>(threads));
  if (threads == 1) {
    for (const Case& one : cases) {
      choose(argv[4]);
      one.run(communicators[0].at(1));
      MPI_Barrier(MPI_COMM_WORLD);
      if (world_rank == 0) std::printf("case %s\n", one.name);
      if (world_rank == 0) std::fflush(stdout);
    }
  }
  Counts counts;
  for (int done = 0; done < calls; done += batch) {
    const int turn = done / batch;
    MPI_Barrier(MPI_COMM_WORLD);
    choose(argv[4 + turn % (argc - 4)]);
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < communicators.size(); ++k) {
      others.emplace_back([&, k] {
        run_batch(seed + static_cast<unsigned>(turn) + 1000U * static_cast<unsigned>(k), communicators[k], nullptr);
      });
    }
    run_batch(seed + static_cast<unsigned>(turn), communicators[0], &counts);
    for (std::thread& one : others) one.join();
  }
  for (Communicators& one : communicators) one.release();
  long all_wrong = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (std::size_t k = 0; k < collectives.size() && world_rank == 0; ++k) {
    std::printf("%s %d %d\n", collectives[k].name, counts.accelerated[k], counts.calls[k]);
  }
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
