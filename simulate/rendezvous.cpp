// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Barrier.hpp>
#include <simgrid/s4u/Engine.hpp>

namespace {

/// Ranks take turns within one thread, so nothing here needs a lock.
double largest = 0.0;

simgrid::kernel::timer::Timer* pending = nullptr;

void give_up() {
  std::puts("{\"gave_up\": true}");
  std::fflush(stdout);
  std::_Exit(0);  // in the middle of everybody's broadcast
}

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

EXPORTED void trunkline_simulate_give_up_after(double seconds) {
  if (pending != nullptr) pending->remove();
  pending = nullptr;
  if (seconds > 0.0) {
    pending = simgrid::kernel::timer::Timer::set(simgrid::s4u::Engine::get_clock() + seconds, give_up);
  }
}
