// SPDX-License-Identifier: Apache-2.0
#include "pair.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "again.hpp"

namespace trunkline::measure {
namespace {

constexpr int pair_tag = 7;
constexpr int answer_tag = 8;
/// A stream this long makes its start and its end forgotten.
constexpr double stream_s = 0.02;
constexpr int least_stream = 16;
constexpr int most_stream = 1 << 15;
/// Until what the ranks told each other last has left the wire, and both wait for the next message.
constexpr double settled_s = 5e-4;
/// A receiver that is this late has certainly not asked when the message is sent.
constexpr double late_s = 0.03;

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

Pair::Pair(MPI_Comm communicator, std::uint64_t largest, const Limits& limits)
    : communicator_(communicator), limits_(limits), buffer_(std::max<std::uint64_t>(largest, 1), 1) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  first_ = rank == 0;
}

void Pair::send(int bytes) const { MPI_Send(buffer_.data(), bytes, MPI_BYTE, first_ ? 1 : 0, pair_tag, communicator_); }

void Pair::receive(int bytes) const {
  MPI_Recv(buffer_.data(), bytes, MPI_BYTE, first_ ? 1 : 0, pair_tag, communicator_, MPI_STATUS_IGNORE);
}

void Pair::answer() const { MPI_Send(nullptr, 0, MPI_BYTE, 0, answer_tag, communicator_); }

void Pair::await_answer() const { MPI_Recv(nullptr, 0, MPI_BYTE, 1, answer_tag, communicator_, MPI_STATUS_IGNORE); }

Samples Pair::round_trip(int bytes) {
  Samples samples;
  const double since = MPI_Wtime();
  while (again(communicator_, samples, limits_, since)) {
    if (first_) sleep(settled_s);
    const double start = MPI_Wtime();
    if (first_) {
      send(bytes);
      receive(bytes);
    } else {
      receive(bytes);
      send(bytes);
    }
    samples.add(MPI_Wtime() - start);
  }
  return samples;
}

/// Many messages one way: the sender's seconds for all of them, until the last one is there.
double Pair::stream(int bytes, int messages) {
  const double start = MPI_Wtime();
  for (int i = 0; i < messages; ++i) {
    if (first_) {
      send(bytes);
    } else {
      receive(bytes);
    }
  }
  if (first_) {
    await_answer();
  } else {
    answer();
  }
  return MPI_Wtime() - start;
}

/// Messages of a stream that lasts long enough beside the round trip that it begins and ends with.
int Pair::messages_of_stream(int bytes, double round_trip_s) {
  for (int messages = least_stream;; messages *= 2) {
    const double all = stream(bytes, messages);
    int enough = all - round_trip_s > std::max(stream_s, round_trip_s) || messages >= most_stream ? 1 : 0;
    MPI_Bcast(&enough, 1, MPI_INT, 0, communicator_);
    if (enough != 0) return messages;
  }
}

/// As section 5.1 does it.
Samples Pair::gap(int bytes, double round_trip_s) {
  Samples samples;
  const int messages = messages_of_stream(bytes, round_trip_s);
  const double since = MPI_Wtime();
  while (again(communicator_, samples, limits_, since)) {
    // The first message's way there and the answer's back are a round trip that the gaps do not hold. Where that varies
    // more than the gaps last, a sample may be negative, and the spread says that nothing is known.
    samples.add((stream(bytes, messages) - round_trip_s) / (messages - 1));
  }
  return samples;
}

/// One message at a time, the receiver waiting for it: what the sender's processor spends.
Samples Pair::send_time(int bytes, double round_trip_s) {
  Samples samples;
  const double since = MPI_Wtime();
  while (again(communicator_, samples, limits_, since)) {
    if (first_) {
      sleep(std::min(round_trip_s, 1e-3));
      const double start = MPI_Wtime();
      send(bytes);
      samples.add(MPI_Wtime() - start);
      await_answer();
    } else {
      receive(bytes);
      answer();
    }
  }
  return samples;
}

/// The message has arrived before it is asked for: what the receiver's processor spends. The second rank sends.
Samples Pair::receive_time(int bytes, double round_trip_s) {
  Samples samples;
  const double since = MPI_Wtime();
  while (again(communicator_, samples, limits_, since)) {
    if (first_) {
      sleep(2 * round_trip_s + 1e-3);
      const double start = MPI_Wtime();
      receive(bytes);
      samples.add(MPI_Wtime() - start);
    } else {
      send(bytes);
    }
  }
  return samples;
}

MeasuredPoint Pair::point(std::uint64_t bytes) {
  const int length = static_cast<int>(bytes);
  const Samples round_trips = round_trip(length);
  double there_and_back = first_ ? round_trips.median() : 0.0;
  MPI_Bcast(&there_and_back, 1, MPI_DOUBLE, 0, communicator_);
  const Samples empty = round_trip(0);
  double empty_trip = first_ ? empty.median() : 0.0;
  MPI_Bcast(&empty_trip, 1, MPI_DOUBLE, 0, communicator_);
  const Samples gaps = gap(length, (there_and_back + empty_trip) / 2);
  const Samples sends = send_time(length, there_and_back);
  const Samples receives = receive_time(length, there_and_back);
  if (!first_) return {.bytes = bytes};
  // What the processor spends counts beside the gap: on its own it may be short, and vary by as much as it takes.
  const auto beside_gap = [&](const Samples& samples) {
    return gaps.median() > 0.0 ? std::min(1.0, samples.spread() * samples.median() / gaps.median()) : 1.0;
  };
  return {.bytes = bytes,
          .round_trip_s = there_and_back,
          .gap_s = gaps.median(),
          .send_s = sends.median(),
          .receive_s = receives.median(),
          .spread = std::max({round_trips.spread(), gaps.spread(), beside_gap(sends), beside_gap(receives)})};
}

WayFigures Pair::one_way(std::uint64_t bytes) {
  const int length = static_cast<int>(bytes);
  const Samples round_trips = round_trip(length);
  const Samples empty = round_trip(0);
  double trips[2] = {};
  if (first_) {
    trips[0] = empty.median();
    trips[1] = (round_trips.median() + empty.median()) / 2;
  }
  MPI_Bcast(trips, 2, MPI_DOUBLE, 0, communicator_);
  const Samples sends = send_time(1, trips[0]);
  const Samples gaps = gap(length, trips[1]);
  if (!first_) return {};
  const double each = gaps.median();
  return {.injection_s = sends.median(),
          .injection_spread = sends.spread(),
          .bandwidth_Bps = each > 0.0 ? static_cast<double>(bytes) / each : 0.0,
          .bandwidth_spread = gaps.spread()};
}

bool Pair::sent_eagerly(int bytes) {
  MPI_Barrier(communicator_);
  int eager = 0;
  if (first_) {
    const double start = MPI_Wtime();
    send(bytes);
    eager = MPI_Wtime() - start < late_s / 2 ? 1 : 0;
    await_answer();
  } else {
    sleep(late_s);
    receive(bytes);
    answer();
  }
  MPI_Bcast(&eager, 1, MPI_INT, 0, communicator_);
  return eager != 0;
}

std::uint64_t Pair::eager_limit(std::uint64_t most) {
  if (sent_eagerly(static_cast<int>(most))) return most;
  std::uint64_t yes = 0;
  std::uint64_t no = most;
  while (no - yes > std::max<std::uint64_t>(1, yes / 64)) {
    const std::uint64_t middle = yes + (no - yes) / 2;
    (sent_eagerly(static_cast<int>(middle)) ? yes : no) = middle;
  }
  return yes;
}

}  // namespace trunkline::measure
