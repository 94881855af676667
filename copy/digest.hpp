// SPDX-License-Identifier: Apache-2.0
// What tells two blocks of a file apart: 128 bits of XXH3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline::copy {

struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Digest&) const = default;
};

[[nodiscard]] Digest digest_of(std::span<const std::byte> data);

}  // namespace trunkline::copy
