// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <simgrid/s4u.hpp>
#if TRUNKLINE_SIMGRID_MAJOR < 4
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/host_costs.hpp"
#include "model/wire.hpp"

namespace trunkline::simulate {
namespace {

namespace s4u = simgrid::s4u;
using Links = std::vector<s4u::Link*>;
using Zones = std::unordered_set<s4u::NetZone*>;

/// What SMPI adds to every message for a header; ours is counted with the frames.
constexpr double smpi_header_bytes = 16.0;
/// Beyond what MPI counts in int.
constexpr std::uint64_t longest_message = std::uint64_t{1} << 32;

/// Bytes on the wire of a flow of SMPI's.
double on_wire(double bytes) {
  return static_cast<double>(wire_bytes(static_cast<std::uint64_t>(std::max(0.0, bytes - smpi_header_bytes))));
}

/// What messages cost their hosts: the setting that the ranks have too.
const HostCosts& host_costs() {
  static const HostCosts& known = []() -> const HostCosts& {
    const char* const name = std::getenv("TRUNKLINE_HOST_COSTS");
    return host_costs_named(name != nullptr ? name : "free");
  }();
  return known;
}

/// Before a message is there, besides its links' latencies and its time on the slowest of them: switches store its
/// first frame, its receiver takes it in, and a long one is announced and asked for first.
double other_seconds(double wire, double latency_s, const Links& links) {
  double frame_s = 0.0;
  double slowest_s = 0.0;
  for (const s4u::Link* link : links) {
    const double here_s = std::min(wire, static_cast<double>(frame_wire_bytes)) / link->get_bandwidth();
    frame_s += here_s;
    slowest_s = std::max(slowest_s, here_s);
  }
  const HostCosts& hosts = host_costs();
  const bool eager = wire <= static_cast<double>(wire_bytes(std::min(hosts.eager_bytes, longest_message)));
  return frame_s - slowest_s + hosts.receive_s + hosts.receive_byte_s * wire +
         (eager ? 0.0 : 2.0 * (latency_s + hosts.rendezvous_s));
}

/// The part of the wire's rate that a flow of so many bytes gets: the rest is headers and gaps between frames.
double payload_share(double bytes, const s4u::Host*, const s4u::Host*, const Links&, const Zones&) {
  return bytes > 0.0 ? bytes / on_wire(bytes) : 1.0;
}

/// A flow for each message would have all messages of a host share its port and end together, however many segments a
/// window lets out at once. A port sends them in the order in which they were handed to it: each waits, as if its
/// latency were longer, until those before it have left.
class Ports {
 public:
  double latency_factor(double bytes, const s4u::Host* from, const s4u::Host* to, const Links& links) {
    double latency_s = 0.0;
    for (const s4u::Link* link : links) latency_s += link->get_latency();
    if (links.empty() || latency_s <= 0.0) return 1.0;
    const double now = s4u::Engine::get_clock();
    double& free_at = free_at_[port_of(from, to, links)];
    const double start = std::max(now, free_at);
    free_at = start + on_wire(bytes) / links.front()->get_bandwidth();
    return 1.0 + (start - now + other_seconds(on_wire(bytes), latency_s, links)) / latency_s;
  }

 private:
  /// The host stands for its first link and for what never leaves it; further links side by side are ports of their
  /// own.
  const void* port_of(const s4u::Host* from, const s4u::Host* to, const Links& links) {
    if (from == to) return from;
    const s4u::Link* const first = first_link_.try_emplace(from, links.front()).first->second;
    return links.front() == first ? static_cast<const void*>(from) : links.front();
  }

  std::unordered_map<const void*, double> free_at_;  ///< by port
  std::unordered_map<const s4u::Host*, const s4u::Link*> first_link_;
};

}  // namespace

void use_ethernet() {
  s4u::Engine::on_platform_created_cb([] {
    auto ports = std::make_shared<Ports>();
    const auto in_order = [ports](double bytes, const s4u::Host* from, const s4u::Host* to, const Links& links,
                                  const Zones&) { return ports->latency_factor(bytes, from, to, links); };
    auto* const zone = s4u::Engine::get_instance()->get_netzone_root();
#if TRUNKLINE_SIMGRID_MAJOR < 4
    zone->get_network_model()->set_bw_factor_cb(payload_share);
    zone->get_network_model()->set_lat_factor_cb(in_order);
#else
    zone->set_bandwidth_factor_cb(payload_share);
    zone->set_latency_factor_cb(in_order);
#endif
  });
}

}  // namespace trunkline::simulate
