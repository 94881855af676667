// SPDX-License-Identifier: Apache-2.0
// Reed-Solomon codes over blocks of packets: a parity packet serves every rank that lacks any one packet of its block,
// and any m of them serve whoever lacks m. docs/multicast.md, "Blocks and parity".
//
// The generator is a Cauchy matrix, of which every square part can be inverted (Blömer et al., An XOR-based
// erasure-resilient coding scheme, ICSI TR-95-048, 1995). Cost: one product of a packet for each packet of the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execute/multicast/gf256.hpp"

namespace trunkline::runtime {

/// Packets of one block at most.
inline constexpr std::uint32_t most_in_block = 64;

/// Parity packets of one block that differ: all other elements of the field.
inline constexpr std::uint32_t parities = 256 - most_in_block;

/// The factor of a block's packet in a parity packet; both from 0 on.
[[nodiscard]] Element coefficient(std::uint32_t parity, std::uint32_t packet);

/// A parity packet that has come.
struct Parity {
  std::uint32_t number;
  std::vector<std::byte> bytes;
};

/// Sets `parity` to that of a block's packets, of which shorter ones count as if they ended in zeros.
void encode(std::uint32_t number, std::span<const std::span<std::byte>> block, std::span<std::byte> parity);

/// Writes the packets of `block` whose places are in `missing`; all others are there. `have`: as many parity packets,
/// of different numbers, which it uses up.
void decode(std::span<const std::span<std::byte>> block, std::span<const std::uint32_t> missing,
            std::span<Parity> have);

}  // namespace trunkline::runtime
