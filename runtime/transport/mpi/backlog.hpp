// SPDX-License-Identifier: Apache-2.0
// How far a rank may run ahead of those that it sends to, over all calls and communicators.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace trunkline::runtime {

/// Ordinary sends may complete before the receiver asks for them. A root that broadcasts again and again would pile up
/// call after call in the buffers of a rank that is late, where the library also searches them one by one. So each
/// message to a rank that comes after so many others is sent synchronously: it ends when that rank has come to it.
/// Counts by receiver, for all threads.
class Backlog {
 public:
  explicit Backlog(std::size_t ranks) : behind_(std::make_unique<std::atomic<std::uint32_t>[]>(ranks)) {}

  /// Counts one message of `bytes` to `rank`; whether it is due to be synchronous. `synchronous`: it is anyhow.
  [[nodiscard]] bool due(int rank, std::uint64_t bytes, bool synchronous) {
    std::atomic<std::uint32_t>& behind = behind_[static_cast<std::size_t>(rank)];
    const std::uint64_t cost = message_cost + bytes;
    const std::uint64_t before = behind.load(std::memory_order_relaxed);
    const bool now = synchronous || before >= most;
    behind.store(now ? 0 : static_cast<std::uint32_t>(before + cost), std::memory_order_relaxed);
    return now;
  }

 private:
  /// Bytes, and what each message counts besides: searching through 256 messages is still cheap.
  static constexpr std::uint64_t most = std::uint64_t{1} << 20;
  static constexpr std::uint64_t message_cost = most / 256;

  std::unique_ptr<std::atomic<std::uint32_t>[]> behind_;
};

}  // namespace trunkline::runtime
