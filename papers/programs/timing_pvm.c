/* SPDX-License-Identifier: Apache-2.0
 * Times PVM's multicast (timing.h says how): rank 0 starts a task on every other host of the virtual machine.
 *
 *     trunkline-bench-pvm --hosts h0,h1,h2 --collective bcast --sizes 8192,1048576 --algorithms native --peer 1
 *
 * `native` is pvm_mcast with raw data; pvm_bcast does the same after asking the group server for the receivers.
 */
#define _GNU_SOURCE
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "timing.h"
#include "watch.h"

enum { MOST_TASKS = 512, TABLE = 1, MESSAGE, TIMES };

static struct machine us;
static int tasks[MOST_TASKS]; /* task identifier of each rank */

static void must(int result, char* what) { /* PVM wants it without const */
  if (result >= 0) return;
  pvm_perror(what);
  us.end(2);
}

static void end(int status) {
  for (int r = 0; r < us.ranks; ++r) {
    if (r != us.rank && tasks[r] > 0) pvm_kill(tasks[r]);
  }
  pvm_exit();
  exit(status);
}

static void to_all(void* data, int bytes, int tag, int root) {
  int others[MOST_TASKS];
  int count = 0;
  for (int r = 0; r < us.ranks; ++r) {
    if (r != root) others[count++] = tasks[r];
  }
  must(pvm_initsend(PvmDataRaw), "pvm_initsend");
  must(pvm_pkbyte(data, bytes, 1), "pvm_pkbyte");
  must(pvm_mcast(others, count, tag), "pvm_mcast");
}

static void from(void* data, int bytes, int task, int tag) {
  must(pvm_recv(task, tag), "pvm_recv");
  must(pvm_upkbyte(data, bytes, 1), "pvm_upkbyte");
}

static void broadcast(void* buffer, size_t bytes, int root) {
  if (us.rank == root) {
    to_all(buffer, (int)bytes, MESSAGE, root);
  } else {
    from(buffer, (int)bytes, tasks[root], MESSAGE);
  }
}

static const char* prepare(const struct message* m) {
  return strcmp(m->of->name, "bcast") == 0 ? NULL : "PVM is timed with bcast alone";
}

static void run(const char* algorithm, const struct message* m) {
  (void)algorithm;
  broadcast(m->to, m->bytes, m->root);
}

static void tell(void* message, int bytes) { broadcast(message, (size_t)bytes, 0); }

static void send_to(void* buffer, size_t bytes, int to) {
  must(pvm_initsend(PvmDataRaw), "pvm_initsend");
  must(pvm_pkbyte(buffer, (int)bytes, 1), "pvm_pkbyte");
  must(pvm_send(tasks[to], MESSAGE), "pvm_send");
}

static void receive_from(void* buffer, size_t bytes, int source) { from(buffer, (int)bytes, tasks[source], MESSAGE); }

static void slowest(const double mine[2], double of_all[2]) {
  if (us.rank != 0) {
    must(pvm_initsend(PvmDataRaw), "pvm_initsend");
    must(pvm_pkdouble((double*)mine, 2, 1), "pvm_pkdouble");
    must(pvm_send(tasks[0], TIMES), "pvm_send");
    return;
  }
  memcpy(of_all, mine, 2 * sizeof *mine);
  for (int r = 1; r < us.ranks; ++r) {
    double theirs[2];
    must(pvm_recv(tasks[r], TIMES), "pvm_recv");
    must(pvm_upkdouble(theirs, 2, 1), "pvm_upkdouble");
    for (int k = 0; k < 2; ++k) of_all[k] = theirs[k] > of_all[k] ? theirs[k] : of_all[k];
  }
}

static const char* ran(const char* algorithm) { return algorithm; }

static unsigned long long segment(const char* algorithm) {
  (void)algorithm;
  return 0ULL;
}

/* A daemon takes tasks before all the others have joined. */
static void wait_for_hosts(int wanted) {
  for (int tries = 0; tries < 600; ++tries) {
    int hosts = 0;
    int architectures = 0;
    struct pvmhostinfo* table = NULL;
    must(pvm_config(&hosts, &architectures, &table), "pvm_config");
    if (hosts >= wanted) return;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  fail(&us, "not all hosts have joined the virtual machine within a minute", "");
}

/* Rank 0: a task on each further host, in order; then everyone learns the table. */
static void start_others(char** argv, char* hosts) {
  int wanted = 1;
  for (const char* c = hosts; *c; ++c) wanted += *c == ',';
  wait_for_hosts(wanted);
  for (char* host = strtok(hosts, ","); host; host = strtok(NULL, ",")) {
    if (us.ranks == MOST_TASKS) fail(&us, "too many hosts", "");
    const int rank = us.ranks++;
    if (rank == 0) continue;
    if (pvm_spawn(argv[0], argv + 1, PvmTaskHost, host, 1, &tasks[rank]) != 1) {
      fail(&us, "PVM starts no task on host ", host);
    }
  }
  int table[MOST_TASKS + 1];
  table[0] = us.ranks;
  memcpy(table + 1, tasks, sizeof tasks);
  to_all(table, (int)sizeof table, TABLE, 0);
}

static void learn_table(int parent) {
  int table[MOST_TASKS + 1];
  from(table, (int)sizeof table, parent, TABLE);
  us.ranks = table[0];
  memcpy(tasks, table + 1, sizeof tasks);
  const int me = pvm_mytid();
  while (tasks[us.rank] != me) ++us.rank;
}

int main(int argc, char** argv) {
  us = (struct machine){.tell = tell,
                        .prepare = prepare,
                        .run = run,
                        .send = send_to,
                        .receive = receive_from,
                        .slowest = slowest,
                        .ran = ran,
                        .segment = segment,
                        .end = end};
  tasks[0] = pvm_mytid();
  must(tasks[0], "pvm_mytid");
  if (argc < 3 || strcmp(argv[1], "--hosts") != 0) fail(&us, "the first option must be --hosts", "");
  const int parent = pvm_parent();
  if (parent == PvmNoParent) {
    watch_program(argc, argv);
    char* hosts = strdup(argv[2]);
    start_others(argv, hosts);
    free(hosts);
  } else {
    learn_table(parent);
  }
  struct options o;
  read_options(&us, argc - 2, argv + 2, &o);
  if (us.rank == 0) {
    char version[64];
    snprintf(version, sizeof version, "PVM %s", pvm_version());
    print_library(version, us.ranks);
  }
  measure_all(&us, &o);
  pvm_exit();
  return 0;
}
