/* SPDX-License-Identifier: Apache-2.0
 * What a message costs the two hosts that exchange it, by size: docs/results/message-cost.md has the method. Rank 0
 * prints one JSON object a size, times in seconds, each the median of its samples. For two ranks, on hosts that do
 * nothing else, with links that are faster than the processors.
 *
 *     message_cost SIZE...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include <unistd.h>
#include "median.h"

enum { WINDOW = 8, SAMPLES = 31, TAG = 7, GO = 8 };

static int rank;
static char* buffers; /* WINDOW to send from, WINDOW to receive into */
static size_t longest;

static char* place(int i) { return buffers + (size_t)i * longest; }

static void token(int from) {
  if (rank == from) {
    MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, GO, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static double half_round_trip(int bytes) {
  const double start = MPI_Wtime();
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == turn) {
      MPI_Send(place(0), bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD);
    } else {
      MPI_Recv(place(WINDOW), bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return (MPI_Wtime() - start) / 2;
}

/* The receiver waits for it. */
static double sending(int bytes) {
  double took = 0;
  if (rank == 0) {
    usleep(1000);
    const double start = MPI_Wtime();
    MPI_Send(place(0), bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    took = MPI_Wtime() - start;
  } else {
    MPI_Recv(place(WINDOW), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  token(1);
  return took;
}

/* It has come before the receiver asks. */
static double receiving(int bytes) {
  double took = 0;
  if (rank == 1) {
    MPI_Send(place(0), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
  } else {
    usleep(5000);
    const double start = MPI_Wtime();
    MPI_Recv(place(WINDOW), bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    took = MPI_Wtime() - start;
  }
  token(0);
  return took;
}

/* Seconds a message of a stream, a window of them under way; `ways` 2: each rank sends one and receives one. */
static double stream(int bytes, int messages, int ways) {
  MPI_Request receives[WINDOW], sends[WINDOW];
  const int is_sender = rank == 0 || ways == 2, is_receiver = rank == 1 || ways == 2;
  for (int i = 0; i < WINDOW; ++i) {
    sends[i] = receives[i] = MPI_REQUEST_NULL;
    if (is_receiver) MPI_Irecv(place(WINDOW + i), bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &receives[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int k = 0; k < messages; ++k) {
    const int i = k % WINDOW;
    if (is_sender) {
      MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
      MPI_Isend(place(i), bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &sends[i]);
    }
    if (is_receiver) {
      MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
      if (k + WINDOW < messages)
        MPI_Irecv(place(WINDOW + i), bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &receives[i]);
    }
  }
  MPI_Waitall(WINDOW, sends, MPI_STATUSES_IGNORE);
  token(1);
  return (MPI_Wtime() - start) / messages;
}

/* Two messages handed over at once, the receives posted: when does the first one come, as a part of when both have? */
static double first_of_two(int bytes) {
  MPI_Request requests[2];
  double first = 0, both = 0;
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Irecv(place(WINDOW + i), bytes, MPI_BYTE, 1, TAG + i, MPI_COMM_WORLD, &requests[i]);
    const double start = MPI_Wtime();
    token(0);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    first = MPI_Wtime() - start;
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    both = MPI_Wtime() - start;
  } else {
    token(0);
    for (int i = 0; i < 2; ++i) MPI_Isend(place(i), bytes, MPI_BYTE, 0, TAG + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  token(0);
  return rank == 0 ? first / both : 0;
}

/* Whether a send ends although nobody has asked for the message. */
static int is_eager(int bytes) {
  int answer = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const double start = MPI_Wtime();
    MPI_Send(place(0), bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    answer = MPI_Wtime() - start < 0.015;
  } else {
    usleep(30000);
    MPI_Recv(place(WINDOW), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return answer;
}

static double repeated(double (*measure)(int), int bytes) {
  double samples[SAMPLES];
  for (int i = -2; i < SAMPLES; ++i) {
    const double one = measure(bytes);
    if (i >= 0) samples[i] = one;
  }
  return median_of(samples, SAMPLES);
}

static double streamed(int bytes, int ways) {
  double samples[SAMPLES];
  const int messages = bytes < 1 << 16 ? 256 : bytes < 1 << 20 ? 64 : 16;
  for (int i = -1; i < SAMPLES; ++i) {
    const double one = stream(bytes, messages, ways);
    if (i >= 0) samples[i] = one;
    if (bytes >= 1 << 22 && i >= 6) {
      for (int k = 7; k < SAMPLES; ++k) samples[k] = samples[k % 7];
      break;
    }
  }
  return median_of(samples, SAMPLES);
}

int main(int argc, char** argv) {
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 1; k < argc; ++k)
    longest = strtoull(argv[k], NULL, 10) > longest ? strtoull(argv[k], NULL, 10) : longest;
  buffers = longest > 0 ? malloc(2 * WINDOW * longest) : NULL;
  if (ranks != 2 || !buffers) {
    fprintf(stderr, "usage: mpiexec -n 2 message_cost SIZE...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  memset(buffers, 1, 2 * WINDOW * longest);
  for (int k = 1; k < argc; ++k) {
    const int bytes = atoi(argv[k]);
    const int eager = is_eager(bytes);
    const double trip = repeated(half_round_trip, bytes);
    const double send = repeated(sending, bytes);
    const double receive = repeated(receiving, bytes);
    const double one_way = streamed(bytes, 1);
    const double both_ways = streamed(bytes, 2);
    const double first = repeated(first_of_two, bytes);
    if (rank != 0) continue;
    printf(
        "{\"bytes\": %d, \"eager\": %d, \"half_round_trip\": %.3e, \"send\": %.3e, \"receive\": %.3e, "
        "\"one_way\": %.3e, \"both_ways\": %.3e, \"first_of_two\": %.3f}\n",
        bytes, eager, trip, send, receive, one_way, both_ways, first);
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    puts("end");
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
