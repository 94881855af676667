// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/packets.hpp"

#include <cstring>

namespace trunkline::runtime {

Packets::Packets(Message& message, std::uint32_t packet_bytes, bool is_here, std::uint32_t most_in_a_block)
    : message_(message),
      packet_bytes_(packet_bytes),
      count_(packets_of(message.bytes(), packet_bytes)),
      block_packets_(block_packets_of(count_, std::min(most_in_a_block, most_in_block))),
      base_(is_here ? count_ : 0),
      here_(is_here ? 0 : count_) {
  if (message.in_place() != nullptr) {
    data_ = message.in_place();
  } else {
    copy_ = std::make_unique_for_overwrite<std::byte[]>(message.bytes());
    data_ = copy_.get();
    if (is_here) message.read(0, message.bytes(), data_);
  }
  if (is_here) return;
  missing_.reserve(blocks());
  for (std::uint32_t block = 0; block < blocks(); ++block) missing_.push_back(end_of(block) - begin_of(block));
}

void Packets::have_come(std::uint64_t bytes) {
  const std::uint32_t end = bytes == message_.bytes() ? count_ : static_cast<std::uint32_t>(bytes / packet_bytes_);
  if (end <= base_) return;
  if (copy_) {
    const std::span<std::byte> at = place(base_, end);
    message_.read(std::uint64_t{base_} * packet_bytes_, at.size(), at.data());
  }
  while (base_ < end) mark(base_);
}

bool Packets::add(std::uint32_t packet, std::span<const std::byte> bytes) {
  if (packet >= count_ || has(packet)) return false;
  const std::span<std::byte> at = place(packet, packet + 1);
  if (at.size() != bytes.size()) return false;
  std::memcpy(at.data(), bytes.data(), bytes.size());
  mark(packet);
  decode_where_enough(block_of(packet));
  return true;
}

void Packets::mark(std::uint32_t packet) {
  here_[packet] = true;
  --missing_[block_of(packet)];
  while (base_ < count_ && here_[base_]) ++base_;
}

bool Packets::add_parity(std::uint32_t block, std::uint32_t number, std::span<const std::byte> bytes) {
  if (is_whole() || block >= blocks() || number >= parities || missing_[block] == 0) return false;
  if (bytes.size() != place(begin_of(block), begin_of(block) + 1).size()) return false;
  std::vector<Parity>& spare = spare_[block];
  if (std::ranges::find(spare, number, &Parity::number) != spare.end()) return false;
  spare.push_back({.number = number, .bytes = {bytes.begin(), bytes.end()}});
  decode_where_enough(block);
  return true;
}

std::uint32_t Packets::lacks(std::uint32_t block, std::uint32_t end) const {
  if (is_whole() || missing_[block] == 0) return 0;
  std::uint32_t lacking = 0;
  for (std::uint32_t packet = begin_of(block); packet < std::min(end, end_of(block)); ++packet) {
    if (!has(packet)) ++lacking;
  }
  const auto spare = spare_.find(block);
  const std::size_t instead = spare == spare_.end() ? 0 : spare->second.size();
  return lacking > instead ? lacking - static_cast<std::uint32_t>(instead) : 0;
}

std::vector<std::span<std::byte>> Packets::places(std::uint32_t block) const {
  std::vector<std::span<std::byte>> all;
  all.reserve(block_packets_);
  for (std::uint32_t packet = begin_of(block); packet < end_of(block); ++packet) {
    all.push_back(place(packet, packet + 1));
  }
  return all;
}

std::vector<std::byte> Packets::parity(std::uint32_t block, std::uint32_t number) const {
  const auto data = places(block);
  std::vector<std::byte> made(data.front().size());
  encode(number, data, made);
  return made;
}

void Packets::decode_where_enough(std::uint32_t block) {
  const auto spare = spare_.find(block);
  if (spare == spare_.end() || spare->second.size() < missing_[block]) return;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t packet = begin_of(block); packet < end_of(block); ++packet) {
    if (!has(packet)) missing.push_back(packet - begin_of(block));
  }
  if (!missing.empty()) decode(places(block), missing, std::span(spare->second).first(missing.size()));
  spare_.erase(spare);
  for (const std::uint32_t packet : missing) mark(begin_of(block) + packet);
}

}  // namespace trunkline::runtime
