// SPDX-License-Identifier: Apache-2.0
#include "network/parts_check.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "network/spanning_tree.hpp"
#include "text/names.hpp"

namespace trunkline {

namespace {

using What = PartsFault::What;

class Check {
 public:
  explicit Check(const Cluster::Parts& parts) : parts_(parts) {}

  void names() {
    std::unordered_map<std::string_view, NodeId> seen;
    seen.reserve(parts_.nodes.size());
    for (NodeId node = 0; node < parts_.nodes.size(); ++node) {
      one_name(node, {}, seen);
    }
    for (NodeId node = 0; node < parts_.nodes.size(); ++node) {
      for (std::size_t alias = 0; alias < parts_.nodes[node].aliases.size(); ++alias) {
        one_name(node, alias, seen);
      }
    }
  }

  void links() {
    for (LinkId id = 0; id < parts_.links.size(); ++id) {
      const Link& link = parts_.links[id];
      if (link.a >= parts_.nodes.size() || link.b >= parts_.nodes.size()) {
        add(What::ends, {}, id, "link " + std::to_string(id) + " ends at a node that is not there");
        sound_ends_ = false;
        continue;
      }
      const std::string ends = name(link.a) + " - " + name(link.b);
      if (link.a == link.b) {
        add(What::ends, {}, id, "a link from " + name(link.a) + " to itself; name two nodes");
      } else if (is_host(link.a) && is_host(link.b)) {
        add(What::ends, {}, id, ends + " joins two hosts; hosts hang on a switch");
      }
      const auto is_rate = [&](ChannelId channel) {
        const double bps = link.way(channel).rate_bps;
        return bps > 0.0 && !std::isinf(bps);
      };
      if (!is_rate(0) || !is_rate(1)) add(What::rate, {}, id, ends + ": the rate must be above zero");
      if (link.width == 0) {
        add(What::rate, {}, id, ends + ": the links side by side must be one or more");
      }
      const auto is_latency = [&](ChannelId channel) {
        const double latency_s = link.way(channel).latency_s;
        return latency_s >= 0.0 && !std::isinf(latency_s);
      };
      if (!is_latency(0) || !is_latency(1)) add(What::rate, {}, id, ends + ": the latency must be zero or more");
    }
  }

  void host_links(bool complete) {
    std::vector<std::uint32_t> count(parts_.nodes.size(), 0);
    for (const Link& link : parts_.links) {
      ++count[link.a];
      count[link.b] += link.a == link.b ? 0U : 1U;
    }
    bool any_host = false;
    for (NodeId node = 0; node < parts_.nodes.size(); ++node) {
      if (!is_host(node)) {
        continue;
      }
      any_host = true;
      const double injection_s = parts_.nodes[node].injection_s;
      if (!(injection_s >= 0.0) || std::isinf(injection_s)) {
        add(What::rate, node, {}, "host " + name(node) + ": the injection time must be zero or more");
      }
      if (count[node] == 0 && complete) {
        add(What::host_links, node, {}, "host " + name(node) + " has no link; give its switch");
      } else if (count[node] > 1) {
        add(What::host_links, node, {},
            "host " + name(node) + " has " + std::to_string(count[node]) +
                " links; a host has one, so keep one and make a switch of it if it forwards");
      }
    }
    if (!any_host && complete) {
      add(What::host_links, {}, {}, "the cluster has no hosts");
    }
  }

  void pieces() {
    DisjointSets sets(parts_.nodes.size());
    for (const Link& link : parts_.links) {
      sets.join(link.a, link.b);
    }
    std::unordered_map<std::uint32_t, std::vector<NodeId>> members;
    for (NodeId node = 0; node < parts_.nodes.size(); ++node) {
      members[sets.find(node)].push_back(node);
    }
    std::vector<std::vector<NodeId>> groups;
    for (auto& [root, nodes] : members) {
      // A host without a link is reported as such already.
      if (nodes.size() > 1 || !is_host(nodes.front())) {
        groups.push_back(std::move(nodes));
      }
    }
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
      return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
    });
    for (std::size_t i = 1; i < groups.size(); ++i) {
      add(What::pieces, groups[i].front(), {},
          "the cluster is in pieces: no link joins " + listed(groups[i]) + " to the rest (" + listed(groups.front()) +
              "); add the link that is missing");
    }
  }

  [[nodiscard]] bool sound_ends() const { return sound_ends_; }
  [[nodiscard]] bool unique_names() const { return unique_names_; }
  std::vector<PartsFault> take() { return std::move(faults_); }

 private:
  [[nodiscard]] bool is_host(NodeId node) const { return parts_.nodes[node].kind == NodeKind::host; }
  [[nodiscard]] const std::string& name(NodeId node) const { return parts_.nodes[node].name; }

  void one_name(NodeId node, std::optional<std::size_t> alias, std::unordered_map<std::string_view, NodeId>& seen) {
    const std::string_view text = alias ? parts_.nodes[node].aliases[*alias] : parts_.nodes[node].name;
    PartsFault fault{.what = What::name, .node = node, .link = {}, .first = {}, .alias = alias, .message = {}};
    if (!is_valid_name(text)) {
      fault.message = bad_name(text);
      faults_.push_back(std::move(fault));
      return;
    }
    const auto [there, is_new] = seen.emplace(text, node);
    if (is_new) {
      return;
    }
    fault.what = What::duplicate;
    fault.first = there->second;
    fault.message =
        (alias ? "alias " : "name ") + std::string(text) +
        (there->second == node ? " is given to its node already; leave it out"
                               : " belongs to another node already; every name and alias stands for one node");
    faults_.push_back(std::move(fault));
    unique_names_ = false;
  }

  void add(What what, std::optional<NodeId> node, std::optional<LinkId> link, std::string message) {
    faults_.push_back(
        {.what = what, .node = node, .link = link, .first = {}, .alias = {}, .message = std::move(message)});
  }

  [[nodiscard]] std::string listed(const std::vector<NodeId>& nodes) const {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(nodes.size(), most); ++i) {
      text += (i == 0 ? "" : ", ") + name(nodes[i]);
    }
    return nodes.size() > most ? text + " and " + std::to_string(nodes.size() - most) + " more" : text;
  }

  const Cluster::Parts& parts_;
  std::vector<PartsFault> faults_;
  bool sound_ends_ = true;
  bool unique_names_ = true;
};

}  // namespace

std::vector<PartsFault> check_parts(const Cluster::Parts& parts, bool complete) {
  Check check(parts);
  check.names();
  check.links();
  if (check.sound_ends()) {
    check.host_links(complete);
    if (complete && check.unique_names()) {
      check.pieces();  // of two nodes with one name, links reach the first only
    }
  }
  return check.take();
}

}  // namespace trunkline
