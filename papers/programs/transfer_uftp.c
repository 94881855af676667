/* SPDX-License-Identifier: Apache-2.0
 * UFTP: a daemon on each receiver's host, which stays; a sender for each message. Its clock begins when the sender
 * comes to the file, after all receivers have registered, and ends when the last daemon says that the file is there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "sockets.h"
#include "transfer.h"

/* A block with UFTP's headers (28 bytes) fills a frame of 1500. */
enum { BLOCK = 1444, BLOCK_HEADER = 28, WORD = 32, LINE = 512, ID = 11 };
static const double part = 0.99; /* of the link's rate */
static const char* const folder = "/dev/shm/trunkline-uftp";
static const char* const file = "/dev/shm/trunkline-uftp/message";

static const struct machine* caster;
static char block[WORD];
static char kbit_rate[WORD];
static char ids[MOST_RANKS * ID + 1]; /* of all receivers, separated by commas */
static struct child child;
static double ahead_s;

/* One that was there may be another user's, or a link, which would have us write elsewhere. */
static void make_folder(const struct machine* m) {
  if (mkdir(folder, S_IRWXU) == 0) return;
  if (errno != EEXIST) fail(m, "no folder for files: ", strerror(errno));
  struct stat found;
  const int is_ours = lstat(folder, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
                      (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!is_ours) fail(m, "another file or folder is in the way; remove it: ", folder);
}

static void begin(const struct machine* m, double rate_bps) {
  caster = m;
  snprintf(block, sizeof block, "%d", BLOCK);
  /* Its rate is for the bytes of a datagram. */
  snprintf(kbit_rate, sizeof kbit_rate, "%.0f", part * payload_bps(rate_bps, BLOCK + BLOCK_HEADER) / 1000);
  make_folder(m);
  for (int r = 1; r < m->ranks; ++r) {
    snprintf(ids + (r - 1) * ID, sizeof ids - (size_t)(r - 1) * ID, "0x%08X%s", (unsigned)r,
             r + 1 < m->ranks ? "," : "");
  }
  if (m->rank == 0) return;
  char own[WORD];
  snprintf(own, sizeof own, "0x%08X", (unsigned)m->rank);
  const char* const words[] = {"uftpd", "-d", "-q",   "-x", "1",    "-I", "eth0",    "-U",
                               own,     "-D", folder, "-F", "@LOG", "-B", "1048576", NULL};
  child = start_child(m, words, CHILD_ERR);
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void write_file(const struct message* message) {
  FILE* f = fopen(file, "w");
  if (!f || fwrite(message->to, 1, message->bytes, f) != message->bytes || fclose(f) != 0) {
    fail(caster, "the file to send cannot be written: ", strerror(errno));
  }
}

static void run(const char* way, const struct message* message) {
  (void)way;
  char line[LINE];
  if (caster->rank != message->root) {
    wait_for_line(caster, &child, "RESULT;", line, sizeof line);
    if (!strstr(line, ";cop")) fail(caster, "uftpd has not got the file: ", line);
    return;
  }
  const double start = now_s();
  write_file(message);
  /* It asks 50 times before it gives a receiver up, the most that it takes: 20 are over before a busy host answers. */
  const char* const words[] = {"uftp", "-R", kbit_rate,      "-b", block, "-I", "eth0", "-H",      ids,  "-s",
                               "50",   "-r", "0.02:0.002:1", "-q", "-x",  "2",  "-B",   "1048576", file, NULL};
  child = start_child(caster, words, CHILD_ERR);
  wait_for_line(caster, &child, "File ID", line, sizeof line);
  ahead_s = now_s() - start;
}

static void close_session(const struct message* message) {
  if (caster->rank == message->root) {
    end_child(caster, &child);
    return;
  }
  FILE* f = fopen(file, "r");
  const size_t got = f ? fread(message->to, 1, message->bytes, f) : 0;
  const int more = f ? fgetc(f) : EOF;
  if (got != message->bytes || more != EOF) fail(caster, "the file that came has another length", "");
  fclose(f);
  unlink(file);
}

static double ahead(void) { return ahead_s; }

static const char* version(void) {
  static char text[WORD];
  char line[LINE];
  const char* const words[] = {"uftpd", "-d", "-q", "-I", "eth0", NULL};
  ask_child(caster, words, "UFTP version ", line, sizeof line);
  const char* number = strstr(line, "UFTP version ") + strlen("UFTP version ");
  snprintf(text, sizeof text, "UFTP %.*s", (int)strcspn(number, " "), number);
  return text;
}

const struct transfer transfer = {
    .begin = begin, .run = run, .close = close_session, .ahead = ahead, .ways = "paced", .version = version};
