// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/host_costs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>

#include "model/transfer/wire.hpp"
#include "text/named.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

/// A rank received and sent on one message of a stream in 19 to 27 us at 2 and 4 KiB, in 28 to 34 us at 16 KB, in 8 to
/// 10 ms at 16 MiB, under every library: two libraries differ no more than one does from run to run. Below a frame it
/// was 12 to 20 us in a stream, and more for a message alone. What tells libraries apart is how they send long
/// messages. Datagrams were measured over the loopback interface, where who sends also does the kernel's part of who
/// receives: half of a microsecond counts for both. As long messages, which the kernel cuts, they cost less; how late
/// it cuts them depends on the network card. Among ranks of one host half of a ping-pong of 8 bytes took 0.34 to
/// 1.0 us, one of 512 KiB 57 to 61 us, and a message of a stream 0.06 to 0.5 us, under four libraries.
constexpr HostCosts over_tcp{.name = "",
                             .send_s = 12e-6,
                             .send_byte_s = 0.2e-9,
                             .receive_s = 12.5e-6,
                             .receive_byte_s = 0.4e-9,
                             .local_send_s = 0.2e-6,
                             .local_send_byte_s = 0.03e-9,
                             .local_receive_s = 0.5e-6,
                             .local_receive_byte_s = 0.09e-9,
                             .datagram_send_s = 1.0e-6,
                             .datagram_send_byte_s = 0.08e-9,
                             .datagram_receive_s = 0.7e-6,
                             .datagram_receive_byte_s = 0.06e-9,
                             .datagram_rank_s = 0.13e-6};

constexpr HostCosts with(std::string_view name, std::uint64_t eager_bytes, double rendezvous_s, bool shares_wire,
                         double combine_byte_s) {
  HostCosts costs = over_tcp;
  costs.combine_byte_s = combine_byte_s;
  costs.name = name;
  costs.eager_bytes = eager_bytes;
  costs.rendezvous_s = rendezvous_s;
  costs.shares_wire = shares_wire;
  return costs;
}

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// MPICH 4 goes by UCX. MPICH 5 goes by libfabric, whose sends end late, but whose messages leave at once.
constexpr std::array known{HostCosts{.name = "free"}, with("mpich", 16 * kib, 25e-6, true, 0.04e-9),
                           with("mpich-5", no_limit, 0.0, false, 0.04e-9),
                           with("openmpi", openmpi_eager_bytes, 15e-6, false, 0.022e-9)};

struct Value {
  std::string_view key;
  double HostCosts::*cost;
};

constexpr std::array values{Value{"send", &HostCosts::send_s},
                            Value{"send-byte", &HostCosts::send_byte_s},
                            Value{"receive", &HostCosts::receive_s},
                            Value{"receive-byte", &HostCosts::receive_byte_s},
                            Value{"local-send", &HostCosts::local_send_s},
                            Value{"local-receive", &HostCosts::local_receive_s},
                            Value{"combine-byte", &HostCosts::combine_byte_s},
                            Value{"shared", &HostCosts::shared_s},
                            Value{"shared-byte", &HostCosts::shared_byte_s},
                            Value{"datagram-send", &HostCosts::datagram_send_s},
                            Value{"datagram-send-byte", &HostCosts::datagram_send_byte_s},
                            Value{"datagram-receive", &HostCosts::datagram_receive_s},
                            Value{"datagram-receive-byte", &HostCosts::datagram_receive_byte_s},
                            Value{"datagram-rank", &HostCosts::datagram_rank_s}};

/// The one key whose value is no time.
constexpr std::string_view processor = "processor";

std::string all_keys() {
  std::string text(processor);
  for (const Value& value : values) text.append(", ").append(value.key);
  return text;
}

}  // namespace

bool HostCosts::datagrams_keep_up(double byte_s, double ranks_a_host) const {
  constexpr auto payload = static_cast<double>(frame_payload_bytes);
  const double send = datagram_send_s + payload * datagram_send_byte_s;
  const double receive =
      datagram_receive_s + payload * datagram_receive_byte_s + (ranks_a_host - 1.0) * datagram_rank_s;
  return std::max(send, receive) <= byte_s * static_cast<double>(frame_wire_bytes) / 2.0;
}

std::span<const HostCosts> known_host_costs() { return known; }

const HostCosts& host_costs_named(std::string_view name) {
  return named_among(std::span<const HostCosts>(known), name, "no costs of messages are called");
}

HostCosts host_costs_from(std::string_view text, const HostCosts& usual) {
  HostCosts costs = usual;
  bool is_first = true;
  for (std::size_t from = 0; from <= text.size() && !text.empty(); is_first = false) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view part = text.substr(from, comma - from);
    from = comma + 1;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos && is_first) {
      costs = host_costs_named(part);
      costs.memory = usual.memory;
      costs.is_another_library = usual.is_another_library;
      costs.is_known = true;
      continue;
    }
    if (equals != std::string_view::npos && part.substr(0, equals) == processor) {
      costs.memory = &memory_speeds_named(part.substr(equals + 1));
      costs.is_memory_named = true;
      continue;
    }
    const auto known = std::ranges::find(values, part.substr(0, equals), &Value::key);
    if (equals == std::string_view::npos || known == values.end()) {
      throw std::invalid_argument("'" + std::string(part) + "' says no cost: a name comes first, then shared=16us " +
                                  "and the like, with commas between; there are: " + all_keys());
    }
    try {
      costs.*known->cost = parse_time(part.substr(equals + 1));
    } catch (const BadQuantity& wrong) {
      throw std::invalid_argument(std::string(known->key) + ": " + wrong.what());
    }
  }
  return costs;
}

std::string datagram_costs_text(const HostCosts& hosts) {
  std::string text;
  for (const Value& value : values) {
    if (value.key.starts_with("datagram-") || value.key == "combine-byte") {
      text.append(text.empty() ? "" : ",").append(value.key).append("=").append(format_short_time(hosts.*value.cost));
    }
  }
  return text;
}

const HostCosts& host_costs_of(std::string_view mpi, std::string_view version) {
  if (mpi == "openmpi") return host_costs_named("openmpi");
  constexpr int first_with_libfabric = 5;
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return host_costs_named(major >= first_with_libfabric ? "mpich-5" : "mpich");
}

const HostCosts& usual_host_costs() { return known[1]; }

}  // namespace trunkline
