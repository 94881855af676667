// SPDX-License-Identifier: Apache-2.0
#include "network/fingerprint.hpp"

#include <bit>
#include <string_view>

#include "text/fnv.hpp"

namespace trunkline {

namespace {

class Digest {
 public:
  void text(std::string_view bytes) {
    for (const char c : bytes) {
      hash_.byte(static_cast<unsigned char>(c));
    }
    hash_.byte(0);  // names hold no zero byte: "ab","c" and "a","bc" stay different
  }

  void number(double value) {
    // Adding zero turns -0.0 into 0.0. The bits are IEEE 754's everywhere this runs; byte by byte, so in one order.
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    for (int shift = 0; shift < 64; shift += 8) {
      hash_.byte(static_cast<unsigned char>(bits >> shift));
    }
  }

  [[nodiscard]] std::uint64_t value() const { return hash_.value(); }

 private:
  Fnv1a hash_;
};

/// Networks of single links have the number that they had before links had a width.
void add_width(Digest& hash, const Link& link) {
  if (link.width == 1) return;
  hash.text("width");
  hash.number(link.width);
}

/// Networks of links that are alike both ways have the number that they had before links had two.
void add_back(Digest& hash, const Link& link) {
  if (!link.back) return;
  hash.text("back");
  hash.number(link.back->rate_bps);
  hash.number(link.back->latency_s);
}

/// Networks that say nothing of TCP have the number that they had before they could.
void add_tcp_window(Digest& hash, const Node& host) {
  if (host.tcp_window_bytes == 0) return;
  hash.text("tcp window");
  hash.number(static_cast<double>(host.tcp_window_bytes));
}

/// Networks whose paths are those of a tree have the number that they had before there were others.
void add_paths(Digest& hash, const Cluster& cluster) {
  if (cluster.routes() != nullptr) hash.text("shortest paths");
}

bool joins_switches(const Cluster& cluster, const Link& link) {
  const auto nodes = cluster.nodes();
  return nodes[link.a].kind == NodeKind::network_switch && nodes[link.b].kind == NodeKind::network_switch;
}

}  // namespace

std::uint64_t network_fingerprint(const Cluster& cluster) {
  Digest hash;
  add_paths(hash, cluster);
  const auto nodes = cluster.nodes();
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    const NodeId node = cluster.hosts()[host];
    const Link link = cluster.own_link(host);
    hash.text("host");
    hash.text(nodes[node].name);
    hash.number(nodes[node].injection_s);
    add_tcp_window(hash, nodes[node]);
    hash.text(nodes[cluster.switch_of(host)].name);
    hash.number(link.rate_bps);
    hash.number(link.latency_s);
    add_width(hash, link);
    add_back(hash, link);
  }
  for (const Link& link : cluster.links()) {
    if (joins_switches(cluster, link)) {
      hash.text("link");
      hash.text(nodes[link.a].name);
      hash.text(nodes[link.b].name);
      hash.number(link.rate_bps);
      hash.number(link.latency_s);
      add_width(hash, link);
      add_back(hash, link);
    }
  }
  return hash.value();
}

std::uint64_t topology_fingerprint(const Cluster& cluster) {
  Digest hash;
  add_paths(hash, cluster);
  const auto nodes = cluster.nodes();
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    hash.text("host");
    hash.text(nodes[cluster.hosts()[host]].name);
    hash.text(nodes[cluster.switch_of(host)].name);
  }
  for (LinkId id = 0; id < cluster.links().size(); ++id) {
    const Link& link = cluster.links()[id];
    if (cluster.is_used(id) && joins_switches(cluster, link)) {
      hash.text("link");
      hash.text(nodes[link.a].name);
      hash.text(nodes[link.b].name);
    }
  }
  return hash.value();
}

}  // namespace trunkline
