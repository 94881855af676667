/* SPDX-License-Identifier: Apache-2.0
 * What a rank that waits in a broadcast does for the program's own traffic meanwhile: `bench/requests_beside.py` runs
 * it.
 *
 *     trunkline-requests-beside-MPI FORM BYTES COUNT
 *
 * The last rank is late for a broadcast of 400 000 bytes, since it first makes COUNT requests of rank 0, which waits in
 * it. FORM: send, ssend, bsend, rsend (rank 0 has posted the receives), put, fetch (one-sided), or probe (another
 * thread of rank 0 probes, receives and answers). Prints the milliseconds of a request: "mean 0.0012 most 0.040".
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_WAITED_FOR = 400000, WARM_UP = 5, REQUEST = 1, QUESTION = 7, ANSWER = 8, LONG = 100000 };

static char* data;
static int bytes;
static int count;
static int asker;
static MPI_Win window;

static void* answer_all(void* unused) {
  (void)unused;
  for (int i = 0; i < count; ++i) {
    int is_there = 0;
    while (!is_there) MPI_Iprobe(asker, QUESTION, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    MPI_Recv(data, bytes, MPI_BYTE, asker, QUESTION, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, asker, ANSWER, MPI_COMM_WORLD);
  }
  return NULL;
}

static void request(const char* form) {
  if (strcmp(form, "send") == 0) MPI_Send(data, bytes, MPI_BYTE, 0, REQUEST, MPI_COMM_WORLD);
  if (strcmp(form, "ssend") == 0) MPI_Ssend(data, bytes, MPI_BYTE, 0, REQUEST, MPI_COMM_WORLD);
  if (strcmp(form, "bsend") == 0) MPI_Bsend(data, bytes, MPI_BYTE, 0, REQUEST, MPI_COMM_WORLD);
  if (strcmp(form, "rsend") == 0) MPI_Rsend(data, bytes, MPI_BYTE, 0, REQUEST, MPI_COMM_WORLD);
  if (strcmp(form, "probe") == 0) {
    MPI_Send(data, bytes, MPI_BYTE, 0, QUESTION, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(form, "put") == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Put(data, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window);
    MPI_Win_unlock(0, window);
  }
  if (strcmp(form, "fetch") == 0) {
    const long more = 1;
    long before = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Fetch_and_op(&more, &before, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
  }
}

static void make_all(const char* form) {
  double sum = 0.0;
  double most = 0.0;
  for (int i = 0; i < count; ++i) {
    const double before = MPI_Wtime();
    request(form);
    const double took = MPI_Wtime() - before;
    sum += took;
    if (took > most) most = took;
  }
  printf("mean %.4f most %.3f\n", 1e3 * sum / count, 1e3 * most);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (argc != 4 || provided != MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "usage: trunkline-requests-beside-MPI FORM BYTES COUNT\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  const char* const form = argv[1];
  bytes = atoi(argv[2]);
  count = atoi(argv[3]);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  asker = ranks - 1;
  const int room = bytes > (int)sizeof(long) ? bytes : (int)sizeof(long);
  data = calloc((size_t)room, 1);
  char* const waited_for = calloc(BYTES_WAITED_FOR, 1);
  void* memory = NULL;
  MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < WARM_UP; ++i) MPI_Bcast(waited_for, BYTES_WAITED_FOR, MPI_BYTE, asker, MPI_COMM_WORLD);

  const int is_message = strstr(form, "send") != NULL;
  MPI_Request* const requests = malloc((size_t)count * sizeof *requests);
  char* const received = calloc((size_t)room * (size_t)(bytes > LONG ? 1 : count), 1);
  void* const buffer = malloc(((size_t)room + MPI_BSEND_OVERHEAD) * (size_t)count);
  if (rank == 0 && is_message) {
    for (int i = 0; i < count; ++i) {
      MPI_Irecv(received + (bytes > LONG ? 0 : (size_t)i * (size_t)bytes), bytes, MPI_BYTE, asker, REQUEST,
                MPI_COMM_WORLD, &requests[i]);
    }
  }
  if (strcmp(form, "bsend") == 0) MPI_Buffer_attach(buffer, (bytes + MPI_BSEND_OVERHEAD) * count);
  pthread_t thread;
  const int answers = rank == 0 && strcmp(form, "probe") == 0;
  if (answers) pthread_create(&thread, NULL, answer_all, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == asker) make_all(form);
  MPI_Bcast(waited_for, BYTES_WAITED_FOR, MPI_BYTE, asker, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && is_message && i < count; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  if (answers) pthread_join(thread, NULL);
  if (strcmp(form, "bsend") == 0) {
    void* given = NULL;
    int size = 0;
    MPI_Buffer_detach(&given, &size);
  }
  MPI_Win_free(&window);
  free(buffer);
  free(received);
  free(requests);
  free(waited_for);
  free(data);
  MPI_Finalize();
  return 0;
}
