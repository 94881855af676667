// SPDX-License-Identifier: Apache-2.0
// Whatever comes as a datagram: without the seal it is refused; sealed, as by a rank gone mad, it is read or refused.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "execute/multicast/report.hpp"
#include "transport/datagram/packet.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::runtime;
  static const Sealer sealer(Key{1, 2});
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  if (size < packet_overhead_bytes) {
    if (read_packet(bytes, sealer)) std::abort();
    return 0;
  }
  const std::span<const std::byte> payload = std::span(bytes).subspan(head_bytes, size - packet_overhead_bytes);
  std::ranges::copy(sealer.mark(), bytes.begin());
  HeadBytes head{};
  std::memcpy(head.data(), bytes.data(), head_bytes);
  const SealBytes seal = sealer.seal(head, payload);
  std::ranges::copy(seal, bytes.end() - seal_bytes);
  const auto packet = read_packet(bytes, sealer);
  if (!packet) return 0;
  const std::uint32_t block_packets = 1 + packet->head.claim % 64;
  const auto report = read_report(packet->payload, packet->head.number, packet->head.poll, 5000, block_packets);
  if (!report) return 0;
  if (report->base > report->end || report->end > 5000) std::abort();
  const auto again = read_report(written(*report), report->end, report->poll, 5000, block_packets);
  if (!again || again->lacks != report->lacks) std::abort();
  return 0;
}
