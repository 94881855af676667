// SPDX-License-Identifier: Apache-2.0
// How far from their computed times deliveries were made.
#pragma once

#include <array>
#include <cstdint>

namespace trunkline::fabric {

/// A histogram of fixed size; adding to it costs a few instructions.
class Lateness {
 public:
  /// Nanoseconds after the computed time; negative: before it.
  void add(std::int64_t ns);

  struct Summary {
    std::uint64_t count = 0;
    double mean_s = 0.0;      ///< with its sign: a bias
    double mean_off_s = 0.0;  ///< without sign
    double p99_s = 0.0;       ///< 99 % of deliveries were no later than this
    double max_s = 0.0;
  };
  [[nodiscard]] Summary summary() const;

 private:
  static constexpr std::uint32_t bucket_ns = 1000;
  static constexpr std::uint32_t linear = 512;    ///< one bucket a microsecond
  static constexpr std::uint32_t doublings = 24;  ///< then one for each doubling

  std::array<std::uint32_t, linear + doublings> buckets_{};
  std::uint64_t count_ = 0;
  std::int64_t sum_ns_ = 0;
  std::int64_t sum_off_ns_ = 0;
  std::int64_t max_ns_ = 0;
};

}  // namespace trunkline::fabric
