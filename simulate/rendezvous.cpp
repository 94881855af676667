// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.hpp"

#include <algorithm>
#include <simgrid/s4u/Barrier.hpp>

namespace {

/// Ranks take turns within one thread, so nothing here needs a lock.
double largest = 0.0;

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void trunkline_simulate_meet(unsigned ranks) {
  static const auto all = simgrid::s4u::Barrier::create(ranks);
  all->wait();
}

EXPORTED double trunkline_simulate_largest(unsigned ranks, double mine) {
  trunkline_simulate_meet(ranks);
  largest = 0.0;
  trunkline_simulate_meet(ranks);
  largest = std::max(largest, mine);
  trunkline_simulate_meet(ranks);
  return largest;
}
