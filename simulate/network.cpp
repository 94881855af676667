// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <simgrid/s4u.hpp>
#if TRUNKLINE_SIMGRID_MAJOR < 4
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "model/transfer/wire.hpp"
#include "processors.hpp"
#include "rendezvous.hpp"
#include "spans.hpp"

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

bool hosts_are_free = false;

/// A rank of a host that has several is a host of its own in the platform, behind a link that is none in truth.
bool is_own_link(const s4u::Link* link) { return link->get_name().ends_with("/own"); }

/// The other direction of a link that differs by direction: the two are links by themselves, of which SimGrid splits
/// each in two again, and one half is used. A name that no link has for any other.
std::string way_back_of(const std::string& name) {
  static const std::string up = "_UP";
  static const std::string back = ".back";
  if (!name.ends_with(up)) return {};
  const std::string plain = name.substr(0, name.size() - up.size());
  return (plain.ends_with(back) ? plain.substr(0, plain.size() - back.size()) : plain + back) + up;
}

/// A message on its way, seconds.
struct Trip {
  double latency_s = 0.0;
  double transfer_s = 0.0;  ///< on the slowest of its links
  double stored_s = 0.0;    ///< its first frame, on all of the others: switches store it
};

Trip trip_of(double wire, const Links& links) {
  const double frame = std::min(wire, static_cast<double>(frame_wire_bytes));
  Trip trip;
  double slowest_s = 0.0;  // of a byte
  for (const s4u::Link* link : links) {
    const double byte_s = 1.0 / link->get_bandwidth();
    trip.latency_s += link->get_latency();
    trip.stored_s += frame * byte_s;
    slowest_s = std::max(slowest_s, byte_s);
  }
  trip.transfer_s = wire * slowest_s;
  trip.stored_s -= frame * slowest_s;
  return trip;
}

/// The part of the wire's rate that a flow of so many bytes gets: the rest is headers and gaps between frames.
double payload_share(double bytes, const s4u::Host*, const s4u::Host*, const Links&, const Zones&) {
  return bytes > 0.0 ? bytes / on_wire(bytes) : 1.0;
}

/// A flow for each message would have all messages of a host share its port and end together, however many segments a
/// window lets out at once. A port sends them in the order in which they leave their ranks: each waits, as if its
/// latency were longer, until those before it have left. So do links behind the port that are slower, such as those
/// between sites: a switch has the host's messages in its queue there. And so it is for the processors of both hosts,
/// which messages keep busy one after another.
class Hosts {
 public:
  /// Times `all_links`' latency: how long a message takes that is handed over now, but for its transfer.
  double latency_factor(double bytes, const s4u::Host* from, const s4u::Host* to, const Links& all_links) {
    const double latency_s = trip_of(0.0, all_links).latency_s;
    if (latency_s <= 0.0) return 1.0;
    const Links& links = real_links(all_links);
    const double delay_s = links.empty() ? through_memory_s(bytes, from, to) : over_links_s(bytes, from, to, links);
    return std::max(0.0, delay_s) / latency_s;
  }

  /// Keeps the processor of the rank that calls busy.
  void compute(double seconds) {
    if (seconds > 0.0) processors_of(s4u::this_actor::get_host()).compute(s4u::Engine::get_clock(), seconds);
  }
  /// Returns when the rank that calls has done it. What is put into memory goes after all that the rank computes and
  /// sends, and wakes nobody; what is taken out goes as a message is taken in.
  double copy(double bytes, bool out) {
    const HostCosts& costs = host_costs();
    const double now = s4u::Engine::get_clock();
    Processors& own = processors_of(s4u::this_actor::get_host());
    if (out) return own.receive(now, costs.local_receive_s + costs.local_receive_byte_s * bytes, now);
    return own.send(now, std::min(costs.local_send_s, costs.local_receive_s) + costs.local_send_byte_s * bytes);
  }
  double rest() { return processors_of(s4u::this_actor::get_host()).rest(s4u::Engine::get_clock()); }

  double through_port(const s4u::Host* from, double at_s, double wire) {
    const s4u::Link* const port = port_of(from);
    return spans_of(port_spans_[port]).take(at_s, wire / port->get_bandwidth());
  }

 private:
  static Spans& spans_of(Spans& spans) {
    spans.forget_before(s4u::Engine::get_clock());
    return spans;
  }

  /// The first link of every way to another host. There is one: a job has several hosts.
  const s4u::Link* port_of(const s4u::Host* from) {
    const s4u::Link*& port = port_[from];
    for (const s4u::Host* const to : s4u::Engine::get_instance()->get_all_hosts()) {
      if (port != nullptr) break;
      if (to == from) continue;
      Links links;
      from->route_to(to, links, nullptr);
      if (const Links& real = real_links(links); !real.empty()) port = real.front();
    }
    return port;
  }

  /// Without those of ranks.
  const Links& real_links(const Links& links) {
    if (!is_own_link(links.front()) && !is_own_link(links.back())) return links;
    real_.assign(links.begin(), links.end());
    std::erase_if(real_, is_own_link);
    return real_;
  }

  double over_links_s(double bytes, const s4u::Host* from, const s4u::Host* to, const Links& links) {
    const double wire = on_wire(bytes);
    const Trip trip = trip_of(wire, links);
    const HostCosts& costs = host_costs();
    const bool eager = wire <= static_cast<double>(wire_bytes(std::min(costs.eager_bytes, longest_message)));
    const double announced_s = eager ? 0.0 : costs.rendezvous_s;
    const double now = s4u::Engine::get_clock();
    // Here and not by SMPI's own options: those leave out blocking sends, such as the libraries' own algorithms make.
    const double leaves =
        processors_of(from).send(now, injection_s(from) + costs.send_s + costs.send_byte_s * wire + announced_s);
    Spans& port = spans_of(port_spans_[links.front()]);
    const double wire_s = wire / links.front()->get_bandwidth();
    double start = leaves;
    if (!eager && costs.shares_wire) {
      port.fill(start, start + wire_s);
    } else {
      start = queued(links, port.take(start, wire_s), wire);
    }
    start = in_window(from, to, links, bytes, start);
    // A long message is announced and asked for first.
    const double announced_way_s = eager ? 0.0 : trip.latency_s + answer_s(links);
    const double arrives = start + trip.latency_s + announced_way_s + trip.stored_s + trip.transfer_s;
    const double there =
        processors_of(to).receive(arrives, costs.receive_s + costs.receive_byte_s * wire + announced_s, now);
    return there - trip.transfer_s - now;
  }

  /// The latency of all links the other way.
  double answer_s(const Links& links) {
    double sum_s = 0.0;
    for (const s4u::Link* const link : links) {
      const auto [known, is_new] = back_s_.try_emplace(link, link->get_latency());
      if (is_new) {
        const s4u::Link* const back = s4u::Link::by_name_or_null(way_back_of(link->get_name()));
        if (back != nullptr) known->second = back->get_latency();
      }
      sum_s += known->second;
    }
    return sum_s;
  }

  /// Between ranks of one host: their processors copy, and nothing else is on the way.
  double through_memory_s(double bytes, const s4u::Host* from, const s4u::Host* to) {
    const HostCosts& costs = host_costs();
    const double payload = std::max(0.0, bytes - smpi_header_bytes);
    const double now = s4u::Engine::get_clock();
    const double leaves = processors_of(from).send(now, costs.local_send_s + costs.local_send_byte_s * payload);
    const double takes_s = costs.local_receive_s + costs.local_receive_byte_s * payload;
    return processors_of(to).receive(leaves, takes_s, now) - now;
  }

  /// From when on all links behind the port that are slower than it have room for the message, after those that the
  /// same host has sent over them before. Other hosts' share such a link with it, as flows do.
  double queued(const Links& links, double start, double wire) {
    double slowest = links.front()->get_bandwidth();
    for (const s4u::Link* const link : links) {
      if (link->get_bandwidth() >= slowest) continue;
      slowest = link->get_bandwidth();
      start = spans_of(queue_spans_[{links.front(), link}]).take(start, wire / slowest);
    }
    return start;
  }

  /// From when on TCP's window has room for the message, after those that the same rank has sent to the same one
  /// before. Of a longer message than a window the rest waits, as if it came later by so much.
  double in_window(const s4u::Host* from, const s4u::Host* to, const Links& links, double bytes, double start) {
    const double window = std::min(tcp_window(from), tcp_window(to));
    if (std::isinf(window)) return start;
    const Trip trip = trip_of(bytes, links);
    const double byte_s = (trip.latency_s + answer_s(links)) / window;
    const double more_s = byte_s - trip.transfer_s / bytes;
    if (more_s <= 0.0) return start;
    double& drained_at = drained_at_[{from, to}];
    start = std::max(start, drained_at - (window - std::min(bytes, window)) * byte_s);
    drained_at = std::max(drained_at, start) + bytes * byte_s;
    return start + std::max(0.0, bytes - window) * more_s;
  }

  /// Bytes, as the cluster file says, by way of the platform; infinity where it says nothing.
  double tcp_window(const s4u::Host* host) {
    const auto [known, is_new] = tcp_window_.try_emplace(host, std::numeric_limits<double>::infinity());
    const char* const stated = is_new ? host->get_property("trunkline.tcp_window") : nullptr;
    if (stated != nullptr) known->second = std::strtod(stated, nullptr);
    return known->second;
  }

  /// One for each rank there, which mostly is alone.
  Processors& processors_of(const s4u::Host* host) {
    return processors_.try_emplace(host, std::max<std::size_t>(1, host->get_actor_count())).first->second;
  }

  /// As the cluster file says, by way of the platform.
  double injection_s(const s4u::Host* host) {
    if (hosts_are_free) return 0.0;
    const auto [known, is_new] = injection_s_.try_emplace(host, 0.0);
    const char* const stated = is_new ? host->get_property("trunkline.injection") : nullptr;
    if (stated != nullptr) known->second = std::strtod(stated, nullptr);
    return known->second;
  }

  std::unordered_map<const s4u::Host*, double> injection_s_;
  std::unordered_map<const s4u::Host*, double> tcp_window_;
  std::map<std::pair<const s4u::Host*, const s4u::Host*>, double> drained_at_;  ///< when nothing is under way any more
  std::unordered_map<const s4u::Link*, double> back_s_;                         ///< by link: latency the other way
  std::unordered_map<const s4u::Link*, Spans> port_spans_;                      ///< when each port is taken
  std::unordered_map<const s4u::Host*, const s4u::Link*> port_;
  std::map<std::pair<const s4u::Link*, const s4u::Link*>, Spans> queue_spans_;  ///< by port, and link behind it
  Links real_;
  std::unordered_map<const s4u::Host*, Processors> processors_;
};

Hosts& all_hosts() {
  static Hosts hosts;
  return hosts;
}

}  // namespace

const HostCosts& host_costs() {
  static const HostCosts known = [] {
    const char* const text = std::getenv("TRUNKLINE_HOST_COSTS");
    return host_costs_from(text != nullptr ? text : "free", usual_host_costs());
  }();
  static const HostCosts nothing;
  return hosts_are_free ? nothing : known;
}

double through_port(const s4u::Host& from, double at_s, double wire_bytes) {
  return all_hosts().through_port(&from, at_s, wire_bytes);
}

void use_ethernet() {
  s4u::Engine::on_platform_created_cb([] {
    const auto in_order = [](double bytes, const s4u::Host* from, const s4u::Host* to, const Links& links,
                             const Zones&) { return all_hosts().latency_factor(bytes, from, to, links); };
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

extern "C" __attribute__((visibility("default"))) void trunkline_simulate_free_hosts(bool free) {
  trunkline::simulate::hosts_are_free = free;
}

extern "C" __attribute__((visibility("default"))) void trunkline_simulate_combine(double bytes) {
  trunkline::simulate::all_hosts().compute(trunkline::simulate::host_costs().combine_byte_s * bytes);
}

extern "C" __attribute__((visibility("default"))) double trunkline_simulate_rest() {
  return trunkline::simulate::all_hosts().rest();
}

extern "C" __attribute__((visibility("default"))) void trunkline_simulate_copy(double bytes, bool out) {
  const double until = trunkline::simulate::all_hosts().copy(bytes, out);
  if (until > simgrid::s4u::Engine::get_clock()) simgrid::s4u::this_actor::sleep_until(until);
}
