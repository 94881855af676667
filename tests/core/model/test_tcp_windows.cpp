// SPDX-License-Identifier: Apache-2.0
// What TCP's windows, as a cluster file states them, make of predicted times.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "algorithms/registry.hpp"
#include "model/native/native_times.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/tcp_stream.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

constexpr double far_way_s = 25e-3 + 2 * 10e-6;
constexpr std::uint64_t stated_window = 64 * kib;
constexpr std::uint64_t one_mib = kib * kib;

/// Two sites of two hosts.
Cluster with_windows(const std::string& here = ", tcp_window: 64KiB",
                     const std::string& there = ", tcp_window: 64KiB") {
  return parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 40Mbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts: [{hosts: 'a[0-1]', switch: s0" +
          here + "}, {hosts: 'b[0-1]', switch: s1" + there + "}]\nlinks: [{between: [s0, s1], latency: 25ms}]\n",
      "x.yaml");
}

double seconds(const Cluster& cluster, std::string_view name, const Placement& placement, std::uint64_t bytes,
               std::uint64_t segment, Collective collective = Collective::bcast) {
  return costs_of(cluster, placement, lay(collective, name, &cluster, placement, 0), collective,
                  host_costs_named("free"))
      ->seconds(bytes, segment);
}

/// From the first byte's start until the last one of a stream is there.
double streamed_s(std::uint64_t bytes) {
  return far_way_s + 2.0 * far_way_s * static_cast<double>(bytes - stated_window) / static_cast<double>(stated_window);
}

TEST(TcpWindows, AreTheSmallerOneOfBothHosts) {
  const Cluster cluster = with_windows(", tcp_window: 128KiB");
  const Paths paths(cluster);
  const auto stream = capped_stream(paths, cluster.hosts()[0], cluster.hosts()[2]);
  ASSERT_TRUE(stream.has_value());
  EXPECT_DOUBLE_EQ(stream->window_bytes, static_cast<double>(stated_window));
  EXPECT_DOUBLE_EQ(stream->byte_s, 2.0 * far_way_s / static_cast<double>(stated_window));
  EXPECT_DOUBLE_EQ(stream->link_byte_s, 8 / 40e6);
  // Near by they hold all that is under way.
  EXPECT_FALSE(capped_stream(paths, cluster.hosts()[0], cluster.hosts()[1]).has_value());
  const Cluster one_says = with_windows("");
  EXPECT_TRUE(capped_stream(Paths(one_says), one_says.hosts()[0], one_says.hosts()[2]).has_value());
  const Cluster none_says = with_windows("", "");
  EXPECT_FALSE(capped_stream(Paths(none_says), none_says.hosts()[0], none_says.hosts()[2]).has_value());
}

TEST(TcpWindows, LetAWindowARoundTripPass) {
  const Placement placement{0, 2};
  for (const std::uint64_t segment : {std::uint64_t{14440}, 4 * stated_window, one_mib}) {
    EXPECT_NEAR(seconds(with_windows(), "linear", placement, one_mib, segment), streamed_s(one_mib),
                0.04 * streamed_s(one_mib))
        << segment;
  }
  EXPECT_NEAR(seconds(with_windows(), "recursive-doubling", placement, one_mib, one_mib, Collective::allreduce),
              streamed_s(one_mib), 0.04 * streamed_s(one_mib));
  // What fits into one takes what it took.
  EXPECT_DOUBLE_EQ(seconds(with_windows(), "linear", placement, stated_window, 14440),
                   seconds(with_windows("", ""), "linear", placement, stated_window, 14440));
}

TEST(TcpWindows, AreOneForEachTwoRanks) {
  // Two streams carry half of the message each.
  const Placement placement{0, 0, 0, 0, 2, 2, 2, 2};
  EXPECT_NEAR(seconds(with_windows(), "two-tree", placement, one_mib, 14440), streamed_s(one_mib),
              0.03 * streamed_s(one_mib));
  EXPECT_NEAR(seconds(with_windows(), "2-lane-two-tree", placement, one_mib, 14440), streamed_s(one_mib / 2),
              0.05 * streamed_s(one_mib / 2));
  // Of four the link is the limit.
  EXPECT_DOUBLE_EQ(seconds(with_windows(), "4-lane-two-tree", placement, one_mib, 14440),
                   seconds(with_windows("", ""), "4-lane-two-tree", placement, one_mib, 14440));
}

TEST(TcpWindows, CountForTheLibrarysOwnAlgorithms) {
  const Placement placement{0, 2};
  for (const Collective collective : {Collective::bcast, Collective::allreduce}) {
    const auto native = [&](const Cluster& cluster, std::uint64_t bytes) {
      return native_times(Paths(cluster), placement, collective, 0, NativeLibrary::mpich, host_costs_named("free"))
          ->seconds(bytes);
    };
    EXPECT_GT(native(with_windows(), one_mib),
              0.45 * streamed_s(one_mib));  // an allreduce's halves go one after the other
    EXPECT_GT(native(with_windows(), one_mib), 2.5 * native(with_windows("", ""), one_mib));
    EXPECT_DOUBLE_EQ(native(with_windows(), 8 * kib), native(with_windows("", ""), 8 * kib));
  }
}

RC_GTEST_PROP(TcpWindows, NeverMakeAPlanFaster, ()) {
  Cluster::Parts parts = testing::with_long_links(testing::random_parts(4, 12));
  const Cluster wide(parts);
  for (Node& node : parts.nodes) {
    if (node.kind == NodeKind::host) node.tcp_window_bytes = 1000 * *rc::gen::inRange<std::uint64_t>(0, 100);
  }
  const Cluster narrow(parts);
  const Placement placement = testing::random_placement(wide, 16);
  const Collective collective = *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce);
  const auto name = *rc::gen::element<std::string>("linear", "binary", "two-tree", "by-sites-binary", "binomial");
  const Plan plan = lay(collective, name, &wide, placement, 0);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const std::uint64_t segment = std::max<std::uint64_t>(1, bytes / *rc::gen::inRange<std::uint64_t>(1, 9));
  const auto took = [&](const Cluster& cluster) {
    return costs_of(cluster, placement, plan, collective, host_costs_named("free"))->seconds(bytes, segment);
  };
  RC_ASSERT(took(narrow) >= (1.0 - 1e-9) * took(wide));
}

}  // namespace
}  // namespace trunkline
