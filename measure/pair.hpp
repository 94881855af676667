// SPDX-License-Identifier: Apache-2.0
// What is measured between two ranks, the others waiting.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "model/measured/measurement.hpp"
#include "samples.hpp"

namespace trunkline::measure {

/// What goes one way between two ranks.
struct WayFigures {
  double injection_s = 0.0;  ///< a message of one byte keeps its sender busy
  double injection_spread = 0.0;
  double bandwidth_Bps = 0.0;  ///< of a stream of messages; 0: it was shorter than a round trip varies
  double bandwidth_spread = 0.0;
};

/// One of two ranks: both call the same functions with the same arguments, in the same order. The first one gets the
/// results; the other one's are meaningless.
class Pair {
 public:
  /// `communicator` holds the two alone: 0 measures, 1 answers. `largest`: bytes of the longest message.
  Pair(MPI_Comm communicator, std::uint64_t largest, const Limits& limits);

  [[nodiscard]] MeasuredPoint point(std::uint64_t bytes);

  /// From the first rank to the second, by a stream of messages of so many bytes.
  [[nodiscard]] WayFigures one_way(std::uint64_t bytes);

  [[nodiscard]] Samples round_trip(int bytes);

  /// Longest message, up to `most` bytes, that is sent before the receiver asks for it; found by halving, to 1/64.
  [[nodiscard]] std::uint64_t eager_limit(std::uint64_t most);

 private:
  [[nodiscard]] double stream(int bytes, int messages);
  [[nodiscard]] int messages_of_stream(int bytes, double round_trip_s);
  Samples gap(int bytes, double round_trip_s);
  Samples send_time(int bytes, double round_trip_s);
  Samples receive_time(int bytes, double round_trip_s);
  [[nodiscard]] bool sent_eagerly(int bytes);
  void answer() const;
  void await_answer() const;
  void send(int bytes) const;
  void receive(int bytes) const;

  MPI_Comm communicator_;
  bool first_;
  Limits limits_;
  mutable std::vector<unsigned char> buffer_;
};

}  // namespace trunkline::measure
