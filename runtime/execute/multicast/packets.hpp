// SPDX-License-Identifier: Apache-2.0
// A message cut into packets, and which of them are here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "datatype/message.hpp"

namespace trunkline::runtime {

/// Of a message, in how many packets it goes.
[[nodiscard]] constexpr std::uint32_t packets_of(std::uint64_t bytes, std::uint32_t packet_bytes) {
  return static_cast<std::uint32_t>((bytes + packet_bytes - 1) / packet_bytes);
}

class Packets {
 public:
  /// `message` must outlive the object. Where it has gaps, all of it is copied.
  Packets(Message& message, std::uint32_t packet_bytes, bool is_here)
      : message_(message),
        packet_bytes_(packet_bytes),
        count_(packets_of(message.bytes(), packet_bytes)),
        base_(is_here ? count_ : 0),
        here_(is_here ? 0 : count_) {
    if (message.in_place() != nullptr) {
      data_ = message.in_place();
    } else {
      copy_ = std::make_unique_for_overwrite<std::byte[]>(message.bytes());
      data_ = copy_.get();
      if (is_here) message.read(0, message.bytes(), data_);
    }
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t packet_bytes() const noexcept { return packet_bytes_; }

  /// The first that is not here.
  [[nodiscard]] std::uint32_t base() const noexcept { return base_; }
  [[nodiscard]] bool is_whole() const noexcept { return base_ == count_; }
  [[nodiscard]] bool has(std::uint32_t packet) const { return packet < base_ || here_[packet]; }

  /// Those from `first` to `end`, where they lie.
  [[nodiscard]] std::span<std::byte> place(std::uint32_t first, std::uint32_t end) const {
    const std::uint64_t from = std::uint64_t{first} * packet_bytes_;
    const std::uint64_t to = std::min(std::uint64_t{end} * packet_bytes_, message_.bytes());
    return {data_ + from, static_cast<std::size_t>(to - from)};
  }

  /// Whether it was missing.
  bool add(std::uint32_t packet, std::span<const std::byte> bytes) {
    if (packet >= count_ || has(packet)) return false;
    const std::span<std::byte> at = place(packet, packet + 1);
    if (at.size() != bytes.size()) return false;
    std::memcpy(at.data(), bytes.data(), bytes.size());
    mark(packet, packet + 1);
    return true;
  }

  /// They have been put in place.
  void mark(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t packet = std::max(first, base_); packet < end; ++packet) here_[packet] = true;
    while (base_ < count_ && here_[base_]) ++base_;
  }

  /// Into the user's buffer, where that has gaps. Throws MpiError.
  void deliver() {
    if (copy_) message_.write(0, message_.bytes(), data_);
  }

 private:
  Message& message_;
  std::uint32_t packet_bytes_;
  std::uint32_t count_;
  std::uint32_t base_;
  std::vector<bool> here_;  ///< empty where all are
  std::unique_ptr<std::byte[]> copy_{};
  std::byte* data_ = nullptr;
};

}  // namespace trunkline::runtime
