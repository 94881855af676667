// SPDX-License-Identifier: Apache-2.0
// A small harness for programs that check themselves: cases in groups, run once for each choice of algorithm.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace suite {

/// The job, and the algorithm that its broadcasts are to run.
struct Run {
  int rank = 0;
  int ranks = 1;
  std::string choice;            ///< as given to trunkline_set; "native" or "auto" expect nothing
  std::set<std::string> served;  ///< collectives that have that algorithm
  std::vector<std::string> log;  ///< what went wrong on this rank in this case

  /// Notes a failure with `what` where `ok` is false; returns `ok`.
  bool expect(bool ok, const std::string& what);

  /// The last broadcast of this thread ran what was chosen; `accelerated` false: it had to be native.
  void expect_ran(bool accelerated, const std::string& what) { expect_ran("bcast", accelerated, what); }

  [[nodiscard]] bool accelerates(const std::string& collective) const {
    return served.contains(collective) && choice != "native" && choice != "auto";
  }

  /// The same of another collective. What it has no algorithm for is native.
  void expect_ran(const char* collective, bool accelerated, const std::string& what);
};

struct Case {
  std::string group;
  std::string name;
  std::function<void(Run&)> body;
};

[[nodiscard]] std::vector<Case> datatype_cases();
[[nodiscard]] std::vector<Case> large_count_cases();
[[nodiscard]] std::vector<Case> communicator_cases();
[[nodiscard]] std::vector<Case> error_cases();
[[nodiscard]] std::vector<Case> isolation_cases();
[[nodiscard]] std::vector<Case> thread_cases();
[[nodiscard]] std::vector<Case> size_cases();
[[nodiscard]] std::vector<Case> kept_layout_cases();
[[nodiscard]] std::vector<Case> reduction_cases();
[[nodiscard]] std::vector<Case> operation_cases();
[[nodiscard]] std::vector<Case> share_cases();

/// Resident memory of this process.
[[nodiscard]] long resident_kib();

/// The byte at `offset` of the stream that a broadcast number `serial` sends.
[[nodiscard]] inline unsigned char content(std::uint64_t offset, unsigned serial) {
  return static_cast<unsigned char>(offset * 7 + (offset >> 8) * 13 + std::uint64_t{serial} * 31 + 1);
}

/// A number that differs from broadcast to broadcast, equal on all ranks.
[[nodiscard]] unsigned next_serial();

/// Broadcasts `bytes` MPI_BYTE from `root` with MPI_Bcast and checks all of them. Returns what MPI_Bcast returned.
int broadcast_bytes(Run& run, std::uint64_t bytes, int root, MPI_Comm communicator, const std::string& what);

}  // namespace suite
