// SPDX-License-Identifier: Apache-2.0
// Faults of a program, a file for each subject, and what all of them need: the job, and calls that must be right.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace faults {

extern int rank;   ///< of this process in MPI_COMM_WORLD
extern int ranks;  ///< of MPI_COMM_WORLD
extern bool good;  ///< so far, in all cases
extern int heard;  ///< calls of error handlers in this case

using Cases = std::map<std::string, std::function<void()>>;  ///< by name

[[nodiscard]] Cases communicator_cases();
[[nodiscard]] Cases datagram_cases();
[[nodiscard]] Cases disagreement_cases();
[[nodiscard]] Cases handler_cases();
[[nodiscard]] Cases lateness_cases();
[[nodiscard]] Cases native_cases();
[[nodiscard]] Cases scarcity_cases();

/// Says `what` went wrong, and in which case, where `ok` is false.
void expect(bool ok, const std::string& what);

[[nodiscard]] int class_of(int code);

/// Whether this rank has the preload library.
[[nodiscard]] bool preloaded();

/// Sets the algorithm of every collective that has it, as trunkline_set takes it; the others run `auto`.
void choose(const char* choice);

/// A duplicate with this error handler.
[[nodiscard]] MPI_Comm copy_of(MPI_Comm communicator, MPI_Errhandler handler);

/// Byte `i` of the message of a broadcast number `serial`.
[[nodiscard]] unsigned char content(std::size_t i, int serial);

/// A broadcast that must be right.
void right(MPI_Comm communicator, int bytes, int root, int serial, const std::string& what);

using Sums = std::vector<long long>;

/// MPI_Reduce to rank 0, or MPI_Allreduce, of ones.
int add_up(bool to_all, const Sums& own, Sums& all, MPI_Comm communicator);

/// Both kinds, which must be right.
void right_sums(MPI_Comm communicator, int count, const std::string& what);

/// A size of this process in KiB, by its name in /proc/self/status.
[[nodiscard]] long resident_kib(const char* field = "VmRSS:");

}  // namespace faults
