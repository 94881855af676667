// SPDX-License-Identifier: Apache-2.0
// runtime-aliases CASE [RANK]: a call whose buffers MPI forbids, or some of them, on all ranks or on one alone. Each
// rank prints "rank R: CASE class C, right" or "..., wrong", so that jobs with and without the preload library can be
// compared: what MPI reports natively must be reported, and what it takes must be right.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr std::size_t count = 5000;  ///< of a share, and of a vector

int rank = 0;
int ranks = 1;
bool concerned = true;  ///< this rank is one of those with forbidden buffers
MPI_Comm communicator = MPI_COMM_NULL;

using Numbers = std::vector<int>;

int value(int of, std::size_t i) { return static_cast<int>(i * 31) + of * 1003; }

Numbers operand(std::size_t length) {
  Numbers own(length);
  for (std::size_t i = 0; i < length; ++i) own[i] = value(rank, i);
  return own;
}

/// Sums of all ranks' operands, from `first` on.
bool is_sum(const Numbers& got, std::size_t first, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    int sum = 0;
    for (int of = 0; of < ranks; ++of) sum += value(of, first + i);
    if (got[i] != sum) return false;
  }
  return true;
}

struct Ended {
  int code;
  bool right;
};

std::size_t at(int of) { return static_cast<std::size_t>(of) * count; }

bool is_gathered(const Numbers& all) {
  for (int of = 0; of < ranks; ++of) {
    for (std::size_t i = 0; i < count; ++i) {
      if (all[at(of) + i] != value(of, i)) return false;
    }
  }
  return true;
}

/// From `place` of the receive buffer; ranks that are not concerned send from elsewhere.
Ended gather_from(std::size_t place, bool by_rank) {
  Numbers own = operand(count);
  Numbers all(at(ranks), -1);
  if (concerned) std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(place));
  const int* const send = concerned ? all.data() + place : own.data();
  const Numbers counts(static_cast<std::size_t>(ranks), count);
  Numbers starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  const int code =
      by_rank ? MPI_Allgatherv(send, count, MPI_INT, all.data(), counts.data(), starts.data(), MPI_INT, communicator)
              : MPI_Allgather(send, count, MPI_INT, all.data(), count, MPI_INT, communicator);
  return {code, is_gathered(all)};
}

Ended allgather_own_place() { return gather_from(at(rank), false); }
Ended allgatherv_own_place() { return gather_from(at(rank), true); }
Ended allgather_same() { return gather_from(0, false); }

/// Numbers with gaps between them, from the place of the rank that sends them.
Ended allgather_gaps_own_place() {
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
  MPI_Type_commit(&apart);
  Numbers own(2 * count, -1);
  Numbers all(2 * at(ranks), -1);
  int* const send = concerned ? all.data() + 2 * at(rank) : own.data();
  for (std::size_t i = 0; i < count; ++i) send[2 * i] = value(rank, i);
  const int code = MPI_Allgather(send, count, apart, all.data(), count, apart, communicator);
  bool right = true;
  for (std::size_t i = 0; i < at(ranks); ++i) {
    right = right && all[2 * i] == value(static_cast<int>(i / count), i % count) && all[2 * i + 1] == -1;
  }
  MPI_Type_free(&apart);
  return {code, right};
}

Ended allreduce_same() {
  Numbers own = operand(count);
  Numbers sum(count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Allreduce(own.data(), result, count, MPI_INT, MPI_SUM, communicator);
  return {code, is_sum(concerned ? own : sum, 0, count)};
}

Ended reduce_same() {
  Numbers own = operand(count);
  Numbers sum(count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Reduce(own.data(), result, count, MPI_INT, MPI_SUM, 1, communicator);
  return {code, rank != 1 || is_sum(concerned ? own : sum, 0, count)};
}

Ended reduce_scatter_same() {
  Numbers own = operand(at(ranks));
  Numbers sum(count);
  const Numbers counts(static_cast<std::size_t>(ranks), count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Reduce_scatter(own.data(), result, counts.data(), MPI_INT, MPI_SUM, communicator);
  return {code, is_sum(concerned ? own : sum, at(rank), count)};
}

Ended reduce_scatter_block_same() {
  Numbers own = operand(at(ranks));
  Numbers sum(count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Reduce_scatter_block(own.data(), result, count, MPI_INT, MPI_SUM, communicator);
  return {code, is_sum(concerned ? own : sum, at(rank), count)};
}

/// The last rank gets nothing, and has no buffer for it; concerned ones say MPI_IN_PLACE for it.
Ended reduce_scatter_nothing() {
  Numbers own = operand(at(ranks - 1));
  Numbers sum(count);
  Numbers counts(static_cast<std::size_t>(ranks), count);
  counts.back() = 0;
  void* const nowhere = concerned ? MPI_IN_PLACE : nullptr;
  void* const result = rank == ranks - 1 ? nowhere : sum.data();
  const int code = MPI_Reduce_scatter(own.data(), result, counts.data(), MPI_INT, MPI_SUM, communicator);
  return {code, rank == ranks - 1 || is_sum(sum, at(rank), count)};
}

Ended bcast_null() {
  Numbers data(count, rank == 0 ? 7 : 0);
  const int code = MPI_Bcast(concerned ? nullptr : data.data(), count, MPI_INT, 0, communicator);
  return {code, data.back() == 7 || concerned};
}

Ended allreduce_null() {
  Numbers own = operand(count);
  Numbers sum(count);
  const int code = MPI_Allreduce(own.data(), concerned ? nullptr : sum.data(), count, MPI_INT, MPI_SUM, communicator);
  return {code, concerned || is_sum(sum, 0, count)};
}

Ended allgather_null() {
  Numbers own = operand(count);
  Numbers all(at(ranks), -1);
  const int code =
      MPI_Allgather(own.data(), count, MPI_INT, concerned ? nullptr : all.data(), count, MPI_INT, communicator);
  return {code, concerned || is_gathered(all)};
}

Ended both_in_place() {
  Numbers own = operand(count);
  const int code =
      MPI_Allreduce(MPI_IN_PLACE, concerned ? MPI_IN_PLACE : own.data(), count, MPI_INT, MPI_SUM, communicator);
  return {code, concerned || is_sum(own, 0, count)};
}

/// Where it is no root's business.
Ended reduce_in_place() {
  Numbers own = operand(count);
  const bool wrong = concerned && rank != 1;
  const int code =
      MPI_Reduce(wrong || rank == 1 ? MPI_IN_PLACE : own.data(), own.data(), count, MPI_INT, MPI_SUM, 1, communicator);
  return {code, rank != 1 || is_sum(own, 0, count)};
}

const std::map<std::string, std::function<Ended()>> cases{
    {"allgather-own-place", allgather_own_place},
    {"allgather-gaps-own-place", allgather_gaps_own_place},
    {"allgather-same", allgather_same},
    {"allgatherv-own-place", allgatherv_own_place},
    {"allreduce-same", allreduce_same},
    {"reduce-same", reduce_same},
    {"reduce-scatter-same", reduce_scatter_same},
    {"reduce-scatter-block-same", reduce_scatter_block_same},
    {"reduce-scatter-nothing", reduce_scatter_nothing},
    {"bcast-null", bcast_null},
    {"allreduce-null", allreduce_null},
    {"allgather-null", allgather_null},
    {"both-in-place", both_in_place},
    {"reduce-in-place", reduce_in_place},
};

}  // namespace

/// And the class: test_aliases.py reads it where a launcher has dropped the words all the same.
constexpr int aborts_with = 100;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  concerned = argc < 3 || std::atoi(argv[2]) == rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  const auto [code, right] = cases.at(argc > 1 ? argv[1] : "")();
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  const bool reported = error_class != MPI_SUCCESS;
  std::printf("rank %d: %s class %d, %s\n", rank, argv[1], error_class, reported || right ? "right" : "wrong");
  std::fflush(stdout);
  if (reported) {
    usleep(300000);  // launchers drop what they have not read by the end
    MPI_Abort(MPI_COMM_WORLD, aborts_with + error_class);
  }
  MPI_Comm_free(&communicator);
  MPI_Finalize();
  return right ? 0 : 1;
}
