// SPDX-License-Identifier: Apache-2.0
// The share of packets to all ranks of a communicator that gets lost: docs/multicast.md, "Blocks and parity".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trunkline::runtime {

/// One rank's.
class LossMeter {
 public:
  /// Of `sent` packets to all, this rank has missed `missed`.
  void count(std::uint32_t sent, std::uint32_t missed) noexcept {
    sent_ += sent;
    missed_ += missed;
    if (sent_ <= remembered) return;
    const double kept = static_cast<double>(remembered) / 2.0 / sent_;
    sent_ *= kept;
    missed_ *= kept;
  }

  /// The share that it misses, with `more_sent` and `more_missed` that are not counted yet; 0 where nothing was missed.
  /// A standard deviation less than was counted: ranks look for the greatest share of all, which of few packets is
  /// chance.
  [[nodiscard]] double own(std::uint32_t more_sent = 0, std::uint32_t more_missed = 0) const noexcept {
    const double missed = missed_ + more_missed;
    return missed > 0.0 ? (missed - std::sqrt(missed) / 2.0) / (sent_ + more_sent + unknown) : 0.0;
  }

  /// All ranks have told each other: the greatest share that any of them misses, the same on all.
  void agree(double share) noexcept { agreed_ = share; }
  [[nodiscard]] double agreed() const noexcept { return agreed_; }

  /// As the root of the last confirmed message has heard.
  void hear(double share) noexcept { heard_ = share; }

  /// The most that any rank is likely to miss.
  [[nodiscard]] double likely() const noexcept { return std::max(agreed_, heard_); }

 private:
  static constexpr double unknown = 16.0;            ///< packets that count as if they had come
  static constexpr std::uint32_t remembered = 1024;  ///< packets: loss may change
  double sent_ = 0.0;
  double missed_ = 0.0;
  double agreed_ = 0.0;
  double heard_ = 0.0;
};

}  // namespace trunkline::runtime
