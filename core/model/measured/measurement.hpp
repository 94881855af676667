// SPDX-License-Identifier: Apache-2.0
// Measured point-to-point times of a network: the tables of the extended parameterized LogP model, and their file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/cluster.hpp"
#include "text/fault.hpp"

namespace trunkline {

/// Times of one message size, seconds.
struct MeasuredPoint {
  std::uint64_t bytes = 0;
  double round_trip_s = 0.0;  ///< ping-pong, there and back
  double gap_s = 0.0;         ///< g(m): between consecutive messages sent one way
  double send_s = 0.0;        ///< os(m): the sender's processor is busy
  double receive_s = 0.0;     ///< or(m): the receiver's is, the message having arrived
  /// Half of the widest of their 95 % intervals: of round trip and gap as a part of each, of send and receive as a part
  /// of the gap.
  double spread = 0.0;

  /// L(m), from RTT(m) = 2 (L(m) + g(m)) (Patarasuk, Faraj, Yuan 2008, section 5.1); not below zero.
  [[nodiscard]] double latency_s() const;
};

/// Pairs of ranks that are equally far apart.
struct MeasuredDistance {
  std::uint32_t channels = 0;  ///< links between their hosts: 0 one host, 2 one switch, 3 one trunk, ...
  std::string from;            ///< the hosts between which it was measured
  std::string to;
  std::uint64_t eager_bytes = 0;      ///< longest message that is sent before the receiver asks for it
  std::vector<MeasuredPoint> points;  ///< by ascending size
};

/// All ranks handing segments on at once, from one to the next on the line of Algorithm 1, seconds.
struct RelayPoint {
  std::uint64_t bytes = 0;
  double gap_s = 0.0;   ///< between consecutive segments at the last rank
  double spread = 0.0;  ///< as a point's
};

/// What two ranks alone do not show: every host at work, each rank receiving and sending.
struct MeasuredRelay {
  std::uint32_t ranks = 0;
  std::vector<RelayPoint> points;  ///< by ascending size
};

/// A multicast datagram with so many bytes of a message, seconds: what one costs a processor, of a batch.
struct DatagramPoint {
  std::uint64_t bytes = 0;
  double send_s = 0.0;     ///< of the host that seals and sends it
  double receive_s = 0.0;  ///< of one that receives, checks and copies it
  double spread = 0.0;     ///< half of the wider one of their 95 % intervals, as a part of it
};

/// By processor time: a link need not be as fast as hosts are.
struct MeasuredDatagrams {
  std::string from;  ///< the hosts between which they were measured
  std::string to;
  std::vector<DatagramPoint> points;  ///< by ascending size
};

/// An operand of `bytes` bytes added to another one, seconds of a processor.
struct CombinePoint {
  std::uint64_t bytes = 0;
  double time_s = 0.0;
  double spread = 0.0;  ///< as a point's
};

/// The library's own sum of doubles, on all ranks of a host at once.
struct MeasuredCombining {
  std::string host;
  std::uint32_t ranks = 0;
  std::vector<CombinePoint> points;  ///< by ascending size
};

struct Measurement {
  std::string provenance;
  std::string date;  ///< YYYY-MM-DD
  std::string cluster;
  std::uint64_t cluster_fingerprint = 0;
  std::string mpi;
  std::string mpi_version;
  std::vector<MeasuredDistance> distances;       ///< by ascending channels
  std::optional<MeasuredRelay> relay;            ///< where there are three ranks or more
  std::optional<MeasuredDatagrams> datagrams{};  ///< where a host hears another one's multicasts
  std::optional<MeasuredCombining> combining{};  ///< in files of before there is none
};

/// Throws FaultyFile with all faults: missing or misspelt keys, sizes out of order, times that are negative or
/// contradict each other (a processor busy for longer than the round trip).
[[nodiscard]] Measurement parse_measurement(std::string_view yaml, const std::string& file);
[[nodiscard]] Measurement read_measurement(const std::string& path);
/// The tables that the cluster's file names; empty where it names none. Throws FaultyFile, at the place that names them
/// or in the tables, where they cannot be read, are faulty, or were measured on another cluster.
[[nodiscard]] std::optional<Measurement> read_named_tables(const Cluster& cluster);
[[nodiscard]] std::string write_measurement(const Measurement& measurement);

}  // namespace trunkline
