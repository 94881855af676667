// SPDX-License-Identifier: Apache-2.0
// Repeating a measurement until its median is known well enough.
#pragma once

#include <cstddef>
#include <vector>

namespace trunkline::measure {

/// When a figure is known well enough.
struct Limits {
  std::size_t least = 6;   ///< fewest samples: below, there is no interval
  std::size_t most = 400;  ///< most samples
  double seconds = 0.5;    ///< after which no sample is taken, once there are `least`
  double spread = 0.02;    ///< half of the 95 % interval, as a part of the median, that is narrow enough
};

class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] std::size_t count() const { return values_.size(); }
  /// Of at least one sample.
  [[nodiscard]] double median() const;
  /// Half of the median's 95 % interval (order statistics, no assumption on the distribution) as a part of it; 1 below
  /// 6 samples, where there is none, and where the median is not above zero.
  [[nodiscard]] double spread() const;
  /// `spent_s`: seconds since the first sample.
  [[nodiscard]] bool enough(const Limits& limits, double spent_s) const;

 private:
  std::vector<double> values_;
};

}  // namespace trunkline::measure
