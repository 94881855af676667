// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/stream_blocks.hpp"

namespace trunkline::runtime {

void StreamBlocks::make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) {
  longest_ = units;
  receives_.count = receives;
  sends_.count = sends;
}

template <class Use>
void StreamBlocks::each_place(BlockPiece piece, const Use& use) {
  for (const std::uint64_t begin = piece.begin; piece.begin < piece.end;) {
    const Place at = place(piece);
    use(at, piece.begin - begin);
    piece.begin += at.bytes;
  }
}

std::byte* StreamBlocks::in_place(const BlockPiece& piece) {
  std::byte* first = nullptr;
  bool in_a_row = true;
  each_place(piece, [&](const Place& at, std::uint64_t before) {
    std::byte* const stream = at.message.in_place();
    if (stream != nullptr && before == 0) first = stream + at.offset;
    in_a_row = in_a_row && stream != nullptr && stream + at.offset == first + before;
  });
  return in_a_row ? first : nullptr;
}

std::byte* StreamBlocks::slot(Slots& slots, std::uint64_t number) {
  if (slots.memory == nullptr) slots.memory = std::make_unique_for_overwrite<std::byte[]>(slots.count * longest_);
  return slots.memory.get() + number % slots.count * longest_;
}

Chunk StreamBlocks::incoming(const BlockPiece& piece, std::uint64_t number) {
  const auto bytes = static_cast<int>(piece.units());
  std::byte* const own = in_place(piece);
  return {.at = own != nullptr ? own : slot(receives_, number), .count = bytes, .bytes = bytes};
}

Chunk StreamBlocks::outgoing(const BlockPiece& piece, std::uint64_t number) {
  const auto bytes = static_cast<int>(piece.units());
  if (std::byte* const own = in_place(piece)) return {.at = own, .count = bytes, .bytes = bytes};
  std::byte* const sent = slot(sends_, number);
  each_place(piece,
             [&](const Place& at, std::uint64_t before) { at.message.read(at.offset, at.bytes, sent + before); });
  return {.at = sent, .count = bytes, .bytes = bytes};
}

void StreamBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  if (in_place(piece) != nullptr) return;
  std::byte* const received = slot(receives_, number);
  each_place(piece,
             [&](const Place& at, std::uint64_t before) { at.message.write(at.offset, at.bytes, received + before); });
}

void StreamBlocks::give_up(bool received, bool sent) noexcept {
  if (received) static_cast<void>(receives_.memory.release());
  if (sent) static_cast<void>(sends_.memory.release());
}

}  // namespace trunkline::runtime
