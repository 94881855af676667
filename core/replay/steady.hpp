// SPDX-License-Identifier: Apache-2.0
// When a pipeline is filled: from then on each further step takes as long as the one before.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace trunkline {

/// Looks at how long each `stride` of further steps takes. Steps are counted as they end.
class Steady {
 public:
  explicit Steady(std::uint64_t stride) : stride_(stride) {}

  /// `done` steps are over now, of which no fewer than before. Seconds of a step, once three strides in a row took as
  /// long but for a hundredth; nothing before.
  [[nodiscard]] std::optional<double> at(std::uint64_t done, double now_s) {
    constexpr double alike = 0.01;
    if (done < looked_at_ + stride_) return {};
    const double each_s = (now_s - at_s_) / static_cast<double>(done - looked_at_);
    in_a_row_ = std::abs(each_s - each_s_) <= alike * each_s ? in_a_row_ + 1 : 0;
    looked_at_ = done;
    at_s_ = now_s;
    each_s_ = each_s;
    if (in_a_row_ < 2) return {};
    return each_s;
  }

 private:
  std::uint64_t stride_;
  std::uint64_t looked_at_ = 0;
  double at_s_ = 0.0;
  double each_s_ = 0.0;
  int in_a_row_ = 0;
};

}  // namespace trunkline
