// SPDX-License-Identifier: Apache-2.0
// Times of calls that ran alike: their median, and how sure it is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace trunkline {

class Samples {
 public:
  static constexpr std::size_t most = 48;
  /// Fewer say nothing about a median.
  static constexpr std::size_t least = 6;

  /// Once there are `most`, in place of the oldest one.
  void add(double seconds) {
    in_order_.at(next_ % most) = seconds;
    ++next_;
    sorted_ = in_order_;
    std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(count()));
  }

  [[nodiscard]] std::size_t count() const { return std::min(next_, most); }
  [[nodiscard]] bool are_enough() const { return count() >= least; }
  /// Of one sample or more.
  [[nodiscard]] double median() const {
    const std::size_t middle = count() / 2;
    return count() % 2 == 1 ? sorted_.at(middle) : 0.5 * (sorted_.at(middle - 1) + sorted_.at(middle));
  }
  [[nodiscard]] double least_s() const { return sorted_.front(); }
  [[nodiscard]] double most_s() const { return sorted_.at(count() - 1); }
  [[nodiscard]] bool are_surely_longer_than(const Samples& others) const { return lower() > others.upper(); }

  /// Between these the median of all such calls is, in 19 of 20 cases, whatever their distribution: order statistics
  /// (the sign test). Of fewer than `least` samples: anywhere.
  [[nodiscard]] double lower() const { return are_enough() ? sorted_.at(beyond()) : 0.0; }
  [[nodiscard]] double upper() const {
    return are_enough() ? sorted_.at(count() - 1 - beyond()) : std::numeric_limits<double>::infinity();
  }

 private:
  /// Samples on either side that may be beyond the median: (n - 1) / 2 - z sqrt(n) / 2, of z = 1.96.
  [[nodiscard]] std::size_t beyond() const {
    const auto n = static_cast<double>(count());
    constexpr double half_z = 0.98;
    return static_cast<std::size_t>(std::max((n - 1.0) / 2.0 - half_z * std::sqrt(n), 0.0));
  }

  std::array<double, most> in_order_{};
  std::array<double, most> sorted_{};
  std::size_t next_ = 0;
};

}  // namespace trunkline
