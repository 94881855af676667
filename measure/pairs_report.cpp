// SPDX-License-Identifier: Apache-2.0
#include "pairs_report.hpp"

#include <algorithm>
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

/// Why one-way times of a pair are not known: "the clock of h3 is not synchronized".
std::string reason_of(const Cluster& cluster, const PairFigures& pair) {
  const OneWayTimes& times = pair.one_way;
  const std::string& first = name_of(cluster, pair.hosts.first);
  const std::string& second = name_of(cluster, pair.hosts.second);
  const bool is_both = times.at_fault == 3;
  const std::string whose =
      is_both ? "the clocks of " + first + " and " + second : "the clock of " + (times.at_fault == 1 ? first : second);
  switch (times.fault) {
    case ClockFault::not_told:
      return "the system tells nothing of " + whose;
    case ClockFault::not_synced:
      return whose + (is_both ? " are" : " is") + " not synchronized";
    case ClockFault::was_set:
      return whose + (is_both ? " were" : " was") + " set meanwhile";
    case ClockFault::impossible:
      return whose + " are further apart than their systems say";
    case ClockFault::few_samples:
      return "one message each way shows nothing of its error";
    case ClockFault::none:
      break;
  }
  return "";
}

std::string one_way_json(const Cluster& cluster, const PairFigures& pair) {
  const OneWayTimes& times = pair.one_way;
  if (times.fault != ClockFault::none) return ", \"one_way_unknown\": \"" + reason_of(cluster, pair) + "\"";
  return both("one_way_s", times.seconds[0], times.seconds[1]) + ", \"one_way_error_s\": " + number(times.error_s);
}

/// "20.1, 5.2 ms", or why not.
void print_one_way(const Cluster& cluster, const PairFigures& pair) {
  const OneWayTimes& times = pair.one_way;
  if (times.fault != ClockFault::none) {
    std::fprintf(stderr, "  not known: %s\n", reason_of(cluster, pair).c_str());
    return;
  }
  std::fprintf(stderr, " %8.3f %8.3f ms, off by %.3f at most\n", times.seconds[0] * 1e3, times.seconds[1] * 1e3,
               times.error_s * 1e3);
}

}  // namespace

void print_pairs(const Cluster& cluster, std::span<const PairFigures> figures) {
  std::fprintf(stderr, "%5s %-24s %12s %7s %27s %23s  %s\n", "round", "pair", "latency", "spread",
               "bandwidth there, back", "injection there, back", "one way there, back");
  for (const PairFigures& pair : figures) {
    const std::string names = name_of(cluster, pair.hosts.first) + " - " + name_of(cluster, pair.hosts.second);
    std::fprintf(stderr, "%5" PRIu32 " %-24s %9.3f ms %6.1f%% %13s %13s %8.1f us %8.1f us", pair.round, names.c_str(),
                 pair.round_trip_s / 2 * 1e3, pair.round_trip_spread * 1e2,
                 rate_text(8 * pair.way[0].bandwidth_Bps).c_str(), rate_text(8 * pair.way[1].bandwidth_Bps).c_str(),
                 pair.way[0].injection_s * 1e6, pair.way[1].injection_s * 1e6);
    print_one_way(cluster, pair);
  }
  if (std::ranges::any_of(figures, [](const PairFigures& pair) { return pair.one_way.fault != ClockFault::none; })) {
    std::fputs(
        "\nWhere one-way times are not known, a way there and back is taken to be the same: what differs does not "
        "show.\n",
        stderr);
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
            both("injection_spread", there.injection_spread, back.injection_spread) + one_way_json(cluster, pair) + "}";
    between = ",\n  ";
  }
  return text + "]}\n";
}

}  // namespace trunkline::measure
