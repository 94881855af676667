// SPDX-License-Identifier: Apache-2.0
// A file as blocks, and buffers of blocks that go round between the threads of a rank.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "digest.hpp"

namespace trunkline::copy {

/// How a file is cut: all blocks are equally long but the last one.
struct Blocks {
  std::uint64_t file_bytes = 0;
  std::uint64_t block_bytes = 1;

  [[nodiscard]] std::uint64_t count() const { return (file_bytes + block_bytes - 1) / block_bytes; }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const { return block * block_bytes; }
  [[nodiscard]] std::size_t bytes(std::uint64_t block) const {
    return static_cast<std::size_t>(std::min(block_bytes, file_bytes - offset(block)));
  }
};

/// What follows the bytes of a block on its way.
struct Trailer {
  Digest digest;
  std::uint64_t error = 0;  ///< errno of the read; 0: none
};

/// A block with its trailer, in one piece for one broadcast.
class Buffer {
 public:
  explicit Buffer(std::uint64_t most) : bytes_(most + sizeof(Trailer)) {}
  void hold(std::uint64_t block, std::size_t size) {
    block_ = block;
    size_ = size;
  }
  [[nodiscard]] std::uint64_t block() const { return block_; }
  [[nodiscard]] std::span<std::byte> data() { return {bytes_.data(), size_}; }
  [[nodiscard]] std::span<std::byte> message() { return {bytes_.data(), size_ + sizeof(Trailer)}; }
  [[nodiscard]] Trailer trailer() const {
    Trailer trailer;
    std::memcpy(&trailer, bytes_.data() + size_, sizeof trailer);
    return trailer;
  }
  void set_trailer(const Trailer& trailer) { std::memcpy(bytes_.data() + size_, &trailer, sizeof trailer); }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t block_ = 0;
  std::size_t size_ = 0;
};

/// Buffers from one thread to another, in order.
class Queue {
 public:
  void push(Buffer* buffer) {
    {
      const std::lock_guard lock(mutex_);
      buffers_.push_back(buffer);
    }
    changed_.notify_one();
  }
  /// No more will come.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  /// Waits; null once it is closed and empty.
  [[nodiscard]] Buffer* pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !buffers_.empty(); });
    if (buffers_.empty()) return nullptr;
    Buffer* const first = buffers_.front();
    buffers_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Buffer*> buffers_;
  bool closed_ = false;
};

}  // namespace trunkline::copy
