// SPDX-License-Identifier: Apache-2.0
// The blocks of an alltoall on one rank, as the program gave them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "datatype/message.hpp"

namespace trunkline::runtime {

/// What one rank has for another one.
struct PairBlock {
  Message* message = nullptr;  ///< that it is a part of; null: it is empty
  std::uint64_t offset = 0;    ///< bytes
  std::uint64_t bytes = 0;
};

struct Exchanged {
  std::vector<PairBlock> sent{};      ///< by rank of the communicator
  std::vector<PairBlock> received{};  ///< the same
  bool is_even = true;                ///< all blocks of all ranks are of one length
  bool in_place = false;              ///< what is sent was there before, so the rank's own block is where it belongs

  /// Of all that this rank has to send, or of all that it receives.
  [[nodiscard]] std::uint64_t most_bytes() const {
    const auto bytes = [](const std::vector<PairBlock>& blocks) {
      return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                             [](std::uint64_t sum, const PairBlock& one) { return sum + one.bytes; });
    };
    return std::max(bytes(sent), bytes(received));
  }

  /// But that of `rank` for itself.
  [[nodiscard]] std::uint64_t longest_block(std::size_t rank) const {
    std::uint64_t longest = 0;
    for (std::size_t other = 0; other < sent.size(); ++other) {
      if (other != rank) longest = std::max({longest, sent[other].bytes, received[other].bytes});
    }
    return longest;
  }
};

/// Blocks of one length, one behind the other.
[[nodiscard]] inline std::vector<PairBlock> even_blocks(Message& message, std::uint64_t ranks) {
  std::vector<PairBlock> blocks(ranks, {.message = &message, .offset = 0, .bytes = message.bytes() / ranks});
  for (std::uint64_t rank = 0; rank < ranks; ++rank) blocks[rank].offset = rank * blocks[rank].bytes;
  return blocks;
}

/// What was in the places of blocks that are received. After an error the library may still send from it: it is given
/// up.
class KeptForSends {
 public:
  explicit KeptForSends(std::vector<std::byte> bytes)
      : bytes_(std::make_unique<std::vector<std::byte>>(std::move(bytes))) {}
  KeptForSends(const KeptForSends&) = delete;
  KeptForSends& operator=(const KeptForSends&) = delete;
  ~KeptForSends() {
    if (!is_over_) static_cast<void>(bytes_.release());
  }

  [[nodiscard]] std::byte* data() const { return bytes_->data(); }
  [[nodiscard]] MPI_Count count() const { return static_cast<MPI_Count>(bytes_->size()); }
  /// All sends are over.
  void let_go() noexcept { is_over_ = true; }

 private:
  std::unique_ptr<std::vector<std::byte>> bytes_;
  bool is_over_ = false;
};

}  // namespace trunkline::runtime
