/* SPDX-License-Identifier: Apache-2.0
 * Times a transfer to many receivers that is no message of MPI (timing.h and transfer.h say how); T(m) is half a
 * ping-pong over TCP.
 *
 *     trunkline-bench-udpcast --rank 0 --hosts h0,h1,h2 --rate 20e6 --collective bcast --sizes 8192,1048576
 *         --algorithms paced,fec --peer 1
 *
 * A rank is started on each host, with its number.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sockets.h"
#include "transfer.h"
#include "watch.h"

static struct machine us;

double payload_bps(double rate_bps, int payload) { return rate_bps * payload / (payload + HEADER_BYTES + FRAME_BYTES); }

static const char* prepare(const struct message* m) {
  return strcmp(m->of->name, "bcast") == 0 && m->root == 0 ? NULL : "only a bcast from rank 0 can be timed";
}

static const char* ran(const char* algorithm) { return algorithm; }

static unsigned long long segment(const char* algorithm) {
  (void)algorithm;
  return 0ULL;
}

static int is_a_way(const char* name) {
  const size_t length = strlen(name);
  for (const char* way = transfer.ways; way; way = strchr(way, ',')) {
    way += *way == ',';
    if (strcspn(way, ",") == length && strncmp(way, name, length) == 0) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  us = (struct machine){.prepare = prepare,
                        .open = transfer.open,
                        .run = transfer.run,
                        .close = transfer.close,
                        .ahead = transfer.ahead,
                        .ran = ran,
                        .segment = segment,
                        .end = exit};
  enum { OWN = 6 };
  static const char* const own[] = {"--rank", "--hosts", "--rate"};
  for (int k = 0; k < OWN / 2; ++k) {
    if (argc < OWN + 1 || strcmp(argv[1 + 2 * k], own[k]) != 0)
      fail(&us, "the first options must be --rank --hosts --rate", "");
  }
  signal(SIGPIPE, SIG_IGN);
  const int rank = atoi(argv[2]);
  if (rank == 0) watch_program(argc, argv);
  connect_ranks(&us, rank, argv[4]);
  struct options o;
  read_options(&us, argc - OWN, argv + OWN, &o);
  for (int k = 0; k < o.algorithm_count; ++k) {
    if (!is_a_way(o.algorithms[k])) fail(&us, "--algorithms are of: ", transfer.ways);
  }
  transfer.begin(&us, atof(argv[6]));
  if (rank == 0) {
    char version[128];
    snprintf(version, sizeof version, "%s", transfer.version());
    print_library(version, us.ranks);
  }
  measure_all(&us, &o);
  return 0;
}
