// SPDX-License-Identifier: Apache-2.0
// Runs simulated ranks under SimGrid's SMPI, with a network that follows Ethernet (network.hpp):
//
//     trunkline-simulate RANKS-LIBRARY [--cfg=OPTION:VALUE ...] PLATFORM [OPTION OF THE RANKS ...]
#include <smpi/smpi.h>

#include <cstdio>

#include "network.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: trunkline-simulate RANKS-LIBRARY [--cfg=OPTION:VALUE ...] PLATFORM [OPTION ...]\n");
    return 2;
  }
  std::printf("{\"simgrid\": \"" TRUNKLINE_SIMGRID_VERSION "\"}\n");
  trunkline::simulate::use_ethernet();
  return smpi_main(argv[1], argc - 1, argv + 1);
}
