// SPDX-License-Identifier: Apache-2.0
// Wrong arguments: the communicator's error handler hears of them, with the MPI library's own error class.
#include <string>

#include "suite.hpp"

namespace suite {
namespace {

int error_class(int code) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  return found;
}

struct Heard {
  int calls = 0;
  int code = MPI_SUCCESS;
};
Heard heard;

void listen(MPI_Comm*, int* code, ...) {
  ++heard.calls;
  heard.code = *code;
}

struct Arguments {
  void* buffer;
  int count;
  MPI_Datatype type;
  int root;
};

/// MPI_Bcast must fail as PMPI_Bcast does; errors of arguments are found before anything is sent. (MPICH 5 returns
/// success once it has called a handler of the user's.)
void same_error(Run& run, MPI_Comm communicator, const Arguments& wrong, const std::string& what) {
  heard = {};
  const int native = PMPI_Bcast(wrong.buffer, wrong.count, wrong.type, wrong.root, communicator);
  const Heard native_heard = heard;
  heard = {};
  const int ours = MPI_Bcast(wrong.buffer, wrong.count, wrong.type, wrong.root, communicator);
  run.expect(native != MPI_SUCCESS || native_heard.calls > 0, what + ": the MPI library itself accepts it");
  run.expect(error_class(ours) == error_class(native), what + ": another error class than the MPI library's");
  run.expect(heard.calls == native_heard.calls, what + ": the handler was called " + std::to_string(heard.calls) +
                                                    " times, by the MPI library " + std::to_string(native_heard.calls));
  run.expect(error_class(heard.code) == error_class(native_heard.code), what + ": the handler heard of another error");
}

void all_wrong_arguments(Run& run, MPI_Comm communicator) {
  std::vector<double> data(1000, 1.0);
  MPI_Datatype not_committed = MPI_DATATYPE_NULL;
  MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &not_committed);
  same_error(run, communicator, {data.data(), 1000, MPI_DOUBLE, run.ranks}, "a root that is not there");
  same_error(run, communicator, {data.data(), 1000, MPI_DOUBLE, -9}, "a negative root");
  same_error(run, communicator, {data.data(), -1, MPI_DOUBLE, 0}, "a negative count");
  same_error(run, communicator, {data.data(), 1000, MPI_DATATYPE_NULL, 0}, "no datatype");
  if (run.ranks > 1) same_error(run, communicator, {data.data(), 1, not_committed, 0}, "a datatype not committed");
  MPI_Type_free(&not_committed);
}

void errors_return(Run& run) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  all_wrong_arguments(run, copy);
  broadcast_bytes(run, 3000, 0, copy, "after the errors");
  run.expect_ran(run.ranks > 1, "after the errors");
  all_wrong_arguments(run, copy);
  MPI_Comm_free(&copy);
}

void own_handler(Run& run) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_create_errhandler(listen, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, handler);
  broadcast_bytes(run, 3000, 0, copy, "before the error");
  all_wrong_arguments(run, copy);

  std::vector<char> data(3000);
  heard = {};
  MPI_Bcast(data.data(), 3000, MPI_CHAR, run.ranks + 3, copy);
  run.expect(heard.calls == 1, "the handler was called " + std::to_string(heard.calls) + " times");
  run.expect(error_class(heard.code) == MPI_ERR_ROOT, "the handler heard of another error");

  MPI_Errhandler kept = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(copy, &kept);
  run.expect(kept == handler, "the communicator has another error handler now");
  MPI_Errhandler_free(&kept);
  MPI_Comm_free(&copy);
  MPI_Errhandler_free(&handler);
}

/// An error in the middle of a transfer, on 2 ranks: the root sends more than the other one has room for. It hears of
/// it, and other communicators, whose broadcasts follow at once, notice nothing.
void too_long_for_the_receiver(Run& run) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // where MPICH reports what goes wrong in MPI_Waitany
  for (const bool apart : {false, true}) {
    const std::string what = apart ? "bytes apart" : "bytes in a row";
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_CHAR, 0, apart ? 2 : 1, &type);
    MPI_Type_commit(&type);
    std::vector<char> data(2000, static_cast<char>(run.rank));
    const int code = MPI_Bcast(data.data(), run.rank == 0 ? 1000 : 600, type, 0, copy);
    if (run.rank == 0) run.expect_ran(run.ranks > 1, what);
    const int expected = run.rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
    run.expect(error_class(code) == expected, what + ": error class " + std::to_string(error_class(code)));
    MPI_Type_free(&type);
    MPI_Comm_free(&copy);
    for (int root = 0; root < run.ranks; ++root) broadcast_bytes(run, 3000, root, MPI_COMM_WORLD, "after " + what);
    run.expect_ran(run.ranks > 1, "after " + what);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Of a broadcast that failed on the receiver, segments may be under way that nobody has asked for. The next one on the
/// same communicator must not take them for its own.
void what_an_error_leaves_behind(Run& run) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  std::vector<char> data(5000, static_cast<char>(run.rank));
  const int code = MPI_Bcast(data.data(), run.rank == 0 ? 5000 : 600, MPI_CHAR, 0, copy);
  run.expect((code == MPI_SUCCESS) == (run.rank == 0), "error class " + std::to_string(error_class(code)));
  for (int turn = 0; turn < 3; ++turn) broadcast_bytes(run, 5000, 0, copy, "after the error");
  for (int root = 0; root < run.ranks; ++root) broadcast_bytes(run, 5000, root, copy, "after the error, other roots");
  run.expect_ran(run.ranks > 1, "after the error");
  MPI_Comm_free(&copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

std::vector<Case> error_cases() {
  return {{"errors", "MPI_ERRORS_RETURN", errors_return},
          {"errors", "a handler of the user's", own_handler},
          {"truncation", "more than the receiver has room for", too_long_for_the_receiver},
          {"truncation", "what an error leaves behind", what_an_error_leaves_behind}};
}

}  // namespace suite
