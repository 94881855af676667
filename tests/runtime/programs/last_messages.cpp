// SPDX-License-Identifier: Apache-2.0
// Ranks that leave right after their last message, which their sockets do not take at once: each even rank sends the
// next one some messages of an odd length, another number of them in each pair, and calls MPI_Finalize while that rank
// still sleeps. The end of the last message is then the MPI library's to send, out of MPI_Finalize.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int bytes = 4304;
constexpr int fewest_messages = 4;

int messages(int rank) { return fewest_messages + rank / 2; }

void send(int rank) {
  std::vector<char> data(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(messages(rank)), 'x');
  std::vector<MPI_Request> requests(static_cast<std::size_t>(messages(rank)));
  char ready = 0;
  MPI_Recv(&ready, 1, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Isend(data.data() + i * bytes, bytes, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(messages(rank), requests.data(), MPI_STATUSES_IGNORE);
}

void receive(int rank) {
  std::vector<char> data(bytes);
  MPI_Send(data.data(), 1, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD);
  sleep(1);
  for (int i = 0; i < messages(rank); ++i) {
    MPI_Recv(data.data(), bytes, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank % 2 == 1) {
    receive(rank);
  } else if (rank + 1 < ranks) {
    send(rank);
  }
  MPI_Finalize();
  if (rank == 0) std::puts("all ranks have left");
}
