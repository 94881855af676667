// SPDX-License-Identifier: Apache-2.0
#include "model/measured/measurement.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "text/quantity.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

std::string percent(double part) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), part, std::chars_format::fixed, 4);
  return {buffer.data(), end.ptr};
}

}  // namespace

double MeasuredPoint::latency_s() const { return std::max(0.0, round_trip_s / 2.0 - gap_s); }

std::string write_measurement(const Measurement& measurement) {
  std::string out = "trunkline: measurement/1\n";
  out += measurement.provenance.empty() ? "" : "provenance: " + yaml_scalar(measurement.provenance) + "\n";
  out += "date: " + quoted(measurement.date) + "\n";
  out += "cluster: " + yaml_scalar(measurement.cluster) + "\n";
  out += "cluster_fingerprint: \"" + hexadecimal(measurement.cluster_fingerprint) + "\"\n";
  out += "mpi: " + yaml_scalar(measurement.mpi) + "\n";
  out += "mpi_version: " + quoted(measurement.mpi_version) + "\n";
  out += "distances:\n";
  for (const MeasuredDistance& distance : measurement.distances) {
    out += "  - channels: " + std::to_string(distance.channels) + "\n";
    out += "    between: [" + yaml_scalar(distance.from) + ", " + yaml_scalar(distance.to) + "]\n";
    out += "    eager_limit: " + (distance.eager_bytes == 0 ? "0B" : format_bytes(distance.eager_bytes)) + "\n";
    out += "    points:\n";
    for (const MeasuredPoint& point : distance.points) {
      out += "      - {size: " + format_bytes(point.bytes) + ", round_trip: " + format_short_time(point.round_trip_s) +
             ", gap: " + format_short_time(point.gap_s) + ", send: " + format_short_time(point.send_s) +
             ", receive: " + format_short_time(point.receive_s) + ", spread: " + percent(point.spread) + "}\n";
    }
  }
  if (measurement.relay) {
    out += "relay:\n  ranks: " + std::to_string(measurement.relay->ranks) + "\n  points:\n";
    for (const RelayPoint& point : measurement.relay->points) {
      out += "    - {size: " + format_bytes(point.bytes) + ", gap: " + format_short_time(point.gap_s) +
             ", spread: " + percent(point.spread) + "}\n";
    }
  }
  if (measurement.datagrams) {
    const MeasuredDatagrams& datagrams = *measurement.datagrams;
    out += "datagrams:\n  between: [" + yaml_scalar(datagrams.from) + ", " + yaml_scalar(datagrams.to) + "]\n";
    out += "  points:\n";
    for (const DatagramPoint& point : datagrams.points) {
      out += "    - {size: " + format_bytes(point.bytes) + ", send: " + format_short_time(point.send_s) +
             ", receive: " + format_short_time(point.receive_s) + ", spread: " + percent(point.spread) + "}\n";
    }
  }
  if (measurement.combining) {
    out += "combining:\n  host: " + yaml_scalar(measurement.combining->host) + "\n";
    out += "  ranks: " + std::to_string(measurement.combining->ranks) + "\n  points:\n";
    for (const CombinePoint& point : measurement.combining->points) {
      out += "    - {size: " + format_bytes(point.bytes) + ", time: " + format_short_time(point.time_s) +
             ", spread: " + percent(point.spread) + "}\n";
    }
  }
  return out;
}

}  // namespace trunkline
