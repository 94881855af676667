/* SPDX-License-Identifier: Apache-2.0
 * Trunkline's public C interface. An application needs none of it: preloading the library is enough. Benchmarks and
 * tests use it to choose an algorithm call by call; look the functions up with dlsym() to run without the library too.
 */
#ifndef TRUNKLINE_H
#define TRUNKLINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0 for MPICH 4.0.2"; static storage. */
const char* trunkline_version(void);

/* Chooses what MPI_Bcast runs from now on, as the setting TRUNKLINE_BCAST does: "native", "NAME" or "NAME:SEGMENT"
 * (bytes, or with a unit: "linear:2832", "linear:4KiB"); "auto" or NULL returns to Trunkline's own choice. Every rank
 * of a communicator must have made the same choice when it calls MPI_Bcast there. Not to be called while a broadcast
 * is under way in another thread. Returns 0, or -1 where the text is not understood, names no algorithm, or one that
 * has to know the switches while no cluster is in use; the choice is then as before. */
int trunkline_set_bcast(const char* choice);

/* What the last MPI_Bcast of this thread ran: an algorithm's name, static storage; "native" before the first. */
const char* trunkline_last_bcast(void);

/* Segment in bytes of the last MPI_Bcast of this thread; 0 where it ran natively. */
unsigned long long trunkline_last_bcast_segment(void);

#ifdef __cplusplus
}
#endif

#endif
