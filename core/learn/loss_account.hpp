// SPDX-License-Identifier: Apache-2.0
// What trials may cost.
#pragma once

namespace trunkline {

/// Of the time that calls take, the part that they may have lost beside native calls, at any moment.
inline constexpr double most_lost_share = 0.01;
/// And these seconds besides.
inline constexpr double granted_loss_s = 0.02;

/// What the calls of a communicator took, and what they lost beside native ones, both as measured. Trials are paid from
/// what was saved, and from what is granted: no trial begins whose worst case is not covered.
class LossAccount {
 public:
  explicit LossAccount(double granted_s) : granted_s_(granted_s) {}

  /// `lost_s` of `took_s`; below 0: saved.
  void add(double took_s, double lost_s) {
    took_s_ += took_s;
    lost_s_ += lost_s;
  }

  /// Seconds that may still be lost; below 0: more was lost than is allowed.
  [[nodiscard]] double left_s() const noexcept { return granted_s_ + most_lost_share * took_s_ - lost_s_; }

 private:
  double granted_s_;
  double took_s_ = 0.0;
  double lost_s_ = 0.0;
};

}  // namespace trunkline
