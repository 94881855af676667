// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <algorithm>
#include <cmath>

namespace trunkline::measure {

double Samples::median() const {
  std::vector<double> sorted = values_;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

double Samples::spread() const {
  if (values_.size() < 6) return 1.0;
  std::vector<double> sorted = values_;
  std::ranges::sort(sorted);
  // Places n/2 +- 0.98 sqrt(n) enclose the median with 95 %.
  const auto n = static_cast<double>(sorted.size());
  const double reach = 0.98 * std::sqrt(n);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const auto high = static_cast<std::size_t>(std::min(n - 1, std::ceil(n / 2 + reach)));
  const double middle = sorted[sorted.size() / 2];
  return middle > 0.0 ? (sorted[high] - sorted[low]) / 2 / middle : 1.0;
}

bool Samples::enough(const Limits& limits, double spent_s) const {
  if (count() < limits.least) return false;
  return count() >= limits.most || spent_s > limits.seconds || spread() <= limits.spread;
}

}  // namespace trunkline::measure
