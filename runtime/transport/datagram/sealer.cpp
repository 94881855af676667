// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/sealer.hpp"

#include <algorithm>

namespace trunkline::runtime {

/// The digests of nothing, of 8 bytes and of more: a digest of one length says nothing of the others.
Sealer::Sealer(const Key& key) : keyed_(key) {
  const std::uint64_t of_nothing = SipHash(key).end({});
  std::memcpy(mark_.data(), &of_nothing, mark_.size());
  for (std::uint64_t word = 0; word < nh_key_.size(); ++word) {
    nh_key_[word] = SipHash(key).end(std::as_bytes(std::span(&word, 1)));
  }
}

SealBytes Sealer::seal(const HeadBytes& head, std::span<const std::byte> payload) const {
  SipHash digest = keyed_;
  digest.take(head);
  while (!payload.empty()) {
    const std::size_t block = std::min(payload.size(), nh_block_bytes);
    const WideWord short_form = nh(nh_key_, payload.first(block));
    digest.take(std::as_bytes(std::span(&short_form, 1)));
    payload = payload.subspan(block);
  }
  return std::bit_cast<SealBytes>(digest.end({}));
}

}  // namespace trunkline::runtime
