// SPDX-License-Identifier: Apache-2.0
// Invisible: no attribute callback, message, request or communicator of the application is touched.
#include <string>
#include <vector>

#include "suite.hpp"

namespace suite {
namespace {

struct Calls {
  int copies = 0;
  int deletions = 0;
};

int count_copy(MPI_Comm, int, void* extra, void* value, void* copy, int* flag) {
  ++static_cast<Calls*>(extra)->copies;
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int count_deletion(MPI_Comm, int, void*, void* extra) {
  ++static_cast<Calls*>(extra)->deletions;
  return MPI_SUCCESS;
}

void attributes(Run& run) {
  Calls calls;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(count_copy, count_deletion, &keyval, &calls);
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, keyval, &calls);
  broadcast_bytes(run, 3000, 0, first, "with an attribute");
  run.expect_ran(run.ranks > 1, "with an attribute");
  run.expect(calls.copies == 0 && calls.deletions == 0, "a broadcast called the application's callbacks");

  MPI_Comm_dup(first, &second);
  run.expect(calls.copies == 1 && calls.deletions == 0, "MPI_Comm_dup did not call the copy callback once");
  broadcast_bytes(run, 3000, run.ranks - 1, second, "on the duplicate");
  MPI_Comm_free(&first);
  run.expect(calls.deletions == 1, "MPI_Comm_free did not call the delete callback once");
  broadcast_bytes(run, 3000, 0, second, "on the duplicate, once the original is gone");
  run.expect_ran(run.ranks > 1, "on the duplicate");
  MPI_Comm_free(&second);
  run.expect(calls.copies == 1 && calls.deletions == 2, "callbacks were called besides those of dup and free");
  MPI_Comm_free_keyval(&keyval);
}

/// A receive that takes anything must not take ours.
void messages(Run& run) {
  int got = -1;
  const int from = (run.rank + run.ranks - 1) % run.ranks;
  const int to = (run.rank + 1) % run.ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  broadcast_bytes(run, 3000, 0, MPI_COMM_WORLD, "beside a receive from anywhere");
  int early = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &early, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&run.rank, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  run.expect(early == 0, "a message of ours is seen in MPI_COMM_WORLD");
  run.expect(got == from, "the receive from anywhere got " + std::to_string(got));
}

/// The first broadcast makes a communicator; collective calls under way on the user's must not mind.
void nonblocking(Run& run) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  std::vector<int> other(2000, run.rank == 0 ? 5 : 0);
  std::vector<int> another(2000, run.rank == 0 ? 6 : 0);
  MPI_Request requests[2];
  MPI_Ibcast(other.data(), 2000, MPI_INT, 0, copy, &requests[0]);
  MPI_Ibcast(another.data(), 2000, MPI_INT, 0, copy, &requests[1]);
  broadcast_bytes(run, 3000, run.ranks - 1, copy, "beside non-blocking collectives");
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  run.expect(other == std::vector<int>(2000, 5), "the non-blocking broadcast is wrong");
  run.expect(another == std::vector<int>(2000, 6), "the second non-blocking broadcast is wrong");
  MPI_Comm_free(&copy);
}

/// Broadcasts follow each other without a barrier: none may take another one's segments.
void back_to_back(Run& run) {
  for (int turn = 0; turn < 12; ++turn) {
    broadcast_bytes(run, 500 + static_cast<unsigned>(turn) * 211, turn * 3 % run.ranks, MPI_COMM_WORLD,
                    "turn " + std::to_string(turn));
  }
}

/// MPI goes on with what other ranks want of one that waits in a call: here they put data into its memory, which some
/// libraries do by messages, a few at a time.
void others_reach_a_rank_that_waits(Run& run) {
  constexpr int often = 30;
  constexpr double soon_s = 5.0;  // it takes some milliseconds; where MPI is looked at now and then, many times as long
  std::vector<int> data(3000, run.rank);
  std::vector<int> kept(data.size());
  const auto bytes = static_cast<MPI_Aint>(kept.size() * sizeof(int));
  const int last = run.ranks - 1;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(kept.data(), bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  double took_s = 0.0;
  if (run.rank == last) {
    const double start = MPI_Wtime();
    for (int i = 0; i < often && MPI_Wtime() < start + soon_s; ++i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
      MPI_Accumulate(data.data(), 3000, MPI_INT, 0, 0, 3000, MPI_INT, MPI_REPLACE, window);
      MPI_Win_unlock(0, window);
    }
    took_s = MPI_Wtime() - start;
  }
  broadcast_bytes(run, 5000, last, MPI_COMM_WORLD, "while its root reaches for others");
  MPI_Barrier(MPI_COMM_WORLD);
  run.expect(took_s < soon_s, "a rank that waits in a broadcast keeps others from its memory");
  run.expect(run.rank != 0 || kept.back() == last, "what was put into the memory of a rank that waits is not there");
  MPI_Win_free(&window);
}

void name_and_group(Run& run) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_name(copy, "mine");
  broadcast_bytes(run, 3000, 0, copy, "named");
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Comm_get_name(copy, name, &length);
  run.expect(std::string(name) == "mine", std::string("the communicator is called ") + name);
  MPI_Comm_free(&copy);
}

}  // namespace

std::vector<Case> isolation_cases() {
  return {{"isolation", "attributes", attributes},
          {"isolation", "messages", messages},
          {"isolation", "non-blocking collectives", nonblocking},
          {"isolation", "back to back", back_to_back},
          {"isolation", "others reach a rank that waits", others_reach_a_rank_that_waits},
          {"isolation", "name", name_and_group}};
}

}  // namespace suite
