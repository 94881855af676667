// SPDX-License-Identifier: Apache-2.0
#include "lateness.hpp"

#include <algorithm>
#include <bit>

namespace trunkline::fabric {

void Lateness::add(std::int64_t ns) {
  ++count_;
  sum_ns_ += ns;
  sum_off_ns_ += ns < 0 ? -ns : ns;
  max_ns_ = std::max(max_ns_, ns);
  const std::uint64_t bucket = ns < 0 ? 0 : static_cast<std::uint64_t>(ns) / bucket_ns;
  if (bucket < linear) {
    ++buckets_[bucket];
  } else {
    const auto doubling = static_cast<std::uint32_t>(std::bit_width(bucket / linear)) - 1;
    ++buckets_[linear + std::min(doubling, doublings - 1)];
  }
}

Lateness::Summary Lateness::summary() const {
  if (count_ == 0) {
    return {};
  }
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  const auto count = static_cast<double>(count_);
  // The upper edge of the bucket in which the 99 % fall.
  const std::uint64_t within = count_ - count_ / 100;
  std::uint64_t seen = 0;
  std::int64_t p99 = max_ns_;
  for (std::uint32_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= within) {
      const std::int64_t edge = i < linear ? std::int64_t{i} + 1 : std::int64_t{linear} << (i - linear + 1);
      p99 = std::min(p99, edge * bucket_ns);
      break;
    }
  }
  return {count_, seconds(sum_ns_) / count, seconds(sum_off_ns_) / count, seconds(p99), seconds(max_ns_)};
}

}  // namespace trunkline::fabric
