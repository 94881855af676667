// SPDX-License-Identifier: Apache-2.0
// runtime-rounds PLANS SEED: for each collective so many random plans by rounds that the checker accepts, all one after
// another in one job, each from a random root with random lengths, segments, windows and elements (some have gaps), in
// place or not, ranks late now and then; checks every byte, and those between. Prints the number of a plan that went
// wrong, with its rounds; exit status 0 or 1. Linked with the library's executors: a job has one plan file alone.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "kinds/rounds/rounds.hpp"
#include "random_rounds.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "trial.hpp"

namespace trunkline::runtime {
namespace {

using testing::ElementKind;
using testing::Trial;

Trial by_rounds(Collective collective, Rank ranks, int number, unsigned seed) {
  std::mt19937 random(seed * 100003U + static_cast<unsigned>(number));
  Trial trial = testing::random_trial(collective, ranks, number, random);
  trial.plan = testing::random_plan(trial.collective, ranks, trial.root, random);
  return trial;
}

/// How many plans went wrong on any rank.
int run(int plans, unsigned seed) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto ours = PrivateCommunicator::open();
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  std::vector<ElementKind> kinds = testing::element_kinds();
  int wrong = 0;
  for (int number = 0; number < plans * static_cast<int>(collectives().size()); ++number) {
    const CollectiveFacts& facts = collectives()[static_cast<std::size_t>(number / plans)];
    // The tags of turns that are far apart are the same.
    if (number % 16 == 0) MPI_Barrier(MPI_COMM_WORLD);
    const Trial trial = by_rounds(facts.collective, static_cast<Rank>(ranks), number, seed);
    const auto part = local_part(trial.plan, static_cast<Rank>(rank), members);
    const auto turn_number = static_cast<std::uint64_t>(number);
    MpiTransport transport(*ours, members, Ids::of_world, turn_number, turn_number, part->streams());
    testing::Runner runner(transport, trial, kinds[trial.kind], static_cast<Rank>(rank), *part);
    if (runner.run()) continue;
    ++wrong;
    std::fprintf(stderr, "rank %d: wrong result of %s, %s\n", rank, std::string(facts.name).c_str(),
                 text_of(trial).c_str());
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  testing::release(kinds);
  return wrong;
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  const int wrong = trunkline::runtime::run(std::atoi(argv[1]), seed);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
