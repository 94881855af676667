// SPDX-License-Identifier: Apache-2.0
// Cluster files that are right: what is read from them, and that writing gives the same network back.
#include "network/file/cluster_file.hpp"
#include "text/names.hpp"
#include "text/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "network/fingerprint.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using testing::random_parts;

std::vector<std::string> switches_of_hosts(const Cluster& cluster) {
  std::vector<std::string> names;
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    names.push_back(cluster.nodes()[cluster.switch_of(host)].name);
  }
  return names;
}

const Link& access_link(const Cluster& cluster, HostIndex host) {
  return cluster.link_of(cluster.neighbours(cluster.hosts()[host]).front().channel);
}

TEST(ClusterFile, ReadsEveryKey) {
  const Cluster cluster = parse_cluster(R"(
trunkline: cluster/1
name: everything
description: "two switches: and a # in the text"
defaults: {rate: 1Gbit, latency: 5us}
switches: [s0, "s[1-2]"]
hosts:
  - hosts: node[01-02]
    switch: s0
    rate: 100Mbit
    latency: 1ms
    aliases:
      node01: [node01.lab, 10.0.0.1]
      node02: node02.lab
  - {hosts: "g[0-4]", switches: "s[1-2]", deal: 2}
  - hosts: [x, y]
    aliases:
      x,y: "[1-2].z"
links:
  - between: [x, s0]
  - {between: [s2, y], rate: 10Mbit}
  - between: [s0, s1]
    latency: 20us
  - between: [s1, s2]
)",
                                        "all.yaml");
  EXPECT_EQ(cluster.name(), "everything");
  EXPECT_EQ(cluster.description(), "two switches: and a # in the text");
  EXPECT_THAT(switches_of_hosts(cluster), ElementsAre("s0", "s0", "s1", "s1", "s2", "s2", "s1", "s0", "s2"));
  EXPECT_EQ(access_link(cluster, 0).rate_bps, 1e8);
  EXPECT_EQ(access_link(cluster, 0).latency_s, 1e-3);
  EXPECT_EQ(access_link(cluster, 2).rate_bps, 1e9);
  EXPECT_EQ(access_link(cluster, 2).latency_s, 5e-6);
  EXPECT_EQ(access_link(cluster, 8).rate_bps, 1e7);
  EXPECT_EQ(cluster.find_host("10.0.0.1"), 0U);
  EXPECT_EQ(cluster.find_host("node02.lab"), 1U);
  EXPECT_EQ(cluster.find_host("1.z"), 7U);
  EXPECT_EQ(cluster.find_host("2.z"), 8U);
  EXPECT_EQ(cluster.links().back().latency_s, 5e-6);
}

TEST(ClusterFile, ReadsLinksSideBySide) {
  const Cluster cluster = parse_cluster(R"(
trunkline: cluster/1
name: wide
defaults: {rate: 2x1Gbit}
switches: [s0, s1, s2]
hosts:
  - {hosts: a, switch: s0}
  - {hosts: b, switch: s1, rate: 1Gbit}
links:
  - {between: [s0, s1], rate: 4x10Gbit}
  - {between: [s1, s2]}
)",
                                        "wide.yaml");
  EXPECT_EQ(access_link(cluster, 0).width, 2U);
  EXPECT_EQ(access_link(cluster, 0).rate_bps, 1e9);
  EXPECT_EQ(access_link(cluster, 1).width, 1U);
  EXPECT_EQ(cluster.links()[2].width, 4U);
  EXPECT_EQ(cluster.links()[2].rate_bps, 1e10);
  EXPECT_EQ(cluster.links()[3].width, 2U);
  EXPECT_THAT(write_cluster(cluster), ::testing::HasSubstr("defaults: {rate: 2x1Gbit, latency: 0s}"));
  EXPECT_THAT(write_cluster(cluster), ::testing::HasSubstr("    rate: 4x10Gbit\n"));
}

TEST(ClusterFile, ReadsTheInjectionTimesOfHosts) {
  const auto of = [](const std::string& defaults, const std::string& entry) {
    return parse_cluster("trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit" + defaults +
                             "}\nswitches: s0\nhosts: [{hosts: 'h[0-1]', switch: s0" + entry +
                             "}, {hosts: g, switch: s0}]\n",
                         "x.yaml");
  };
  const auto injection_s = [](const Cluster& cluster, HostIndex host) {
    return cluster.nodes()[cluster.hosts()[host]].injection_s;
  };
  const Cluster cluster = of(", injection: 50us", ", injection: 2ms");
  EXPECT_DOUBLE_EQ(injection_s(cluster, 0), 2e-3);
  EXPECT_DOUBLE_EQ(injection_s(cluster, 1), 2e-3);
  EXPECT_DOUBLE_EQ(injection_s(cluster, 2), 50e-6);
  // Files that do not have the key know the network by the number that they had before.
  EXPECT_EQ(of("", "").fingerprint(), of(", injection: 0s", "").fingerprint());
  EXPECT_NE(of("", "").fingerprint(), cluster.fingerprint());
  EXPECT_EQ(topology_fingerprint(of("", "")), topology_fingerprint(cluster));
}

TEST(ClusterFile, ReadsTheTcpWindowsOfHosts) {
  const auto of = [](const std::string& defaults, const std::string& entry) {
    return parse_cluster("trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit" + defaults +
                             "}\nswitches: s0\nhosts: [{hosts: 'h[0-1]', switch: s0" + entry +
                             "}, {hosts: g, switch: s0}]\n",
                         "x.yaml");
  };
  const auto window = [](const Cluster& cluster, HostIndex host) {
    return cluster.nodes()[cluster.hosts()[host]].tcp_window_bytes;
  };
  const Cluster cluster = of(", tcp_window: 3MiB", ", tcp_window: 64KiB");
  EXPECT_EQ(window(cluster, 0), 64 * kib);
  EXPECT_EQ(window(cluster, 1), 64 * kib);
  EXPECT_EQ(window(cluster, 2), 3 * kib * kib);
  EXPECT_EQ(window(of("", ""), 0), 0U);
  EXPECT_NE(of("", "").fingerprint(), cluster.fingerprint());
  EXPECT_NE(of("", "").fingerprint(), of("", ", tcp_window: 64KiB").fingerprint());
  EXPECT_EQ(topology_fingerprint(of("", "")), topology_fingerprint(cluster));
}

TEST(ClusterFile, NeedsNoLatency) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: x\nswitches: s0\nhosts: [{hosts: a, switch: s0, rate: 1Gbit}]\n", "x.yaml");
  EXPECT_EQ(cluster.links()[0].latency_s, 0.0);
}

void expect_same(const Cluster& cluster, const Cluster& again) {
  RC_ASSERT(again.fingerprint() == cluster.fingerprint());
  RC_ASSERT(again.name() == cluster.name());
  RC_ASSERT(again.description() == cluster.description());
  RC_ASSERT(again.hosts().size() == cluster.hosts().size());
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    RC_ASSERT(again.nodes()[again.hosts()[host]].aliases == cluster.nodes()[cluster.hosts()[host]].aliases);
  }
}

RC_GTEST_PROP(ClusterFile, RoundTrips, ()) {
  Cluster::Parts parts = random_parts(6, 24, *rc::gen::inRange(0, 3));
  parts.description = "d" + *rc::gen::string<std::string>();
  std::erase_if(parts.description, [](char c) { return c == '\0' || static_cast<unsigned char>(c) >= 0x80; });
  parts.name = parts.description;
  std::erase_if(parts.name, [](char c) { return !is_valid_name(std::string_view(&c, 1)); });
  for (Node& node : parts.nodes) {
    if (node.kind == NodeKind::host) {
      if (*rc::gen::arbitrary<bool>()) {
        node.aliases = {node.name + ".lab", "10.0.0." + node.name};
      }
      node.injection_s = 1e-6 * *rc::gen::inRange(0, 3);
      node.tcp_window_bytes = *rc::gen::element<std::uint64_t>(0, 1, 65536, 100000);
    }
  }
  const Cluster cluster(parts);
  const std::string text = write_cluster(cluster);
  expect_same(cluster, parse_cluster(text, "written.yaml"));
  RC_ASSERT(write_cluster(parse_cluster(text, "written.yaml")) == text);
}

TEST(ClusterFile, WritesDealtHostsAsPeopleDo) {
  const std::string text = write_cluster(read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-5.yaml"));
  EXPECT_THAT(text, ::testing::HasSubstr("  - hosts: h[0-31]\n    switches: s[0-3]\n    deal: 2\n"));
}

TEST(ClusterFile, RoundTripsNamesThatYamlTakesForSomethingElse) {
  Cluster::Parts parts{
      .name = "null", .description = "\xC2\x85 \xE2\x80\xA8 \t \"q\" \\ \x7F \xC3\xA9", .nodes = {}, .links = {}};
  for (const char* name : {"-", "true", "1e3", "0x1F", "a:", ":a", "@", "/dev", "2024-01-01", "..."}) {
    parts.nodes.push_back({.name = name, .kind = NodeKind::network_switch});
  }
  for (NodeId id = 1; id < 10; ++id) {
    parts.links.push_back({.a = 0, .b = id, .rate_bps = 1.0});
  }
  for (const char* name : {"~", "y", "a:b", "+1", "-1", "no", "_"}) {
    parts.nodes.push_back({.name = name, .kind = NodeKind::host});
    parts.links.push_back({.a = static_cast<NodeId>(parts.nodes.size() - 1), .b = 4, .rate_bps = 1.0});
  }
  parts.nodes[10].name = "yes";  // ~ is no letter of names
  parts.nodes[11].aliases = {"null", "-2", "b:"};
  const Cluster cluster(parts);
  expect_same(cluster, parse_cluster(write_cluster(cluster), "written.yaml"));
}

struct Bundled {
  const char* name;
  std::size_t switches;
  std::size_t hosts;
  std::uint64_t fingerprint;
  double rate_bps = 1e8;  ///< of all links; 0: they differ
};

class BundledClusters : public ::testing::TestWithParam<Bundled> {};

TEST_P(BundledClusters, AreWhatTheyWere) {
  const Bundled& expected = GetParam();
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + expected.name + ".yaml");
  EXPECT_EQ(cluster.name(), expected.name);
  EXPECT_EQ(cluster.hosts().size(), expected.hosts);
  EXPECT_EQ(cluster.nodes().size() - cluster.hosts().size(), expected.switches);
  EXPECT_TRUE(cluster.unused_links().empty());
  for (const Link& link : cluster.links()) {
    if (expected.rate_bps > 0.0) {
      EXPECT_EQ(link.rate_bps, expected.rate_bps);
    }
  }
  // Plan files and tuning results out there carry these numbers: they must not change.
  EXPECT_EQ(cluster.fingerprint(), expected.fingerprint);
}

INSTANTIATE_TEST_SUITE_P(
    All, BundledClusters,
    ::testing::Values(Bundled{"paper-1", 1, 16, 0x8a787b4dd8666b77}, Bundled{"paper-2", 2, 32, 0x93a1e730f89e033a},
                      Bundled{"paper-3", 4, 32, 0xb454d5043d52a029}, Bundled{"paper-4", 4, 32, 0x25f214f1c5f47442},
                      Bundled{"paper-5", 4, 32, 0x85fbcf436b089bb0}, Bundled{"cyclic", 4, 32, 0x333a52439963fd24},
                      Bundled{"8w", 1, 4, 0x7be465ca7a81d4e9}, Bundled{"4w", 1, 8, 0xd2809803be9510cd},
                      Bundled{"now", 1, 30, 0xbe81dfbb9e28ab5c}, Bundled{"blade", 1, 10, 0x82f8c7cc946d5280},
                      Bundled{"4w+8w", 4, 12, 0xcdea4504afeb0ef3},
                      Bundled{"leaf-spine", 5, 24, 0x5e9aa67937e25e57, 1e10},
                      Bundled{"two-site", 2, 5, 0x7766687dcfa34758},
                      Bundled{"four-site", 4, 32, 0x47b2377ba5de5e65, 0.0}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::erase_if(name, [](char one) { return one == '-' || one == '+'; });
      return name;
    });

TEST(BundledClusters, DealHostsAsTheTableSays) {
  const auto names = [](const char* cluster) {
    return switches_of_hosts(read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + cluster + ".yaml"));
  };
  for (std::size_t host = 0; host < 32; ++host) {
    EXPECT_EQ(names("paper-2")[host], "s" + std::to_string(host / 16));
    EXPECT_EQ(names("paper-3")[host], "s" + std::to_string(host / 8));
    EXPECT_EQ(names("paper-4")[host], "s" + std::to_string(host / 8));
    EXPECT_EQ(names("paper-5")[host], "s" + std::to_string(host / 2 % 4));
    EXPECT_EQ(names("cyclic")[host], "s" + std::to_string(host % 4));
  }
}

}  // namespace
}  // namespace trunkline
