// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "network/file/cluster_file.hpp"
#include "network/impair/keys.hpp"
#include "text/hostlist.hpp"
#include "text/quantity.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

class Writer {
 public:
  /// `paths` is written above the switches; the cluster must have all of them.
  Writer(const Cluster& cluster, std::string paths) : cluster_(cluster), paths_(std::move(paths)) {}

  std::string run() {
    out_ = "trunkline: cluster/1\nname: " + yaml_scalar(cluster_.name()) + "\n";
    if (!cluster_.description().empty()) {
      out_ += "description: " + yaml_scalar(cluster_.description()) + "\n";
    }
    const Link usual = host_link(0);
    rate_ = rate_of(usual);
    latency_ = format_time(usual.latency_s);
    injection_s_ = host_node(0).injection_s;
    const auto says = [&](NodeId host) { return cluster_.nodes()[host].tcp_window_bytes > 0; };
    if (std::ranges::all_of(cluster_.hosts(), says)) tcp_window_bytes_ = host_node(0).tcp_window_bytes;
    out_ += "defaults: {rate: " + rate_ + ", latency: " + latency_ +
            (injection_s_ > 0.0 ? ", injection: " + format_time(injection_s_) : "") +
            (tcp_window_bytes_ > 0 ? ", tcp_window: " + format_bytes(tcp_window_bytes_) : "") + "}\n";
    out_ += paths_;
    switches();
    out_ += "hosts:\n";
    for (HostIndex begin = 0; begin < cluster_.hosts().size();) {
      begin = entry(begin);
    }
    links();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Node& host_node(HostIndex host) const { return cluster_.nodes()[cluster_.hosts()[host]]; }
  [[nodiscard]] Link host_link(HostIndex host) const { return cluster_.own_link(host); }
  [[nodiscard]] const std::string& switch_name(HostIndex host) const {
    return cluster_.nodes()[cluster_.switch_of(host)].name;
  }
  [[nodiscard]] bool alike(HostIndex a, HostIndex b) const {
    const Link one = host_link(a);
    const Link other = host_link(b);
    return one.rate_bps == other.rate_bps && one.width == other.width && one.latency_s == other.latency_s &&
           one.back == other.back && one.impairments == other.impairments &&
           host_node(a).injection_s == host_node(b).injection_s &&
           host_node(a).tcp_window_bytes == host_node(b).tcp_window_bytes;
  }
  static std::string rate_of(const Link& link) { return format_link_rate({.bps = link.rate_bps, .width = link.width}); }

  /// A host list as a value in block style, where brackets inside need no quotes.
  static std::string list(const std::vector<std::string>& names) {
    std::string text = compress_hostlist(names);
    const bool plain = std::isalnum(static_cast<unsigned char>(text.front())) != 0 && text.back() != ':';
    return plain ? text : quoted(text);
  }

  /// Writes the hosts from `begin` that share one entry; returns the first host after them.
  HostIndex entry(HostIndex begin) {
    const auto count = static_cast<HostIndex>(cluster_.hosts().size());
    HostIndex alike_end = begin + 1;
    while (alike_end < count && alike(begin, alike_end)) {
      ++alike_end;
    }
    HostIndex deal = 1;
    while (begin + deal < alike_end && cluster_.switch_of(begin + deal) == cluster_.switch_of(begin)) {
      ++deal;
    }
    const std::vector<NodeId> above = dealt_over(begin, alike_end, deal);
    const bool dealt = above.size() > 1;
    const HostIndex end = dealt ? alike_end : begin + deal;

    std::vector<std::string> hosts;
    for (HostIndex host = begin; host < end; ++host) {
      hosts.push_back(host_node(host).name);
    }
    out_ += "  - hosts: " + list(hosts) + "\n";
    if (dealt) {
      std::vector<std::string> names;
      std::transform(above.begin(), above.end(), std::back_inserter(names),
                     [&](NodeId id) { return cluster_.nodes()[id].name; });
      out_ += "    switches: " + list(names) + "\n    deal: " + std::to_string(deal) + "\n";
    } else {
      out_ += "    switch: " + yaml_scalar(switch_name(begin)) + "\n";
    }
    attributes(host_link(begin));
    const double injection_s = host_node(begin).injection_s;
    if (injection_s != injection_s_) out_ += "    injection: " + format_time(injection_s) + "\n";
    const std::uint64_t window = host_node(begin).tcp_window_bytes;
    if (window != tcp_window_bytes_) out_ += "    tcp_window: " + format_bytes(window) + "\n";
    aliases(begin, end);
    return end;
  }

  /// The switches in turn where all of [begin, end) are dealt `deal` at a time, and every switch gets hosts twice at
  /// least; empty where they are not.
  [[nodiscard]] std::vector<NodeId> dealt_over(HostIndex begin, HostIndex end, HostIndex deal) const {
    std::vector<NodeId> above;
    for (HostIndex host = begin; host < end; host += deal) {
      const NodeId id = cluster_.switch_of(host);
      if (!above.empty() && id == above.front()) {
        break;
      }
      above.push_back(id);
    }
    if (above.size() * deal * 2 > end - begin) {
      return {};
    }
    for (HostIndex host = begin; host < end; ++host) {
      if (cluster_.switch_of(host) != above[(host - begin) / deal % above.size()]) {
        return {};
      }
    }
    return above;
  }

  /// What is not as usual; equal numbers, and only they, have equal texts.
  void attributes(const Link& link) {
    const std::string rate = rate_of(link);
    const std::string latency = format_time(link.latency_s);
    if (rate != rate_) out_ += "    rate: " + rate + "\n";
    if (latency != latency_) out_ += "    latency: " + latency + "\n";
    if (link.back) {
      out_ += "    back: {rate: " + format_rate(link.back->rate_bps) +
              ", latency: " + format_time(link.back->latency_s) + "}\n";
    }
    unusual(link.impairments, link_keys());
  }

  template <typename Target>
  void unusual(const Target& target, std::span<const ImpairKey<Target>> keys) {
    for (const ImpairKey<Target>& key : keys) {
      const std::string text = key.text(target);
      if (text != key.text(Target{})) out_ += "    " + std::string(key.name) + ": " + text + "\n";
    }
  }

  /// One host list where all have the usual settings; else an entry for each run of switches that are alike.
  void switches() {
    std::vector<std::pair<SwitchSettings, std::vector<std::string>>> runs;
    for (const Node& node : cluster_.nodes()) {
      if (node.kind != NodeKind::network_switch) continue;
      if (runs.empty() || runs.back().first != node.settings) runs.push_back({node.settings, {}});
      runs.back().second.push_back(node.name);
    }
    if (runs.size() == 1 && runs.front().first == SwitchSettings{}) {
      out_ += "switches: " + list(runs.front().second) + "\n";
      return;
    }
    out_ += "switches:\n";
    for (const auto& [settings, names] : runs) {
      out_ += "  - switches: " + list(names) + "\n";
      unusual(settings, switch_keys());
    }
  }

  void aliases(HostIndex begin, HostIndex end) {
    bool first = true;
    for (HostIndex host = begin; host < end; ++host) {
      const Node& node = host_node(host);
      if (node.aliases.empty()) {
        continue;
      }
      out_ += first ? "    aliases:\n" : "";
      first = false;
      out_ += "      " + yaml_scalar(node.name) + ": [";
      for (std::size_t i = 0; i < node.aliases.size(); ++i) {
        out_ += (i == 0 ? "" : ", ") + yaml_scalar(node.aliases[i]);
      }
      out_ += "]\n";
    }
  }

  void links() {
    bool first = true;
    for (const Link& link : cluster_.links()) {
      const Node& a = cluster_.nodes()[link.a];
      const Node& b = cluster_.nodes()[link.b];
      if (a.kind == NodeKind::host || b.kind == NodeKind::host) {
        continue;  // written with the hosts
      }
      out_ += first ? "links:\n" : "";
      first = false;
      out_ += "  - between: [" + yaml_scalar(a.name) + ", " + yaml_scalar(b.name) + "]\n";
      attributes(link);
    }
  }

  const Cluster& cluster_;
  std::string paths_;
  std::string out_;
  std::string rate_;  ///< of the defaults
  std::string latency_;
  double injection_s_ = 0.0;
  std::uint64_t tcp_window_bytes_ = 0;  ///< the same; 0 where some host says nothing
};

}  // namespace

std::string write_cluster(const Cluster& cluster) {
  Cluster::Parts stated = cluster.stated();
  if (stated.paths == UsedPaths::spanning_tree) return Writer(cluster, "").run();
  if (stated.paths == UsedPaths::shortest) return Writer(cluster, "paths: shortest\n").run();
  stated.paths = UsedPaths::spanning_tree;
  return Writer(Cluster(std::move(stated)), "paths: equal-cost\n").run();
}

}  // namespace trunkline
