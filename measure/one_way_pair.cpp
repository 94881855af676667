// SPDX-License-Identifier: Apache-2.0
#include "one_way_pair.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace trunkline::measure {
namespace {

constexpr int ping_tag = 9;
constexpr int card_tag = 10;
/// Until what was sent before has left the wire, and the other one waits for the next message.
constexpr double rested_s = 5e-4;

/// There: when it left, and whether it is one to be answered. Back: when it left, and how long the way there was.
struct Stamp {
  std::int64_t left_ns = 0;
  std::int64_t word = 0;
};

void exchange(MPI_Comm two, int other, ClockCard (&cards)[2]) {
  MPI_Sendrecv(&cards[1 - other], sizeof(ClockCard), MPI_BYTE, other, card_tag, &cards[other], sizeof(ClockCard),
               MPI_BYTE, other, card_tag, two, MPI_STATUS_IGNORE);
}

bool is_enough(const OneWaySamples& samples, const Limits& limits, double spent_s) {
  const std::size_t count = samples.there_s.size();
  if (count < std::max<std::size_t>(limits.least, 2)) return false;
  if (count >= limits.most || spent_s > limits.seconds) return true;
  const double trip_s = std::ranges::min(samples.there_s) + std::ranges::min(samples.back_s);
  return std::max(error_of_least(samples.there_s), error_of_least(samples.back_s)) <= limits.spread * trip_s;
}

OneWaySamples ask(MPI_Comm two, WatchedClock& clock, const Limits& limits) {
  OneWaySamples samples;
  const double since = MPI_Wtime();
  while (true) {
    std::this_thread::sleep_for(std::chrono::duration<double>(rested_s));
    Stamp stamp{.word = is_enough(samples, limits, MPI_Wtime() - since) ? 0 : 1};
    const bool is_last = stamp.word == 0;
    stamp.left_ns = clock.now();
    MPI_Send(&stamp, sizeof stamp, MPI_BYTE, 1, ping_tag, two);
    if (is_last) return samples;
    MPI_Recv(&stamp, sizeof stamp, MPI_BYTE, 1, ping_tag, two, MPI_STATUS_IGNORE);
    samples.back_s.push_back(1e-9 * static_cast<double>(clock.now() - stamp.left_ns));
    samples.there_s.push_back(1e-9 * static_cast<double>(stamp.word));
  }
}

void answer(MPI_Comm two, WatchedClock& clock) {
  while (true) {
    Stamp stamp;
    MPI_Recv(&stamp, sizeof stamp, MPI_BYTE, 0, ping_tag, two, MPI_STATUS_IGNORE);
    if (stamp.word == 0) return;
    const std::int64_t came_ns = clock.now();
    stamp.word = came_ns - stamp.left_ns;
    stamp.left_ns = clock.now();
    MPI_Send(&stamp, sizeof stamp, MPI_BYTE, 0, ping_tag, two);
  }
}

}  // namespace

OneWayTimes measure_one_way(MPI_Comm two, const Limits& limits) {
  int rank = 0;
  MPI_Comm_rank(two, &rank);
  WatchedClock clock;
  static_cast<void>(clock.now());
  const ClockCard before = clock_card(clock);
  OneWaySamples samples;
  if (rank == 0) {
    samples = ask(two, clock, limits);
  } else {
    answer(two, clock);
  }
  static_cast<void>(clock.now());
  ClockCard cards[2];
  cards[rank] = worse_of(before, clock_card(clock));
  exchange(two, 1 - rank, cards);
  return one_way_times(samples, cards);
}

}  // namespace trunkline::measure
