// SPDX-License-Identifier: Apache-2.0
// When something that serves one at a time is taken: a processor, or a host's port.
#pragma once

#include <map>

namespace trunkline::simulate {

/// Spans of time, past and to come. What a message needs is known when it is handed over, long before it gets there; so
/// a span may lie ahead, and a later message may take a gap before it. Those that ended are forgotten.
class Spans {
 public:
  /// The end of `seconds` of work that begins at `earliest` and rests where all is taken.
  [[nodiscard]] double end_of(double earliest, double seconds) const;

  /// Takes all from the first gap at or after `earliest` to `end`: one span.
  void fill(double earliest, double end);

  /// Both. Returns when it begins, as if it did not rest.
  double take(double earliest, double seconds) {
    const double end = end_of(earliest, seconds);
    fill(earliest, end);
    return end - seconds;
  }

  void forget_before(double now) {
    while (!taken_.empty() && taken_.begin()->second < now) taken_.erase(taken_.begin());
  }
  void forget_all() { taken_.clear(); }

 private:
  std::map<double, double> taken_;  ///< end by start; they do not overlap
};

}  // namespace trunkline::simulate
