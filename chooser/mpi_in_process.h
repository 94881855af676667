/* SPDX-License-Identifier: Apache-2.0
 * The MPI libraries that the loader has brought into this process.
 */
#ifndef TRUNKLINE_MPI_IN_PROCESS_H
#define TRUNKLINE_MPI_IN_PROCESS_H

#include <limits.h>

enum { MOST_LOADED = 16 };

/* Files of C, C++ and Fortran libraries of MPI: libmpi.so.40, libmpich.so.12, libmpi_mpifh.so.40, ... */
struct loaded {
  int count;
  char files[MOST_LOADED][PATH_MAX];
};

void find_loaded(struct loaded* found) __attribute__((visibility("hidden")));

/* Whether it is a C library, with MPI_Init: libmpi.so, libmpich.so, libmpi_abi.so. */
int is_c_library(const char* file) __attribute__((visibility("hidden")));

/* Whether it has the handles of the MPI standard, whichever library it is of. */
int is_standard(const char* file) __attribute__((visibility("hidden")));

#endif
