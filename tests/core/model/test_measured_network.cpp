// SPDX-License-Identifier: Apache-2.0
#include "model/measured/measured_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "decide/decision.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "network/with_speeds.hpp"

namespace trunkline {
namespace {

Cluster stated() { return scaled(read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml"), 1e9); }

/// What one pair takes whose slowest link has that rate and whose hosts take 5 us + 1 ns a byte at each end.
MeasuredDistance between(const std::string& to, std::uint32_t channels, double bps) {
  MeasuredDistance distance{.channels = channels, .from = "h0", .to = to, .eager_bytes = 16384, .points = {}};
  for (const std::uint64_t bytes : {256U, 1024U, 8192U, 32768U}) {
    const double hosts_s = 5e-6 + 1e-9 * static_cast<double>(bytes);
    const double wire_s = 8.0 * static_cast<double>(wire_bytes(bytes)) / bps;
    const double gap_s = std::max(wire_s, hosts_s);
    distance.points.push_back({.bytes = bytes,
                               .round_trip_s = 2 * (2 * hosts_s + wire_s * channels + channels * 3e-6),
                               .gap_s = gap_s,
                               .send_s = hosts_s,
                               .receive_s = hosts_s,
                               .spread = 0.01});
  }
  return distance;
}

Measurement tables(double hosts_bps, double trunk_bps) {
  return {.provenance = {},
          .date = "2026-01-01",
          .cluster = "cyclic",
          .cluster_fingerprint = stated().fingerprint(),
          .mpi = "mpich",
          .mpi_version = "4.0.2",
          .distances = {between("h4", 2, hosts_bps), between("h1", 3, std::min(hosts_bps, trunk_bps))},
          .relay = {}};
}

double rate_of(const Cluster& cluster, const std::string& from, const std::string& to) {
  for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
    if (cluster.channel_name(channel) == from + "->" + to) return cluster.link_of(channel).rate_bps;
  }
  ADD_FAILURE() << from << " to " << to;
  return 0.0;
}

TEST(MeasuredNetwork, AsStatedNothingIsTold) {
  const MeasuredNetwork found = measured_network(stated(), tables(1e9, 1e9), usual_host_costs());
  EXPECT_TRUE(found.contradictions.empty());
  EXPECT_TRUE(found.hosts.is_known);
  EXPECT_NEAR(found.hosts.send_s, 5e-6, 1e-9);
  EXPECT_NEAR(found.hosts.receive_byte_s, 1e-9, 1e-13);
  EXPECT_EQ(found.hosts.eager_bytes, 16384U);
  EXPECT_EQ(rate_of(found.cluster, "h3", "s3"), 1e9);
  EXPECT_NEAR(found.cluster.links().front().latency_s, 3e-6, 1e-8);
}

TEST(MeasuredNetwork, ShortMessagesThatShareFramesSayNothingOfTheRate) {
  Measurement together = tables(1e8, 1e8);
  together.cluster_fingerprint = scaled(stated(), 1e8).fingerprint();
  for (MeasuredDistance& distance : together.distances) distance.points.front().gap_s /= 1.5;
  EXPECT_TRUE(measured_network(scaled(stated(), 1e8), together, usual_host_costs()).contradictions.empty());
  for (MeasuredDistance& distance : together.distances) distance.points.resize(1);
  EXPECT_FALSE(measured_network(scaled(stated(), 1e8), together, usual_host_costs()).contradictions.empty());
}

TEST(MeasuredNetwork, SlowHostLinksSlowTheTrunksTheyWereStatedLike) {
  const MeasuredNetwork found = measured_network(stated(), tables(1e8, 1e9), usual_host_costs());
  ASSERT_EQ(found.contradictions.size(), 1U);
  EXPECT_EQ(found.contradictions[0], "h0 - h4, 2 links apart: 100 Mbit/s measured, 1 Gbit/s stated");
  EXPECT_NEAR(rate_of(found.cluster, "h7", "s3"), 1e8, 1e6);
}

TEST(MeasuredNetwork, ASlowTrunkIsTold) {
  const MeasuredNetwork found = measured_network(stated(), tables(1e9, 2e8), usual_host_costs());
  ASSERT_EQ(found.contradictions.size(), 1U);
  EXPECT_EQ(found.contradictions[0], "h0 - h1, 3 links apart: 200 Mbit/s measured, 1 Gbit/s stated");
  EXPECT_NEAR(rate_of(found.cluster, "s0", "s1"), 2e8, 2e6);
  EXPECT_EQ(rate_of(found.cluster, "h0", "s0"), 1e9);
}

TEST(MeasuredNetwork, BusyHostsSayNothingOfTheLinks) {
  const Cluster fast = scaled(stated(), 1e11);  // one flow gets 8 Gbit/s
  Measurement measured = tables(1e11, 1e11);
  EXPECT_TRUE(measured_network(fast, measured, usual_host_costs()).contradictions.empty());
}

TEST(MeasuredNetwork, CombiningCostsWhatWasMeasured) {
  Measurement measured = tables(1e9, 1e9);
  EXPECT_EQ(measured_network(stated(), measured, usual_host_costs()).hosts.combine_byte_s,
            usual_host_costs().combine_byte_s);
  measured.combining = {
      .host = "h0", .ranks = 2, .points = {{.bytes = 1024, .time_s = 1.1e-6}, {.bytes = 4096, .time_s = 4.2e-6}}};
  EXPECT_NEAR(measured_network(stated(), measured, usual_host_costs()).hosts.combine_byte_s, 3.1e-6 / 3072, 1e-15);
}

TEST(MeasuredNetwork, DatagramsCostWhatWasMeasured) {
  Measurement measured = tables(1e9, 1e9);
  const HostCosts without = measured_network(stated(), measured, usual_host_costs()).hosts;
  EXPECT_EQ(without.datagram_send_s, usual_host_costs().datagram_send_s);
  const auto point = [](std::uint64_t bytes) -> DatagramPoint {
    const auto all = static_cast<double>(bytes);
    return {.bytes = bytes, .send_s = 3e-6 + 2e-9 * all, .receive_s = 2e-6 + 1e-9 * all};
  };
  measured.datagrams = {.from = "h0", .to = "h4", .points = {point(8), point(512), point(1432)}};
  const HostCosts with = measured_network(stated(), measured, usual_host_costs()).hosts;
  EXPECT_NEAR(with.datagram_send_s, 3e-6, 1e-12);
  EXPECT_NEAR(with.datagram_send_byte_s, 2e-9, 1e-15);
  EXPECT_NEAR(with.datagram_receive_s, 2e-6, 1e-12);
  EXPECT_NEAR(with.datagram_receive_byte_s, 1e-9, 1e-15);
  EXPECT_EQ(with.datagram_rank_s, usual_host_costs().datagram_rank_s);
  EXPECT_EQ(with.send_s, without.send_s);

  Knowledge knowledge{.library = {NativeLibrary::mpich, "mpich", "4.0.2"}, .cluster = stated()};
  const Placement placement = block_placement(*knowledge.cluster, 1);
  const auto predicted = [&] {
    knowledge.take_measurement(measured, "net.yaml");
    return Decider(knowledge, Collective::bcast, placement, 0).seconds_of("multicast", 8, 8);
  };
  const double slow_s = predicted();
  measured.datagrams.reset();
  const double usual_s = predicted();
  const HostCosts& usual = usual_host_costs();
  const double more_s = with.datagram_send_s + with.datagram_receive_s - usual.datagram_send_s -
                        usual.datagram_receive_s +
                        8 * (3e-9 - usual.datagram_send_byte_s - usual.datagram_receive_byte_s);
  EXPECT_NEAR(slow_s - usual_s, more_s, 1e-10);
}

TEST(MeasuredNetwork, DecidesAndRefusesWhatIsForOthers) {
  Knowledge knowledge{.library = {NativeLibrary::mpich, "mpich", "4.0.2"}, .cluster = stated()};
  const auto refused = [&](Measurement wrong) -> std::string {
    try {
      knowledge.take_measurement(wrong, "net.yaml");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  Measurement other = tables(1e9, 1e9);
  other.mpi_version = "5.0.2";
  EXPECT_NE(refused(other).find("net.yaml: was measured on cyclic under mpich 5.0.2, which says nothing about mpich 4"),
            std::string::npos)
      << refused(other);
  other = tables(1e9, 1e9);
  other.cluster_fingerprint += 1;
  EXPECT_NE(refused(other).find("not on cyclic as it is now"), std::string::npos);
  other = tables(1e9, 1e9);
  other.distances[1].to = "h77";
  EXPECT_NE(refused(other).find("host 'h77' is not in cluster cyclic"), std::string::npos);
  other.distances.clear();
  EXPECT_NE(refused(other).find("says nothing of two hosts"), std::string::npos);

  const Placement placement = block_placement(*knowledge.cluster, 1);
  const auto predicted = [&] {
    return Decider(knowledge, Collective::bcast, placement, 0).predictions(1U << 20).front().seconds;
  };
  const double by_stated = predicted();
  EXPECT_EQ(refused(tables(1e8, 1e8)), "");
  EXPECT_GT(predicted(), 8 * by_stated);
}

}  // namespace
}  // namespace trunkline
