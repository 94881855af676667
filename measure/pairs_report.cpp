// SPDX-License-Identifier: Apache-2.0
#include "pairs_report.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "network/fingerprint.hpp"
#include "text/quantity.hpp"

namespace trunkline::measure {
namespace {

const std::string& name_of(const Cluster& cluster, HostIndex host) {
  return cluster.nodes()[cluster.hosts()[host]].name;
}

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

/// "name": [there, back]
std::string both(const char* name, double there, double back) {
  return std::string(", \"") + name + "\": [" + number(there) + ", " + number(back) + "]";
}

}  // namespace

void print_pairs(const Cluster& cluster, std::span<const PairFigures> figures) {
  std::fprintf(stderr, "%5s %-24s %12s %7s %27s %23s\n", "round", "pair", "latency", "spread", "bandwidth there, back",
               "injection there, back");
  for (const PairFigures& pair : figures) {
    const std::string names = name_of(cluster, pair.hosts.first) + " - " + name_of(cluster, pair.hosts.second);
    std::fprintf(stderr, "%5" PRIu32 " %-24s %9.3f ms %6.1f%% %13s %13s %8.1f us %8.1f us\n", pair.round, names.c_str(),
                 pair.round_trip_s / 2 * 1e3, pair.round_trip_spread * 1e2,
                 rate_text(8 * pair.way[0].bandwidth_Bps).c_str(), rate_text(8 * pair.way[1].bandwidth_Bps).c_str(),
                 pair.way[0].injection_s * 1e6, pair.way[1].injection_s * 1e6);
  }
}

std::string pairs_json(const Cluster& cluster, const Measurement& of, std::uint64_t bytes,
                       std::span<const PairFigures> figures) {
  // Names of clusters and nodes have no letters that JSON escapes.
  std::array<char, 17> fingerprint{};
  std::snprintf(fingerprint.data(), fingerprint.size(), "%016" PRIx64, topology_fingerprint(cluster));
  std::string text = "{\"trunkline\": \"pairs/1\", \"provenance\": \"" + of.provenance + "\", \"date\": \"" + of.date +
                     "\", \"cluster\": \"" + of.cluster + "\", \"topology_fingerprint\": \"" + fingerprint.data() +
                     "\", \"mpi\": \"" + of.mpi + "\", \"mpi_version\": \"" + of.mpi_version +
                     "\", \"message_bytes\": " + std::to_string(bytes) + ",\n \"pairs\": [";
  const char* between = "\n  ";
  for (const PairFigures& pair : figures) {
    const WayFigures& there = pair.way[0];
    const WayFigures& back = pair.way[1];
    text += between + std::string("{\"hosts\": [\"") + name_of(cluster, pair.hosts.first) + "\", \"" +
            name_of(cluster, pair.hosts.second) + "\"], \"round\": " + std::to_string(pair.round) +
            ", \"latency_s\": " + number(pair.round_trip_s / 2) +
            ", \"latency_spread\": " + number(pair.round_trip_spread) +
            both("bandwidth_Bps", there.bandwidth_Bps, back.bandwidth_Bps) +
            both("bandwidth_spread", there.bandwidth_spread, back.bandwidth_spread) +
            both("injection_s", there.injection_s, back.injection_s) +
            both("injection_spread", there.injection_spread, back.injection_spread) + "}";
    between = ",\n  ";
  }
  return text + "]}\n";
}

}  // namespace trunkline::measure
