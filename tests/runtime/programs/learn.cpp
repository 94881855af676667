// SPDX-License-Identifier: Apache-2.0
// runtime-learn CALLS [late]: many calls that are alike, on MPI_COMM_WORLD, on two halves of it, and on communicators
// that live for 25 calls. Every call's data are checked, and that all ranks ran the same for it. `late`: now and then a
// rank comes late to a call. Rank 0 prints what the last calls on MPI_COMM_WORLD ran, and how many algorithms did:
//
//   bcast ALGORITHM NUMBER
//   allreduce of int ALGORITHM NUMBER
//   allreduce of double ALGORITHM NUMBER
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using Last = const char*(const char*);

constexpr int elements = 5000;

Last* last = nullptr;
int rank = 0;
bool is_late = false;
std::map<std::string, std::set<std::string>> ran;  // on MPI_COMM_WORLD
std::map<std::string, std::string> ran_last;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "runtime-learn: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

/// All ranks ran the same for the last call; by messages that the library does not see.
void check_alike(MPI_Comm communicator, const char* collective, const char* calls) {
  std::string own = last(collective);
  if (communicator == MPI_COMM_WORLD) ran_last[calls] = own;
  if (communicator == MPI_COMM_WORLD) ran[calls].insert(own);
  own.resize(64, ' ');
  std::string first = own;
  PMPI_Bcast(first.data(), 64, MPI_CHAR, 0, communicator);
  if (first != own) fail(("ran " + own + ", and rank 0 " + first).c_str());
}

void come_late(int turn) {
  if (is_late && (turn * 7 + rank * 5) % 23 == 0) usleep(2000);
}

template <class Number>
void allreduce(MPI_Comm communicator, MPI_Datatype type, const char* calls, int turn) {
  int ranks = 0;
  int own = 0;
  MPI_Comm_size(communicator, &ranks);
  MPI_Comm_rank(communicator, &own);
  std::vector<Number> given(elements);
  std::vector<Number> sum(elements);
  for (int at = 0; at < elements; ++at) given[at] = static_cast<Number>(own + at + turn);
  MPI_Allreduce(given.data(), sum.data(), elements, type, MPI_SUM, communicator);
  for (int at = 0; at < elements; ++at) {
    if (sum[at] != static_cast<Number>(ranks * (at + turn) + ranks * (ranks - 1) / 2)) fail("a sum is wrong");
  }
  check_alike(communicator, "allreduce", calls);
}

void broadcast(MPI_Comm communicator, int root, int turn) {
  int own = 0;
  MPI_Comm_rank(communicator, &own);
  std::vector<int> data(elements);
  for (int at = 0; own == root && at < elements; ++at) data[at] = at * 31 + turn;
  MPI_Bcast(data.data(), elements, MPI_INT, root, communicator);
  for (int at = 0; at < elements; ++at) {
    if (data[at] != at * 31 + turn) fail("a broadcast brought something wrong");
  }
  check_alike(communicator, "bcast", "bcast");
}

void calls_on(MPI_Comm communicator, int turn) {
  come_late(turn);
  broadcast(communicator, turn % 3 == 2 ? 1 : 0, turn);
  come_late(turn + 11);
  allreduce<int>(communicator, MPI_INT, "allreduce of int", turn);
  allreduce<double>(communicator, MPI_DOUBLE, "allreduce of double", turn);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int turns = argc > 1 ? std::atoi(argv[1]) : 100;
  is_late = argc > 2 && std::strcmp(argv[2], "late") == 0;
  last = reinterpret_cast<Last*>(dlsym(RTLD_DEFAULT, "trunkline_last"));
  if (last == nullptr) fail("the library is not loaded");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm brief = MPI_COMM_NULL;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn % 25 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &brief);
    calls_on(MPI_COMM_WORLD, turn);
    calls_on(half, turn);
    broadcast(brief, 0, turn);
    if (turn % 25 == 24) MPI_Comm_free(&brief);
  }
  if (brief != MPI_COMM_NULL) MPI_Comm_free(&brief);
  MPI_Comm_free(&half);
  for (const auto& [calls, algorithms] : ran) {
    if (rank == 0) std::printf("%s %s %zu\n", calls.c_str(), ran_last[calls].c_str(), algorithms.size());
  }
  MPI_Finalize();
  return 0;
}
