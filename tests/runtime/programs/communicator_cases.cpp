// SPDX-License-Identifier: Apache-2.0
// Broadcasts on every kind of communicator, made and freed in every order.
#include <algorithm>
#include <string>

#include "suite.hpp"

namespace suite {
namespace {

int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

MPI_Comm split(int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &made);
  return made;
}

void broadcast_on(Run& run, MPI_Comm communicator, std::uint64_t bytes, int root, const std::string& what) {
  broadcast_bytes(run, bytes, root, communicator, what);
  run.expect_ran(bytes > 0 && size_of(communicator) > 1, what);
}

void every_root(Run& run) {
  for (int root = 0; root < run.ranks; ++root) {
    broadcast_on(run, MPI_COMM_WORLD, 1501 + static_cast<unsigned>(root), root, "root " + std::to_string(root));
  }
}

/// Roots come again, with other sizes in between.
void changing_roots_and_sizes(Run& run) {
  for (int turn = 0; turn < run.ranks + 3; ++turn) {
    broadcast_on(run, MPI_COMM_WORLD, turn % 3 == 0 ? 2000 : 1500, turn * 5 % run.ranks,
                 "turn " + std::to_string(turn));
  }
}

void halves(Run& run) {
  MPI_Comm half = split(run.rank % 2, run.rank);
  broadcast_on(run, half, 2500, size_of(half) - 1, "a half");
  MPI_Comm_free(&half);
}

void reversed(Run& run) {
  MPI_Comm backwards = split(0, -run.rank);
  broadcast_on(run, backwards, 2500, 0, "ranks reversed, from the last one");
  broadcast_on(run, backwards, 2500, run.ranks - 1, "ranks reversed, from the first one");
  MPI_Comm_free(&backwards);
}

void some_left_out(Run& run) {
  MPI_Comm some = split(run.rank == 0 ? MPI_UNDEFINED : 0, run.rank);
  if (some != MPI_COMM_NULL) {
    broadcast_on(run, some, 2500, 0, "all but one");
    MPI_Comm_free(&some);
  }
}

void alone(Run& run) { broadcast_on(run, MPI_COMM_SELF, 2500, 0, "MPI_COMM_SELF"); }

void cartesian(Run& run) {
  int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &run.ranks, &periodic, 1, &ring);
  broadcast_on(run, ring, 2500, run.ranks / 2, "a ring");
  MPI_Comm_free(&ring);
}

void intercommunicator(Run& run) {
  if (run.ranks < 2) return;
  const bool left = run.rank < run.ranks / 2;
  MPI_Comm side = split(left ? 0 : 1, run.rank);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, left ? run.ranks / 2 : 0, 5, &between);
  std::vector<unsigned char> data(3000, left && run.rank == 0 ? 7 : 0);
  const int root = !left ? 0 : run.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  const int code = MPI_Bcast(data.data(), 3000, MPI_BYTE, root, between);
  run.expect(code == MPI_SUCCESS, "error " + std::to_string(code));
  if (!left) run.expect(data == std::vector<unsigned char>(3000, 7), "wrong content");
  run.expect_ran(false, "an inter-communicator");

  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(between, left ? 1 : 0, &merged);
  broadcast_on(run, merged, 2500, run.ranks - 1, "merged");
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);
}

/// Internal communicators and plans must go with the user's communicator: MPI libraries have few thousand of them.
void made_and_freed(Run& run) {
  long before = 0;
  constexpr int turns = 300;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn == turns / 3) before = resident_kib();
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    broadcast_on(run, copy, 400, turn % run.ranks, "turn " + std::to_string(turn));
    MPI_Comm_free(&copy);
  }
  const long grown = resident_kib() - before;
  run.expect(grown < 256, "200 communicators later " + std::to_string(grown) + " KiB more are in use");
}

/// So must what is asked of the MPI library about a datatype.
void nested_datatypes(Run& run) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
  const int lengths[2] = {2, 3};
  const MPI_Aint places[2] = {0, 100};
  const MPI_Datatype types[2] = {inner, inner};
  MPI_Type_create_struct(2, lengths, places, types, &outer);
  MPI_Type_commit(&outer);
  std::vector<int> data(100, 1);
  long before = 0;
  constexpr int turns = 30000;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn == turns / 3) before = resident_kib();
    MPI_Bcast(data.data(), 1, outer, 0, MPI_COMM_WORLD);
  }
  const long grown = resident_kib() - before;
  run.expect(grown < 512, "20000 broadcasts later " + std::to_string(grown) + " KiB more are in use");
  MPI_Type_free(&outer);
  MPI_Type_free(&inner);
}

void many_at_once(Run& run) {
  std::vector<MPI_Comm> copies(12, MPI_COMM_NULL);
  for (MPI_Comm& copy : copies) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (MPI_Comm& copy : copies) broadcast_on(run, copy, 300, 0, "one of many");
  for (MPI_Comm& copy : copies) broadcast_on(run, copy, 300, run.ranks - 1, "one of many, again");
  std::ranges::reverse(copies);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
}

/// MPI libraries have room for some thousands of communicators, and the program has them all.
void as_many_as_the_library_has(Run& run) {
  std::vector<MPI_Comm> copies(1900, MPI_COMM_NULL);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]);
    broadcast_on(run, copies[i], 300, 0, "communicator " + std::to_string(i));
  }
  broadcast_on(run, copies.front(), 300, run.ranks - 1, "the first one again");
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  broadcast_on(run, MPI_COMM_WORLD, 300, 0, "the world, when they are gone");
}

/// Where the library has room for more than our tags can tell apart, the rest is native, until some are freed.
void more_than_can_be_told_apart(Run& run) {
  std::vector<MPI_Comm> copies(2100, MPI_COMM_NULL);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]);
    const std::string what = "communicator " + std::to_string(i);
    broadcast_bytes(run, 300, 0, copies[i], what);
    if (i < 2047) run.expect_ran(true, what);
    if (i > 2047) run.expect_ran(false, what);
  }
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  MPI_Comm last = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &last);
  broadcast_on(run, last, 300, 0, "one more, when they are gone");
  MPI_Comm_free(&last);
}

/// Left to MPI_Finalize.
void never_freed(Run& run) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  broadcast_on(run, copy, 2000, 0, "a communicator that nobody frees");
}

}  // namespace

std::vector<Case> communicator_cases() {
  return {{"communicators", "every root", every_root},
          {"communicators", "changing roots and sizes", changing_roots_and_sizes},
          {"communicators", "halves", halves},
          {"communicators", "ranks reversed", reversed},
          {"communicators", "some left out", some_left_out},
          {"communicators", "one process", alone},
          {"communicators", "cartesian", cartesian},
          {"communicators", "inter-communicator", intercommunicator},
          {"communicators", "many at once", many_at_once},
          {"communicators", "never freed", never_freed},
          {"many communicators", "as many as the library has", as_many_as_the_library_has},
          {"too many communicators", "more than can be told apart", more_than_can_be_told_apart},
          {"leaks", "made and freed", made_and_freed},
          {"leaks", "nested datatypes", nested_datatypes}};
}

}  // namespace suite
