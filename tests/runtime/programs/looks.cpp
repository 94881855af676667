// SPDX-License-Identifier: Apache-2.0
// runtime-looks MICROSECONDS: ranks wait in a barrier for the last one, which is half a second late. Each look at MPI
// costs so much of the processor, as one does that moves data of the program's own messages. Rank 0 prints its looks.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<long> looks{0};
std::atomic<long> cost_us{0};

long processor_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

/// The preload library's calls come here, as the program's own functions are found before the MPI library's.
extern "C" __attribute__((visibility("default"))) int PMPI_Iprobe(int from, int tag, MPI_Comm communicator, int* found,
                                                                  MPI_Status* status) {
  using Iprobe = int(int, int, MPI_Comm, int*, MPI_Status*);
  ++looks;
  for (const long end = processor_us() + cost_us; processor_us() < end;) {
  }
  return reinterpret_cast<Iprobe*>(dlsym(RTLD_NEXT, "PMPI_Iprobe"))(from, tag, communicator, found, status);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // nobody has used MPI for a while
  PMPI_Barrier(MPI_COMM_WORLD);
  looks = 0;
  cost_us = argc > 1 ? std::atol(argv[1]) : 0;
  if (rank == ranks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  MPI_Barrier(MPI_COMM_WORLD);
  cost_us = 0;
  if (rank == 0) std::printf("%ld looks\n", looks.load());
  MPI_Finalize();
}
