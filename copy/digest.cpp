// SPDX-License-Identifier: Apache-2.0
#include "digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trunkline::copy {

Digest digest_of(std::span<const std::byte> data) {
  const XXH128_hash_t hash = XXH3_128bits(data.data(), data.size());
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace trunkline::copy
