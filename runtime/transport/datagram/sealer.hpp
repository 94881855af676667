// SPDX-License-Identifier: Apache-2.0
// The mark of a group's packets and a packet's seal, which take the group's key to make. docs/multicast.md, "The seal",
// says how hard it is to forge one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/datagram/nh.hpp"
#include "transport/datagram/siphash.hpp"

namespace trunkline::runtime {

inline constexpr std::size_t head_bytes = 32;
inline constexpr std::size_t seal_bytes = 8;

using HeadBytes = std::array<std::byte, head_bytes>;
using SealBytes = std::array<std::byte, seal_bytes>;

/// The first bytes of all packets of a group, a digest of its key: the kernel can tell strangers' packets by it.
using MarkBytes = std::array<std::byte, 4>;

class Sealer {
 public:
  /// Takes some microseconds: what does not depend on packets is computed once.
  explicit Sealer(const Key& key);

  [[nodiscard]] const MarkBytes& mark() const noexcept { return mark_; }

  /// Of a head that says how long the payload is.
  [[nodiscard]] SealBytes seal(const HeadBytes& head, std::span<const std::byte> payload) const;

 private:
  SipHash keyed_;  ///< that has taken nothing yet
  MarkBytes mark_{};
  NhKey nh_key_{};
};

}  // namespace trunkline::runtime
