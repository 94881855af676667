// SPDX-License-Identifier: Apache-2.0
// A socket's descriptor.
#pragma once

#include <atomic>
#include <utility>

namespace trunkline::runtime {

/// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {
    if (number_ >= 0) ++open_;
  }
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

  /// Whether `more` descriptors leave the program at least three quarters of those that the process may have: it may
  /// multicast on as many communicators as it likes.
  [[nodiscard]] static bool may_open(int more) noexcept;

 private:
  static inline std::atomic<int> open_{0};

  int number_;
};

}  // namespace trunkline::runtime
