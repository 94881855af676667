/* SPDX-License-Identifier: Apache-2.0
 * Which preload libraries there are, as CMake wrote it down when they were built: mpis.json beside each.
 */
#ifndef TRUNKLINE_KNOWN_MPIS_H
#define TRUNKLINE_KNOWN_MPIS_H

#include <limits.h>

/* Finds the preload library for an MPI library's file. Looks into `folder`, where the chooser itself is, then where
 * `trunkline library --build` keeps what it builds for this version: in the same virtual environment, and in the user's
 * own folder.
 * Returns 1 and the file in `preload`, or 0. */
int find_preload(const char* folder, const char* mpi_file, char preload[PATH_MAX])
    __attribute__((visibility("hidden")));

#endif
