// SPDX-License-Identifier: Apache-2.0
// What error handlers may do: throw, broadcast, end their thread or the job; and who hears of what.
#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void throwing(MPI_Comm*, int*, ...) { throw Thrown("from the handler"); }

/// A handler that leaves by an exception is caught by the program, whoever found the error.
void handler_throws() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throwing, &handler);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  right(copy, 3000, 0, 1, "before");
  std::vector<char> data(100000, 1);
  int caught = 0;
  for (int turn = 0; turn < 3; ++turn) {
    try {
      MPI_Bcast(data.data(), 3000, MPI_BYTE, ranks + 2, copy);
    } catch (const Thrown&) {
      ++caught;
    }
  }
  expect(caught == 3, "a wrong root: caught " + std::to_string(caught) + " of 3");
  if (!preloaded()) return;  // what follows is left open by MPI
  caught = 0;
  try {
    MPI_Bcast(data.data(), rank == ranks - 1 ? 100000 : 50000, MPI_BYTE, 0, copy);
  } catch (const std::exception& error) {
    caught += std::string(error.what()) == "from the handler" ? 1 : 0;
  }
  if (rank == ranks - 1) expect(caught == 1, "other sizes: not caught");
  right(MPI_COMM_WORLD, 30000, 0, 4, "afterwards");
}

MPI_Comm elsewhere = MPI_COMM_NULL;
void broadcasting(MPI_Comm*, int*, ...) {
  ++heard;
  right(elsewhere, 5000, 0, 8, "in the handler");
}

void handler_broadcasts() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(broadcasting, &handler);
  elsewhere = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  std::vector<char> data(5000, 1);
  MPI_Bcast(data.data(), 5000, MPI_BYTE, ranks + 2, copy);
  expect(heard == 1, "the handler was called " + std::to_string(heard) + " times");
}

void aborting(MPI_Comm*, int*, ...) { MPI_Abort(MPI_COMM_WORLD, 3); }

void handler_aborts() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(aborting, &handler);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  std::vector<char> data(100000, 1);
  MPI_Bcast(data.data(), rank == ranks - 1 ? 100000 : 50000, MPI_BYTE, 0, copy);
  sleep(20);  // for the others' end
}

int hear(MPI_Comm, int code) {
  ++heard;
  return code;
}
void hearing(MPI_Comm* communicator, int* code, ...) { hear(*communicator, *code); }
void unheard(MPI_Comm*, int*, ...) { expect(false, "MPI_COMM_WORLD's handler heard of it"); }

/// Reported to the communicator's handler, once.
void invalid_datatype() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler wrong = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(hearing, &handler);
  MPI_Comm_create_errhandler(unheard, &wrong);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, wrong);
  std::vector<char> data(5000, 1);
  right(copy, 5000, 0, 1, "before");
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_vector(10, 1, 2, MPI_INT, &apart);
  MPI_Bcast(data.data(), 10, apart, 0, copy);  // not committed
  expect(heard == 1, "not committed: the handler was called " + std::to_string(heard) + " times");
#ifndef OPEN_MPI  // whose handles are addresses: a wrong one is a segmentation fault, natively too
  heard = 0;
  MPI_Bcast(data.data(), 10, static_cast<MPI_Datatype>(MPI_COMM_WORLD), 0, copy);
  expect(heard == 1, "no datatype at all: the handler was called " + std::to_string(heard) + " times");
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Errors without a communicator go where MPI sends them by itself: to the handler that MPI_COMM_WORLD has by now.
void error_without_communicator() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int size = 0;
  expect(MPI_Type_size(MPI_DATATYPE_NULL, &size) != MPI_SUCCESS, "the size of no datatype");
  expect(MPI_Comm_size(MPI_COMM_NULL, &size) != MPI_SUCCESS, "the size of no communicator");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void ending_the_thread(MPI_Comm*, int*, ...) {
  ++heard;
  pthread_exit(nullptr);
}

/// Unwinds as thread cancellation does: no frame may stop it.
void handler_ends_thread() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(ending_the_thread, &handler);
  const auto unwound = [handler](int bytes, int root) {
    const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
    bool destroyed = false;
    struct Guard {
      bool& destroyed;
      ~Guard() { destroyed = true; }
    };
    std::thread([&] {
      const Guard guard{destroyed};
      std::vector<char> data(static_cast<std::size_t>(bytes), 1);
      MPI_Bcast(data.data(), bytes, MPI_BYTE, root, copy);
    }).join();
    return destroyed;
  };
  expect(unwound(3000, ranks + 2) && heard == 1, "a wrong root");
  if (preloaded()) expect(unwound(rank == ranks - 1 ? 100000 : 50000, 0) && (heard == 2 || rank < ranks - 1), "sizes");
  right(MPI_COMM_WORLD, 30000, 0, 4, "afterwards");
}

void operand_handler_throws() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throwing, &handler);
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, handler);
  right_sums(copy, 1000, "before");
  const Sums own(rank == ranks - 1 ? 12000 : 6000, 1);
  Sums all(own.size(), -1);
  bool caught = false;
  try {
    add_up(true, own, all, copy);
  } catch (const Thrown&) {
    caught = true;
  }
  expect(caught, "other operands: not caught");
  right_sums(MPI_COMM_WORLD, 1000, "afterwards");
}

}  // namespace

Cases handler_cases() {
  return {
      {"handler-throws", handler_throws},
      {"handler-broadcasts", handler_broadcasts},
      {"handler-aborts", handler_aborts},
      {"handler-ends-thread", handler_ends_thread},
      {"invalid-datatype", invalid_datatype},
      {"operand-handler-throws", operand_handler_throws},
      {"error-without-communicator", error_without_communicator},
  };
}

}  // namespace faults
