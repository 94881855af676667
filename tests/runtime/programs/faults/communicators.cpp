// SPDX-License-Identifier: Apache-2.0
// Communicators that come and go, and what a program's first call sees.
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

/// A callback that broadcasts on the communicator that is being freed.
int deletions = 0;
int broadcast_at_deletion(MPI_Comm communicator, int, void*, void*) {
  ++deletions;
  right(communicator, 6000, ranks - 1, 5, "in a delete callback");
  return MPI_SUCCESS;
}

void delete_callback() {
  for (const bool attribute_first : {true, false}) {
    for (const bool disconnect : {false, true}) {
      int key = MPI_KEYVAL_INVALID;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, broadcast_at_deletion, &key, nullptr);
      MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
      if (attribute_first) MPI_Comm_set_attr(copy, key, nullptr);
      right(copy, 6000, 0, 1, "before");
      if (!attribute_first) MPI_Comm_set_attr(copy, key, nullptr);
      deletions = 0;
      if (disconnect) {
        MPI_Comm_disconnect(&copy);
      } else {
        MPI_Comm_free(&copy);
      }
      expect(deletions == 1, "the callback ran " + std::to_string(deletions) + " times");
      MPI_Comm_free_keyval(&key);
      right(MPI_COMM_WORLD, 6000, 0, 2, "afterwards");
    }
  }
}

/// A duplicate that is still being made while broadcasts run on what it is made of.
void pending_idup() {
  for (int turn = 0; turn < 5; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm later = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(copy, &later, &request);
    right(copy, 20000, 0, turn, "beside MPI_Comm_idup");
    right(copy, 3000, ranks - 1, turn, "beside MPI_Comm_idup, another root");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right(later, 20000, 0, turn, "on the new one");
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
  }
}

void dist_graph() {
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 20000, turn % ranks, turn, "before");
    const int degree = 1;
    const int target = (rank + 1) % ranks;
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create(copy, 1, &rank, &degree, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    right(graph, 20000, 0, turn, "on the graph");
    MPI_Comm_free(&graph);
    MPI_Comm_free(&copy);
  }
}

/// As a garbage collector may: each rank in another order.
void freed_in_any_order() {
  std::vector<MPI_Comm> copies(static_cast<std::size_t>(ranks));
  for (MPI_Comm& copy : copies) copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (std::size_t i = 0; i < copies.size(); ++i) right(copies[i], 500, static_cast<int>(i), 0, "one of several");
  for (std::size_t i = 0; i < copies.size(); ++i) {
    MPI_Comm& copy = copies[(i + static_cast<std::size_t>(rank)) % copies.size()];
    MPI_Comm_free(&copy);
    usleep(20000);
  }
}

/// Of communicators that have come and gone nothing is left, but for the last few.
void freed_again_and_again() {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  std::ptrdiff_t first = 0;
  for (int turn = 0; turn < 200; ++turn) {
    MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    right(copy, 500, turn % ranks, turn, "one after another");
    MPI_Comm_free(&copy);
    if (turn == 10) first = open_files();
  }
  const std::ptrdiff_t more = open_files() - first;
  expect(more < 40, std::to_string(more) + " more files are open");
}

/// As many as the library gives without us: MPICH has 2048.
void many_communicators() {
  std::vector<MPI_Comm> copies(1900, MPI_COMM_NULL);
  for (MPI_Comm& copy : copies) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    right(copy, 400, 0, 1, "one of 1900");
  }
  for (std::size_t i = 0; i < copies.size(); i += 100) right(copies[i], 4000, ranks - 1, 2, "again");
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  right(MPI_COMM_WORLD, 4000, 0, 3, "the world");
}

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
void session() {
  MPI_Session made = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(made, "mpi://WORLD", &group);
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, "runtime-faults", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &communicator);
  right(communicator, 30000, 0, 1, "on a session's communicator");
  right(MPI_COMM_WORLD, 30000, 0, 2, "the world beside it");
  right(communicator, 3000, ranks - 1, 3, "on a session's communicator, another root");
  MPI_Comm_free(&communicator);
  MPI_Group_free(&group);
  MPI_Session_finalize(&made);
}
#endif

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
/// A root that revokes the communicator: the others wait in the broadcast already, and hear of it; so do later calls.
void revoked() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right(copy, 30000, 0, 1, "before");
  if (rank == 0) {
    sleep(1);
    MPIX_Comm_revoke(copy);
  }
  std::vector<double> data(5000, 1.0);
  const int waiting = MPI_Bcast(data.data(), 5000, MPI_DOUBLE, 0, copy);
  expect(class_of(waiting) == MPIX_ERR_REVOKED, "waiting: class " + std::to_string(class_of(waiting)));
  const int later = MPI_Allreduce(MPI_IN_PLACE, data.data(), 5000, MPI_DOUBLE, MPI_SUM, copy);
  expect(class_of(later) == MPIX_ERR_REVOKED, "later: class " + std::to_string(class_of(later)));
  right(MPI_COMM_WORLD, 30000, 0, 2, "the world afterwards");
}
#endif

/// Allgather is the first call of the program's own: what it gets must be its own; and no message but its own is seen.
void first_allgather() {
  std::vector<int> all(static_cast<std::size_t>(ranks), -1);
  int stray = 0;
  for (int look = 0; look < 1000; ++look)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &stray, MPI_STATUS_IGNORE);
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int other = 0; other < ranks; ++other) expect(all[static_cast<std::size_t>(other)] == other, "wrong gather");
  right(MPI_COMM_WORLD, 200000, 0, 1, "a broadcast");
  MPI_Barrier(MPI_COMM_WORLD);
  if (stray == 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &stray, MPI_STATUS_IGNORE);
  expect(stray == 0, "a message that is not the program's");
}

}  // namespace

Cases communicator_cases() {
  return {
    {"delete-callback", delete_callback}, {"pending-idup", pending_idup}, {"dist-graph", dist_graph},
        {"freed-in-any-order", freed_in_any_order}, {"freed-again-and-again", freed_again_and_again},
        {"many-communicators", many_communicators}, {"first-allgather", first_allgather},
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
        {"session", session},
#endif
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
        {"revoked", revoked},
#endif
  };
}

}  // namespace faults
