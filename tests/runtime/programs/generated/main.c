/* SPDX-License-Identifier: Apache-2.0
 * generated-cases ROOT SEGMENT: runs every case on as many ranks as the plan has, of which these are root and segment.
 * Prints what failed on which rank, and "N passed, M failed". Exit status 0 or 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "run_cases.h"

int rank, ranks, plan_root, segment;
int finalizing, serial;
static int failures; /* of this case, on this rank */

void expect(int ok, const char* what, long detail) {
  if (ok) return;
  ++failures;
  fprintf(stderr, "FAILED on rank %d of %d: %s (%ld)\n", rank, ranks, what, detail);
}

int main(int argc, char** argv) {
  static const struct named_case cases[] = {
      {"around segments", around_segments},
      {"every root", every_root},
      {"back to back", back_to_back},
      {"every datatype", every_datatype},
      {"mixed datatypes", mixed_datatypes},
      {"MPI_BOTTOM", from_bottom},
      {"gaps beyond a window", gaps_beyond_a_window},
      {"other communicators", other_communicators},
      {"inter-communicator", inter_communicator},
      {"made and freed", made_and_freed},
      {"never freed", never_freed},
      {"less room than data", less_room_than_data},
  };
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  plan_root = atoi(argv[1]);
  segment = atoi(argv[2]);
  failed = run_cases(cases, sizeof cases / sizeof *cases, &failures);
  finalizing = 1;
  MPI_Finalize();
  return failed > 0 || failures > 0;
}
