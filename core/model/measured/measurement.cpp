// SPDX-License-Identifier: Apache-2.0
#include "model/measured/measurement.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "text/quantity.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

/// The two of at least two points between or beyond which a size lies, and how far from one to the other.
template <class Point>
std::tuple<const Point&, const Point&, double> around(const std::vector<Point>& points, std::uint64_t bytes) {
  auto above = std::ranges::lower_bound(points, bytes, {}, &Point::bytes);
  if (above == points.begin()) ++above;
  if (above == points.end()) --above;
  const Point& a = *(above - 1);
  const Point& b = *above;
  const auto width = static_cast<double>(b.bytes - a.bytes);
  return {a, b, (static_cast<double>(bytes) - static_cast<double>(a.bytes)) / width};
}

double between(double a, double b, double part) { return std::max(0.0, a + (b - a) * part); }

std::string percent(double part) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), part, std::chars_format::fixed, 4);
  return {buffer.data(), end.ptr};
}

}  // namespace

double MeasuredPoint::latency_s() const { return std::max(0.0, round_trip_s / 2.0 - gap_s); }

MeasuredPoint MeasuredDistance::at(std::uint64_t bytes) const {
  if (points.size() == 1) return points.front();
  const auto [a, b, part] = around(points, bytes);
  return {.bytes = bytes,
          .round_trip_s = between(a.round_trip_s, b.round_trip_s, part),
          .gap_s = between(a.gap_s, b.gap_s, part),
          .send_s = between(a.send_s, b.send_s, part),
          .receive_s = between(a.receive_s, b.receive_s, part),
          .spread = std::max(a.spread, b.spread)};
}

RelayPoint MeasuredRelay::at(std::uint64_t bytes) const {
  if (points.size() == 1) return points.front();
  const auto [a, b, part] = around(points, bytes);
  return {.bytes = bytes, .gap_s = between(a.gap_s, b.gap_s, part), .spread = std::max(a.spread, b.spread)};
}

const MeasuredDistance& Measurement::distance(std::uint32_t channels) const {
  return *std::ranges::min_element(distances, {}, [&](const MeasuredDistance& one) {
    return one.channels > channels ? one.channels - channels : channels - one.channels;
  });
}

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
