// SPDX-License-Identifier: Apache-2.0
// gsum.c in a simulation, whose sums may go by hosts as MPICH's own do.
#pragma once

namespace trunkline::simulate {

/// Runs it with the words behind its name. `by_hosts`: as by_hosts.hpp says.
int run_gsum(int argc, char** argv, bool by_hosts);

}  // namespace trunkline::simulate
