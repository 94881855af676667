// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/stream_blocks.hpp"

namespace trunkline::runtime {

void StreamBlocks::make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) {
  if (is_in_place()) return;
  longest_ = units;
  receives_ = {std::make_unique_for_overwrite<std::byte[]>(receives * units), receives};
  sends_ = {std::make_unique_for_overwrite<std::byte[]>(sends * units), sends};
}

Chunk StreamBlocks::chunk(const Slots& slots, const BlockPiece& piece, std::uint64_t number) {
  const auto bytes = static_cast<int>(piece.units());
  if (slots.memory != nullptr) {
    return {.at = slots.memory.get() + number % slots.count * longest_, .count = bytes, .bytes = bytes};
  }
  const auto [message, offset] = place(piece);
  return {.at = message.in_place() + offset, .count = bytes, .bytes = bytes};
}

Chunk StreamBlocks::incoming(const BlockPiece& piece, std::uint64_t number) { return chunk(receives_, piece, number); }

Chunk StreamBlocks::outgoing(const BlockPiece& piece, std::uint64_t number) {
  const Chunk sent = chunk(sends_, piece, number);
  if (sends_.memory == nullptr) return sent;
  const auto [message, offset] = place(piece);
  message.read(offset, piece.units(), sent.at);
  return sent;
}

void StreamBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  if (receives_.memory == nullptr) return;
  const auto [message, offset] = place(piece);
  message.write(offset, piece.units(), chunk(receives_, piece, number).at);
}

void StreamBlocks::give_up(bool received, bool sent) noexcept {
  if (received) static_cast<void>(receives_.memory.release());
  if (sent) static_cast<void>(sends_.memory.release());
}

}  // namespace trunkline::runtime
