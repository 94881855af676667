// SPDX-License-Identifier: Apache-2.0
// runtime-numbers: members of communicators agree on their numbers (transport/mpi/ids.hpp). None is given twice while
// it is in use, those that were given back come again, and once all are in use there is none; threads of all processes
// that are at it at once get different ones. Exit status 0 or 1, with what was wrong.
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "transport/mpi/ids.hpp"

namespace trunkline::runtime {
namespace {

int rank = 0;
int ranks = 0;
std::atomic<bool> is_wrong = false;

void expect(bool right, const char* what) {
  if (right) return;
  is_wrong = true;
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
}

void numbers_in_turn() {
  constexpr unsigned count = 128;
  Ids ids(count);
  std::vector<bool> taken(count, false);
  taken[Ids::of_world] = true;
  for (unsigned i = 1; i < count; ++i) {
    const std::optional<unsigned> id = ids.agree(MPI_COMM_WORLD, rank).id;
    expect(id && *id < count && !taken[*id], "no number, or one that is in use");
    if (id && *id < count) taken[*id] = true;
  }
  expect(!ids.agree(MPI_COMM_WORLD, rank).id, "a number where all are in use");
  for (const unsigned id : {7U, 100U}) {
    ids.release(id);
    expect(ids.agree(MPI_COMM_WORLD, rank).id == id, "not the one number that came back");
  }
}

/// Each thread has a communicator of its own, as MPI asks for.
void numbers_of_threads() {
  constexpr int threads = 4;
  const unsigned rounds = ranks == 1 ? 200000 : 300;  // alone, a race is all that there is to see
  constexpr unsigned count = 256;
  Ids ids(count);
  std::vector<std::atomic<bool>> in_use(count);
  std::vector<MPI_Comm> communicators(threads);
  for (MPI_Comm& one : communicators) MPI_Comm_dup(MPI_COMM_WORLD, &one);
  std::vector<std::thread> all;
  all.reserve(threads);
  for (const MPI_Comm communicator : communicators) {
    all.emplace_back([&, communicator] {
      for (unsigned round = 0; round < rounds; ++round) {
        const Ids::Agreed agreed = ids.agree(communicator, rank);
        if (agreed.busy) continue;
        if (!agreed.id) return expect(false, "no number for a thread");
        expect(!in_use[*agreed.id].exchange(true), "two threads have one number");
        MPI_Barrier(communicator);
        in_use[*agreed.id] = false;
        ids.release(*agreed.id);
      }
    });
  }
  for (std::thread& one : all) one.join();
  for (MPI_Comm& one : communicators) MPI_Comm_free(&one);
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &trunkline::runtime::rank);
  MPI_Comm_size(MPI_COMM_WORLD, &trunkline::runtime::ranks);
  trunkline::runtime::numbers_in_turn();
  if (provided == MPI_THREAD_MULTIPLE) trunkline::runtime::numbers_of_threads();
  MPI_Finalize();
  return trunkline::runtime::is_wrong ? 1 : 0;
}
