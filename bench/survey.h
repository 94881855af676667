/* SPDX-License-Identifier: Apache-2.0
 * What a job really has: its hosts, the preload library in each rank, the rate between neighbouring ranks, and the
 * interface that carried it. */
#pragma once
#include "timing.h"

/* Collective. Rank 0 prints one JSON object a line: for each rank its host, the library and the interface, and for
 * each rank and the next one the rate between them, others idle. Returns, on all ranks, the first one on another host
 * than rank 0's; 1 where there is none. */
int survey(const struct machine* m);
