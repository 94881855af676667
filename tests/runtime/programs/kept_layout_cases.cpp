// SPDX-License-Identifier: Apache-2.0
// What a datatype is made of is kept with it: as long as it lives, no longer, and without the application's notice.
#include <algorithm>
#include <string>
#include <thread>

#include "typed_buffer.hpp"

namespace suite {
namespace {

/// Blocks of one to three ints; where they are follows from `seed`.
MPI_Datatype scattered(std::size_t blocks, unsigned seed) {
  std::vector<int> lengths(blocks);
  std::vector<int> places(blocks);
  int at = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    seed = seed * 1664525U + 1013904223U;
    lengths[i] = 1 + static_cast<int>((seed >> 16) % 3);
    places[i] = at;
    at += lengths[i] + 1 + static_cast<int>((seed >> 20) % 3);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(blocks), lengths.data(), places.data(), MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

void broadcast_on_world(Run& run, MPI_Datatype type, int count, const std::string& what) {
  const unsigned serial = next_serial();
  broadcast_typed(run, type, count, static_cast<int>(serial) % run.ranks, MPI_COMM_WORLD, serial, what);
}

void again_and_again(Run& run) {
  MPI_Datatype type = scattered(100, 1);
  for (const int count : {1, 3, 1, 2}) broadcast_on_world(run, type, count, std::to_string(count) + " elements");
  MPI_Type_free(&type);
}

/// MPI libraries use handles again: what was known of the old datatype must not be taken for the new one.
void handle_used_again(Run& run) {
  for (unsigned turn = 0; turn < 20; ++turn) {
    MPI_Datatype type = scattered(50 + turn % 3, turn);
    broadcast_on_world(run, type, 2, "datatype " + std::to_string(turn));
    MPI_Type_free(&type);
  }
}

void original_freed(Run& run) {
  MPI_Datatype type = scattered(60, 5);
  broadcast_on_world(run, type, 1, "the original");
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &copy);
  MPI_Type_vector(3, 1, 2, type, &row);
  MPI_Type_commit(&row);
  MPI_Type_free(&type);
  broadcast_on_world(run, copy, 2, "a duplicate of one that is freed");
  broadcast_on_world(run, row, 2, "a vector of one that is freed");
  MPI_Datatype again = MPI_DATATYPE_NULL;
  MPI_Type_dup(copy, &again);
  MPI_Type_free(&copy);
  broadcast_on_world(run, again, 2, "a duplicate of the duplicate");
  MPI_Type_free(&again);
  MPI_Type_free(&row);
}

struct TypeCalls {
  int copies = 0;
  int deletions = 0;
};

int count_type_copy(MPI_Datatype, int, void* extra, void* value, void* copy, int* flag) {
  ++static_cast<TypeCalls*>(extra)->copies;
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int count_type_deletion(MPI_Datatype, int, void*, void* extra) {
  ++static_cast<TypeCalls*>(extra)->deletions;
  return MPI_SUCCESS;
}

void type_attributes(Run& run) {
  TypeCalls calls;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(count_type_copy, count_type_deletion, &keyval, &calls);
  MPI_Datatype type = scattered(60, 7);
  MPI_Type_set_attr(type, keyval, &calls);
  broadcast_on_world(run, type, 1, "with an attribute");
  broadcast_on_world(run, type, 1, "with an attribute, again");
  run.expect(calls.copies == 0 && calls.deletions == 0, "a broadcast called the application's callbacks");
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &copy);
  broadcast_on_world(run, copy, 1, "a duplicate with an attribute");
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  run.expect(calls.copies == 1 && calls.deletions == 2, "callbacks were called besides those of dup and free");
  MPI_Type_free_keyval(&keyval);
}

/// Each thread meets each datatype first, or at the same time as the other one.
void two_threads_one_datatype(Run& run) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) return;
  constexpr unsigned turns = 30;
  std::vector<MPI_Datatype> types(turns, MPI_DATATYPE_NULL);
  for (unsigned turn = 0; turn < turns; ++turn) types[turn] = scattered(40, turn);
  std::vector<MPI_Comm> own(2, MPI_COMM_NULL);
  for (MPI_Comm& communicator : own) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  std::vector<Run> runs(2, run);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned turn = 0; turn < turns; ++turn) {
        const std::string what = "thread " + std::to_string(t) + ", datatype " + std::to_string(turn);
        broadcast_typed(runs[t], types[turn], 1, static_cast<int>(turn + t) % run.ranks, own[t], 2 * turn + t, what);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Run& one : runs) run.log.insert(run.log.end(), one.log.begin(), one.log.end());
  for (MPI_Comm& communicator : own) MPI_Comm_free(&communicator);
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
}

void types_never_freed(Run& run) { broadcast_on_world(run, scattered(60, 9), 1, "a datatype that nobody frees"); }

void types_made_and_freed(Run& run) {
  std::vector<int> data(4000, 1);
  long before = 0;
  constexpr unsigned turns = 3000;
  for (unsigned turn = 0; turn < turns; ++turn) {
    if (turn == turns / 3) before = resident_kib();
    MPI_Datatype type = scattered(500, turn);
    MPI_Bcast(data.data(), 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
  }
  const long grown = resident_kib() - before;
  run.expect(grown < 1024, "2000 datatypes later " + std::to_string(grown) + " KiB more are in use");
}

}  // namespace

std::vector<Case> kept_layout_cases() {
  return {{"datatypes", "again and again", again_and_again},
          {"datatypes", "handle used again", handle_used_again},
          {"datatypes", "original freed", original_freed},
          {"isolation", "attributes of a datatype", type_attributes},
          {"threads", "two threads, one datatype", two_threads_one_datatype},
          {"datatypes", "never freed", types_never_freed},
          {"leaks", "datatypes made and freed", types_made_and_freed}};
}

}  // namespace suite
