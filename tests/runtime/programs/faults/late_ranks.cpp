// SPDX-License-Identifier: Apache-2.0
// Ranks that are late, stopped or killed.
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

/// The greatest size of this process counts anew. What earlier cases left free is given back, so that it hides nothing.
void forget_greatest_size() {
  malloc_trim(0);
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  expect(file.good(), "/proc/self/clear_refs cannot be written");
}

/// Calls again and again, which go from one rank to another that is late: what waits for it is bounded. First in bytes;
/// then in calls of one message to a rank, by turns on many communicators, on each of which ranks may run ahead.
void call_a_late_rank(int from, int late, const std::function<void()>& call,
                      const std::function<void(MPI_Comm)>& short_call) {
  constexpr int calls = 3000;
  constexpr int far = 2500;
  MPI_Barrier(MPI_COMM_WORLD);
  forget_greatest_size();
  const long before = resident_kib("VmHWM:");
  if (rank == late) sleep(1);
  for (int i = 0; i < calls; ++i) call();
  const long grown = resident_kib("VmHWM:") - before;
  expect(grown < 16384, std::to_string(grown) + " KiB more were in use");

  std::array<MPI_Comm, 50> copies{};
  for (MPI_Comm& copy : copies) {
    copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    short_call(copy);
  }
  MPI_Request telling = MPI_REQUEST_NULL;
  int is_far = 0;
  if (rank == late) {  // busy with something else, so that its library takes in what comes
    for (int i = 0; i < 2000 && is_far == 0; ++i) {
      MPI_Iprobe(from, 0, MPI_COMM_WORLD, &is_far, MPI_STATUS_IGNORE);
      usleep(500);
    }
    expect(is_far == 0, "a rank has made " + std::to_string(far) + " calls meanwhile");
  }
  for (int i = 0; i < calls; ++i) {
    if (i == far && rank == from) MPI_Isend(&is_far, 1, MPI_INT, late, 0, MPI_COMM_WORLD, &telling);
    short_call(copies[static_cast<std::size_t>(i) % copies.size()]);
  }
  if (rank == late) MPI_Recv(&is_far, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&telling, MPI_STATUS_IGNORE);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
}

void late_rank() {
  std::vector<char> data(4000, 1);
  const auto broadcast = [&](int bytes, MPI_Comm on) { MPI_Bcast(data.data(), bytes, MPI_BYTE, 0, on); };
  call_a_late_rank(
      0, ranks - 1, [&] { broadcast(4000, MPI_COMM_WORLD); }, [&](MPI_Comm on) { broadcast(1000, on); });
  right(MPI_COMM_WORLD, 4000, 0, 1, "afterwards");
}

/// A rank that is stopped in the middle, and goes on.
void stopped_rank() {
  std::vector<char> data(4000, 1);
  for (int call = 0; call < 2000; ++call) {
    if (call == 1000 && rank == ranks - 1) {
      const pid_t own = getpid();
      std::thread([own] {}).join();
      if (fork() == 0) {
        sleep(2);
        kill(own, SIGCONT);
        _exit(0);
      }
      raise(SIGSTOP);
    }
    MPI_Bcast(data.data(), 4000, MPI_BYTE, call % ranks, MPI_COMM_WORLD);
  }
  right(MPI_COMM_WORLD, 4000, 0, 1, "afterwards");
}

/// A correct program: the root is far ahead of the last rank, which waits for one that is late. Nobody may take
/// messages of calls to come, of other sizes, for a disagreement about this one.
void far_ahead() {
  for (int round = 0; round < 3; ++round) {
    choose("unaware-linear");
    if (rank == ranks - 2) sleep(1);
    right(MPI_COMM_WORLD, 3000, 0, 1, "down the line");
    choose("flat");
    for (int call = 0; call < 1500; ++call)
      right(MPI_COMM_WORLD, 10 + call % 700, 0, call, "call " + std::to_string(call));
  }
}

/// The launcher ends the job; nobody waits for the dead.
void killed_rank() {
  std::vector<char> data(4000, 1);
  for (int call = 0; call < 1000000; ++call) {
    if (call == 500 && rank == ranks - 1) raise(SIGKILL);
    MPI_Bcast(data.data(), 4000, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (call > 600) usleep(1000);
  }
}

/// Reductions to one root.
void late_reduce_root() {
  const Sums own(500, 1);
  const Sums few(100, 1);
  Sums all(own.size(), -1);
  right_sums(MPI_COMM_WORLD, 500, "before");
  call_a_late_rank(
      ranks - 1, 0, [&] { add_up(false, own, all, MPI_COMM_WORLD); },
      [&](MPI_Comm on) { add_up(false, few, all, on); });
  right_sums(MPI_COMM_WORLD, 500, "afterwards");
}

void killed_in_allreduce() {
  const Sums own(500, 1);
  Sums all(own.size(), -1);
  for (int call = 0; call < 1000000; ++call) {
    if (call == 500 && rank == ranks - 1) raise(SIGKILL);
    add_up(true, own, all, MPI_COMM_WORLD);
    if (call > 600) usleep(1000);
  }
}

/// Late by longer than others keep silent, also where a busy machine lets them call late; then all is right.
void late_for_long() {
  right(MPI_COMM_WORLD, 5000, 0, 1, "before");
  if (rank == 0) sleep(14);
  right(MPI_COMM_WORLD, 5000, 0, 2, "of a late root");
  if (rank == 0) sleep(14);
  right(MPI_COMM_WORLD, 5000, 0, 3, "of a late root, again");
}

}  // namespace

Cases lateness_cases() {
  return {
      {"late-rank", late_rank},
      {"stopped-rank", stopped_rank},
      {"far-ahead", far_ahead},
      {"killed-rank", killed_rank},
      {"late-reduce-root", late_reduce_root},
      {"killed-in-allreduce", killed_in_allreduce},
      {"late-for-long", late_for_long},
  };
}

}  // namespace faults
