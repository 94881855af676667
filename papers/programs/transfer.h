/* SPDX-License-Identifier: Apache-2.0
 * What brings a file or a block of bytes to many receivers, as timing_transfer.c times it: a program of others, or a
 * library. One source each, bench/transfer_NAME.c. All of it is at work between rank 0 and all others. */
#pragma once
#include "timing.h"

enum {
  FRAME_BYTES = 38,  /* of an Ethernet frame besides its payload: header, check sequence, preamble, gap */
  HEADER_BYTES = 28, /* of IP and UDP */
};

struct transfer {
  /* Once; `rate_bps`: of the link that it is paced at, with all headers and gaps. */
  void (*begin)(const struct machine* m, double rate_bps);
  /* Of a session; the ways to do it are the names that --algorithms takes, separated by commas. NULL: none. */
  void (*open)(const char* way, const struct message* message);
  void (*run)(const char* way, const struct message* message);
  void (*close)(const struct message* message);
  /* Seconds of the last run before the transfer proper; NULL: none. */
  double (*ahead)(void);
  const char* ways;
  /* Its version, once it has begun. */
  const char* (*version)(void);
};

extern const struct transfer transfer;

/* Of a link that carries datagrams of so many bytes of UDP payload, back to back: bits of that payload in a second. */
double payload_bps(double rate_bps, int payload);
