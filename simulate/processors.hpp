// SPDX-License-Identifier: Apache-2.0
// What messages keep the processors of a simulated host busy with.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "spans.hpp"

namespace trunkline::simulate {

/// The processors of one host. Sends go first: a rank hands a segment on as soon as it has it, then takes in the next
/// one.
class Processors {
 public:
  explicit Processors(std::size_t count) : busy_(count), sending_until_(count) {}

  /// A message that is handed over now is sent for so long, after those before it; what there is to take in meanwhile
  /// waits. Returns when it leaves.
  double send(double now, double seconds);

  /// Takes a processor for a message that arrives later than `now`; where it is taken already, the work rests and goes
  /// on behind. Returns the end.
  double receive(double arrives, double seconds, double now);

  /// The program computes for so long, with what it has taken in. When messages are taken in was said as they were
  /// handed over; in truth they wait for what is computed between them. So what is computed adds up while there is no
  /// rest between them, and what is sent next leaves after all of it.
  void compute(double now, double seconds);

  /// Seconds until all that was computed and sent is over; it is forgotten.
  double rest(double now);

 private:
  double take(double earliest, double seconds, double now);
  /// Those that ended by now.
  void end_messages(double now);

  std::vector<Spans> busy_;                 ///< by processor: when it is taken
  std::vector<double> sending_until_;       ///< one after another on each processor
  std::multimap<double, double> messages_;  ///< seconds of those sent and taken in, by their end
  double messages_s_ = 0.0;                 ///< of those that ended, since the program computed last
  double computed_at_ = 0.0;                ///< when that was
  double owed_s_ = 0.0;                     ///< computed since the processor rested
};

}  // namespace trunkline::simulate
