// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/shares.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "execute/multicast/packets.hpp"

namespace trunkline::runtime {
namespace {

/// That are told apart from the first missing one on.
constexpr std::uint32_t widest = 64;

}  // namespace

Shares::Shares(const GatheredBlocks& blocks, std::uint32_t packet_bytes, std::uint32_t piece_packets)
    : packet_bytes_(packet_bytes), piece_packets_(piece_packets), shares_(blocks.count()) {
  for (std::size_t turn = 0; turn < shares_.size(); ++turn) {
    Message* const message = blocks.message(static_cast<Rank>(turn));
    const std::uint64_t bytes = message != nullptr ? message->bytes() : 0;
    shares_[turn] = {.message = message, .bytes = bytes, .packets = packets_of(bytes, packet_bytes)};
    pieces_ = std::max(pieces_, (shares_[turn].packets + piece_packets - 1) / piece_packets);
  }
}

std::uint32_t Shares::packets_of_piece(std::size_t turn, std::uint32_t piece) const {
  const std::uint32_t first = piece * piece_packets_;
  const std::uint32_t packets = shares_[turn].packets;
  return packets > first ? std::min(packets - first, piece_packets_) : 1;
}

bool Shares::exists(const Share& share, std::uint32_t number) const {
  return number < share.packets || (number < end() && number % piece_packets_ == 0);
}

void Shares::skip_what_is_here(Share& share) {
  while (share.base < end() && (!exists(share, share.base) || (share.here & 1U) != 0)) {
    share.here >>= 1U;
    ++share.base;
  }
}

std::uint64_t Shares::missing(std::size_t turn) const {
  const Share& share = shares_[turn];
  const std::uint32_t rest_of_piece = piece_packets_ - share.base % piece_packets_;
  const auto last_here = static_cast<std::uint32_t>(std::bit_width(share.here));
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < std::max(rest_of_piece, last_here); ++i) {
    if (exists(share, share.base + i) && (share.here >> i & 1U) == 0) all |= std::uint64_t{1} << i;
  }
  return all;
}

bool Shares::add(std::size_t turn, std::uint32_t number, std::span<const std::byte> bytes) {
  Share& share = shares_[turn];
  if (number < share.base || number - share.base >= widest || !exists(share, number)) return false;
  const std::uint64_t bit = std::uint64_t{1} << (number - share.base);
  if ((share.here & bit) != 0) return false;
  const std::uint64_t from = std::min(std::uint64_t{number} * packet_bytes_, share.bytes);
  if (bytes.size() != std::min<std::uint64_t>(packet_bytes_, share.bytes - from)) return false;
  share.here |= bit;
  skip_what_is_here(share);
  if (bytes.empty()) return true;
  if (share.message->in_place() != nullptr) {
    std::memcpy(share.message->in_place() + from, bytes.data(), bytes.size());
  } else {
    share.message->write(from, bytes.size(), const_cast<std::byte*>(bytes.data()));
  }
  return true;
}

std::span<const std::byte> Shares::piece(std::size_t turn, std::uint32_t piece) {
  const Share& share = shares_[turn];
  const std::uint64_t length = std::uint64_t{piece_packets_} * packet_bytes_;
  const std::uint64_t from = std::min(piece * length, share.bytes);
  piece_.resize(std::min(length, share.bytes - from));
  if (!piece_.empty()) share.message->read(from, piece_.size(), piece_.data());
  return piece_;
}

}  // namespace trunkline::runtime
