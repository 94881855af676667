/* SPDX-License-Identifier: Apache-2.0
 * Sizes around segments and windows, roots, broadcasts that follow each other.
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum { guard = 64 };

unsigned char content(long at) { return (unsigned char)(at * 7 + (at >> 8) * 13 + serial * 31 + 1); }

void broadcast_bytes(int bytes, int root, MPI_Comm comm, int native, const char* what) {
  unsigned char* const data = malloc((size_t)bytes + guard);
  int own = 0;
  long wrong = 0;
  const int before = calls.native;
  const long long asked = calls.asked;
  ++serial;
  MPI_Comm_rank(comm, &own);
  memset(data, 0xA5, (size_t)bytes + guard);
  for (int i = 0; own == root && i < bytes; ++i) data[i] = content(i);
  expect(trunkline_bcast(data, bytes, MPI_BYTE, root, comm) == MPI_SUCCESS, what, bytes);
  for (int i = 0; i < bytes; ++i) wrong += data[i] != content(i);
  for (int i = bytes; i < bytes + guard; ++i) wrong += data[i] != 0xA5;
  expect(wrong == 0, what, bytes);
  expect(calls.native - before == native, "MPI_Bcast was called, or was not", calls.native - before);
  expect(native || calls.asked - asked == (own == root ? 0 : bytes), "bytes that arrive", (long)(calls.asked - asked));
  free(data);
}

void around_segments(void) {
  const int sizes[] = {1, 2, segment - 1, segment, segment + 1, 2 * segment, 31 * segment + 1, 100 * segment + 7};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    if (sizes[i] > 0) broadcast_bytes(sizes[i], plan_root, MPI_COMM_WORLD, 0, "sizes around segments");
  }
  broadcast_bytes(0, plan_root, MPI_COMM_WORLD, 1, "no bytes");
  broadcast_bytes(3000001, plan_root, MPI_COMM_WORLD, 0, "more than a window");
}

void every_root(void) {
  for (int root = 0; root < ranks; ++root) {
    broadcast_bytes(5 * segment + 3, root, MPI_COMM_WORLD, root != plan_root, "every root");
  }
}

/* None may take another one's segments. */
void back_to_back(void) {
  for (int turn = 0; turn < 20; ++turn) {
    broadcast_bytes(turn * segment / 3 + 1, plan_root, MPI_COMM_WORLD, 0, "back to back");
  }
}
