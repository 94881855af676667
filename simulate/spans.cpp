// SPDX-License-Identifier: Apache-2.0
#include "spans.hpp"

#include <algorithm>
#include <iterator>

namespace trunkline::simulate {

double Spans::end_of(double earliest, double seconds) const {
  double at = earliest;
  auto next = taken_.upper_bound(at);
  if (next != taken_.begin()) at = std::max(at, std::prev(next)->second);
  for (; next != taken_.end() && next->first < at + seconds; ++next) {
    seconds -= next->first - at;
    at = next->second;
  }
  return at + seconds;
}

void Spans::fill(double earliest, double end) {
  double start = earliest;
  auto next = taken_.upper_bound(start);
  if (next != taken_.begin() && std::prev(next)->second >= start) {
    --next;
    start = next->first;
  }
  while (next != taken_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = taken_.erase(next);
  }
  taken_.emplace(start, end);
}

}  // namespace trunkline::simulate
