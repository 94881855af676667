// SPDX-License-Identifier: Apache-2.0
#include "theory.hpp"

#include <algorithm>
#include <vector>

#include "model/transfer/wire.hpp"

namespace trunkline::fabric {

namespace {

constexpr double s_per_ns = 1e-9;

/// A burst of TCP data, without any header of an MPI library.
struct Wire {
  std::uint64_t all_bytes;
  std::uint64_t first_bytes;
};

Wire wire_of(std::uint64_t bytes) {
  const std::uint64_t frames = std::max<std::uint64_t>((bytes + frame_payload_bytes - 1) / frame_payload_bytes, 1);
  return {bytes + frames * frame_overhead_bytes, std::min(bytes, frame_payload_bytes) + frame_overhead_bytes};
}

template <typename Visit>
void along(const Network& network, HostIndex from, HostIndex to, const Visit& visit) {
  for (NodeId node = network.node_of(from); node != network.node_of(to);) {
    const ChannelId id = network.towards(node, to);
    visit(id);
    node = network.channel(id).to;
  }
}

}  // namespace

double one_way_s(const Network& network, HostIndex from, HostIndex to, std::uint64_t bytes) {
  const Wire wire = wire_of(bytes);
  double first_ns = 0.0;     // until the first frame is stored
  double complete_ns = 0.0;  // until the last byte is there
  along(network, from, to, [&](ChannelId id) {
    const Network::Channel& channel = network.channel(id);
    const double each = channel.ns_per_byte * static_cast<double>(wire.first_bytes);
    const double all = channel.ns_per_byte * static_cast<double>(wire.all_bytes);
    const auto latency = static_cast<double>(channel.latency);
    complete_ns = std::max(first_ns + all, complete_ns + each) + latency;
    first_ns += each + latency;
  });
  return complete_ns * s_per_ns;
}

double relay_s(const Network& network, std::span<const HostIndex> line, std::uint64_t bytes, std::uint64_t segment) {
  const std::uint64_t segments = (bytes + segment - 1) / segment;
  const std::uint64_t whole = std::min(segment, bytes);
  double first_s = 0.0;
  std::vector<double> busy_ns(network.channel_count(), 0.0);  // by channel, for one segment
  const auto load = [&](HostIndex from, HostIndex to, std::uint64_t wire_bytes) {
    along(network, from, to,
          [&](ChannelId id) { busy_ns[id] += network.channel(id).ns_per_byte * static_cast<double>(wire_bytes); });
  };
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    first_s += one_way_s(network, line[i], line[i + 1], whole);
    load(line[i], line[i + 1], wire_of(whole).all_bytes);
    load(line[i + 1], line[i], ack_wire_bytes);
  }
  const double period_ns = *std::max_element(busy_ns.begin(), busy_ns.end());
  return first_s + static_cast<double>(segments - 1) * period_ns * s_per_ns;
}

}  // namespace trunkline::fabric
