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

Shares::Shares(const GatheredBlocks& blocks, std::uint32_t packet_bytes, std::uint32_t piece_packets, Message* behind)
    : packet_bytes_(packet_bytes), piece_packets_(piece_packets), shares_(blocks.count()) {
  for (std::size_t turn = 0; turn < shares_.size(); ++turn) {
    Message* const message = blocks.message(static_cast<Rank>(turn));
    const std::uint64_t bytes = message != nullptr ? message->bytes() : 0;
    shares_[turn] = {.message = message, .bytes = bytes, .packets = packets_of(bytes, packet_bytes)};
    pieces_of_shares_ = std::max(pieces_of_shares_, (shares_[turn].packets + piece_packets - 1) / piece_packets);
  }
  pieces_ = pieces_of_shares_;
  if (behind == nullptr || shares_.empty()) return;
  Share& first = shares_.front();
  first.behind = behind;
  first.behind_bytes = behind->bytes();
  first.behind_packets = packets_of(first.behind_bytes, packet_bytes);
  pieces_ += (first.behind_packets + piece_packets - 1) / piece_packets;
}

/// From the packet of that number on.
Shares::Slice Shares::slice(const Share& share, std::uint32_t number, std::uint64_t most_bytes) const {
  const bool is_behind = number >= first_behind();
  const std::uint64_t bytes = is_behind ? share.behind_bytes : share.bytes;
  const std::uint64_t packet = number - (is_behind ? first_behind() : 0);
  const std::uint64_t from = std::min(packet * packet_bytes_, bytes);
  return {
      .message = is_behind ? share.behind : share.message, .from = from, .bytes = std::min(most_bytes, bytes - from)};
}

std::uint32_t Shares::packets_of_piece(std::size_t turn, std::uint32_t piece) const {
  const bool is_behind = piece >= pieces_of_shares_;
  const std::uint32_t first = (piece - (is_behind ? pieces_of_shares_ : 0)) * piece_packets_;
  const std::uint32_t packets = is_behind ? shares_[turn].behind_packets : shares_[turn].packets;
  return packets > first ? std::min(packets - first, piece_packets_) : 1;
}

bool Shares::exists(const Share& share, std::uint32_t number) const {
  if (number >= end()) return false;
  if (number % piece_packets_ == 0) return true;
  return number < first_behind() ? number < share.packets : number - first_behind() < share.behind_packets;
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
  const Slice to = slice(share, number, packet_bytes_);
  if (bytes.size() != to.bytes) return false;
  share.here |= bit;
  skip_what_is_here(share);
  if (bytes.empty()) return true;
  if (to.message->in_place() != nullptr) {
    std::memcpy(to.message->in_place() + to.from, bytes.data(), bytes.size());
  } else {
    to.message->write(to.from, bytes.size(), const_cast<std::byte*>(bytes.data()));
  }
  return true;
}

std::span<const std::byte> Shares::piece(std::size_t turn, std::uint32_t piece) {
  const std::uint64_t length = std::uint64_t{piece_packets_} * packet_bytes_;
  const Slice from = slice(shares_[turn], piece * piece_packets_, length);
  piece_.resize(from.bytes);
  if (!piece_.empty()) from.message->read(from.from, piece_.size(), piece_.data());
  return piece_;
}

}  // namespace trunkline::runtime
