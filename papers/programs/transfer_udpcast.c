/* SPDX-License-Identifier: Apache-2.0
 * udpcast: a sender that reads the message from a pipe once all receivers have joined, so that neither its start nor
 * the joining counts. A receiver has the message when all of it has come out of its pipe. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "transfer.h"

enum { BLOCK = 1456, BLOCK_HEADER = 16, WORD = 32, LINE = 512 };
/* Where both look for each other: by default at the interface's broadcast address, which not every one has. */
static const char* const meeting = "239.255.69.2";
/* Of the link's rate: beyond it queues only grow, and udpcast answers full queues by sending again. */
static const double part = 0.99;

static const struct machine* caster;
static char bit_rate[WORD];
static char receivers[WORD];
static struct child child;

static void begin(const struct machine* m, double rate_bps) {
  caster = m;
  /* Its limit is for the bytes of UDP, as each frame carries them. */
  snprintf(bit_rate, sizeof bit_rate, "%.0f", part * payload_bps(rate_bps, BLOCK + BLOCK_HEADER));
  snprintf(receivers, sizeof receivers, "%d", m->ranks - 1);
}

static void open_session(const char* way, const struct message* message) {
  if (caster->rank != message->root) {
    const char* const words[] = {"udp-receiver",  "--nokbd",     "--mcast-rdv-address",
                                 meeting,         "--interface", "eth0",
                                 "--stat-period", "1000000",     NULL};
    child = start_child(caster, words, CHILD_OUT | CHILD_ERR);
    return;
  }
  /* Who misses the answer to its request asks again at the next hello; a second of them leaves nobody out. */
  const char* const words[] = {"udp-sender",
                               "--nokbd",
                               "--mcast-rdv-address",
                               meeting,
                               "--interface",
                               "eth0",
                               "--no-progress",
                               "--full-duplex",
                               "--nopointopoint",
                               "--rexmit-hello-interval",
                               "50",
                               "--min-wait",
                               "1",
                               "--min-receivers",
                               receivers,
                               "--max-bitrate",
                               bit_rate,
                               strcmp(way, "fec") == 0 ? "--fec" : NULL,
                               "8x8/128",
                               NULL};
  child = start_child(caster, words, CHILD_IN | CHILD_ERR);
  char line[LINE];
  wait_for_line(caster, &child, "Starting transfer", line, sizeof line);
}

static void run(const char* way, const struct message* message) {
  (void)way;
  if (caster->rank != message->root) {
    read_output(caster, &child, message->to, message->bytes);
    return;
  }
  for (size_t done = 0; done < message->bytes;) {
    const ssize_t written = write(child.in, message->to + done, message->bytes - done);
    if (written < 0 && errno != EINTR) fail(caster, "udp-sender takes no more: ", strerror(errno));
    if (written > 0) done += (size_t)written;
  }
  close(child.in);
  child.in = -1;
}

static void close_session(const struct message* message) {
  (void)message;
  end_child(caster, &child);
}

static const char* version(void) {
  static char text[WORD];
  char line[LINE];
  const char* const words[] = {"udp-receiver", "--nokbd", "--interface", "eth0", NULL};
  ask_child(caster, words, "Udp-receiver ", line, sizeof line);
  const char* number = strstr(line, "Udp-receiver ") + strlen("Udp-receiver ");
  snprintf(text, sizeof text, "udpcast %.*s", (int)strcspn(number, " "), number);
  return text;
}

const struct transfer transfer = {
    .begin = begin, .open = open_session, .run = run, .close = close_session, .ways = "paced,fec", .version = version};
