// SPDX-License-Identifier: Apache-2.0
// Programs in a simulation: `matmul`, `gsum` or `gsum-by-hosts` is the first word, and runs matmul.c or gsum.c with the
// words behind it. Linked with what all simulated ranks have (simulate/ranks.cpp), and loaded once for each rank.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "gsum.hpp"
#include "shared_pages.hpp"

namespace {

constexpr int bad_usage = 2;

}  // namespace

/// `main` of matmul.c.
extern "C" int simulated_matmul(int argc, char** argv);

/// What a rank runs, in a copy of this library of its own.
extern "C" __attribute__((visibility("default"))) int trunkline_simulate_rank(int argc, char** argv) {
  const std::string_view program = argc > 1 ? argv[1] : "";
  if (program == "matmul") return simulated_matmul(argc - 1, argv + 1);
  if (program == "gsum" || program == "gsum-by-hosts") {
    return trunkline::simulate::run_gsum(argc - 1, argv + 1, program == "gsum-by-hosts");
  }
  std::fprintf(stderr, "simulated program: there is no '%s'; there are: matmul, gsum, gsum-by-hosts\n", program.data());
  std::exit(bad_usage);
}

// SMPI calls it for each rank, in the library that it has loaded once.
__attribute__((visibility("default"))) int main(int argc, char** argv) {
  static int ranks = 0;
  try {
    void* const entry = trunkline::simulate::entry_of_copy("trunkline_simulate_rank", ranks++);
    return reinterpret_cast<decltype(&trunkline_simulate_rank)>(entry)(argc, argv);
  } catch (const std::runtime_error& wrong) {
    std::fprintf(stderr, "simulated program: %s\n", wrong.what());
    std::exit(bad_usage);
  }
}
