// SPDX-License-Identifier: Apache-2.0
// A message cut into packets, these in blocks, and which of them are here; parity packets of blocks that are not whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "datatype/message.hpp"
#include "execute/multicast/codes.hpp"

namespace trunkline::runtime {

/// Of a message, in how many packets it goes.
[[nodiscard]] constexpr std::uint32_t packets_of(std::uint64_t bytes, std::uint32_t packet_bytes) {
  return static_cast<std::uint32_t>((bytes + packet_bytes - 1) / packet_bytes);
}

/// Of a message of so many packets: blocks alike, as few as may be; the last one may be shorter. At least 1.
[[nodiscard]] constexpr std::uint32_t block_packets_of(std::uint32_t packets, std::uint32_t most) {
  if (packets <= most) return std::max(packets, 1U);
  const std::uint32_t blocks = (packets + most - 1) / most;
  return (packets + blocks - 1) / blocks;
}

/// Of a datagram with a parity packet: `number` below `parities` is its row.
[[nodiscard]] constexpr std::uint32_t parity_number(std::uint32_t block, std::uint32_t number) {
  return block << 8U | number;
}
[[nodiscard]] constexpr std::uint32_t block_in(std::uint32_t parity_number) { return parity_number >> 8U; }
[[nodiscard]] constexpr std::uint32_t row_in(std::uint32_t parity_number) { return parity_number & 0xFFU; }

class Packets {
 public:
  /// `message` must outlive the object. Where it has gaps, all of it is copied. `most_in_a_block`: at least 1, the same
  /// on all ranks.
  Packets(Message& message, std::uint32_t packet_bytes, bool is_here, std::uint32_t most_in_a_block = most_in_block);

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

  /// So many bytes of the message have come into the user's buffer, from its beginning on, without these packets.
  /// Throws MpiError.
  void have_come(std::uint64_t bytes);

  /// Whether it was missing.
  bool add(std::uint32_t packet, std::span<const std::byte> bytes);

  /// Of all blocks but the last one, which may have less.
  [[nodiscard]] std::uint32_t block_packets() const noexcept { return block_packets_; }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return (count_ + block_packets_ - 1) / block_packets_; }
  [[nodiscard]] std::uint32_t block_of(std::uint32_t packet) const noexcept { return packet / block_packets_; }
  [[nodiscard]] std::uint32_t begin_of(std::uint32_t block) const noexcept { return block * block_packets_; }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t block) const noexcept {
    return std::min(count_, begin_of(block) + block_packets_);
  }

  /// Whether it was of use: one that no other one here says the same as, of a block that is not whole.
  bool add_parity(std::uint32_t block, std::uint32_t number, std::span<const std::byte> bytes);

  /// Of a block's packets before `end`, how many more must come: parity packets stand for those that are missing.
  [[nodiscard]] std::uint32_t lacks(std::uint32_t block, std::uint32_t end) const;

  /// A parity packet of a block that is whole; `number` is below `parities`.
  [[nodiscard]] std::vector<std::byte> parity(std::uint32_t block, std::uint32_t number) const;

  /// Into the user's buffer, where that has gaps. Throws MpiError.
  void deliver() {
    if (copy_) message_.write(0, message_.bytes(), data_);
  }

 private:
  [[nodiscard]] std::vector<std::span<std::byte>> places(std::uint32_t block) const;
  void mark(std::uint32_t packet);
  void decode_where_enough(std::uint32_t block);

  Message& message_;
  std::uint32_t packet_bytes_;
  std::uint32_t count_;
  std::uint32_t block_packets_;
  std::uint32_t base_;
  std::vector<bool> here_;                                ///< empty where all are
  std::vector<std::uint32_t> missing_{};                  ///< by block
  std::map<std::uint32_t, std::vector<Parity>> spare_{};  ///< by block: parity packets of those that are not whole
  std::unique_ptr<std::byte[]> copy_{};
  std::byte* data_ = nullptr;
};

}  // namespace trunkline::runtime
