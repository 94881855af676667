// SPDX-License-Identifier: Apache-2.0
#include "plan/port_queues.hpp"

#include <algorithm>
#include <utility>

namespace trunkline {
namespace {

/// A message to a node in another host, from a host whose ranks got theirs through `first`.
struct Sent {
  std::uint32_t first;
  double at_s;
  std::uint32_t to;
};

/// Counts, of each host's messages, those that go before each.
std::vector<Rank> places(std::vector<Sent>& sent, std::size_t nodes) {
  std::ranges::stable_sort(sent, {}, [](const Sent& one) { return std::pair(one.first, one.at_s); });
  std::vector<Rank> before(nodes, no_rank);
  Rank place = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    place = i > 0 && sent[i].first == sent[i - 1].first ? place + 1 : 0;
    before[sent[i].to] = place;
  }
  return before;
}

}  // namespace

std::optional<PortQueues> port_queues(const TreeShape& shape, const std::vector<double>& comes_s,
                                      const HostCosts& hosts) {
  PortQueues queues;
  queues.first.resize(shape.nodes.size());
  std::vector<std::uint32_t> senders(shape.nodes.size(), 0);  // by who has it first
  std::vector<double> ready_s(shape.nodes.size(), 0.0);       // after that
  std::vector<Sent> sent;
  queues.first[shape.root] = shape.root;
  for (const std::uint32_t at : parents_first(shape)) {
    const TreeShape::Node& node = shape.nodes[at];
    double time_s = ready_s[at];
    bool leaves_host = false;
    for (const TreeShape::Child& child : node.children) {
      const bool is_local = shape.nodes[child.node].host == node.host;
      time_s += child.local_leaves * hosts.local_send_s + (is_local ? hosts.local_send_s : hosts.send_s);
      queues.first[child.node] = is_local ? queues.first[at] : child.node;
      if (is_local) {
        ready_s[child.node] = time_s + hosts.local_receive_s;
      } else {
        leaves_host = true;
        sent.push_back({.first = queues.first[at], .at_s = time_s, .to = child.node});
      }
    }
    if (leaves_host) ++senders[queues.first[at]];
  }
  std::erase_if(sent, [&](const Sent& one) { return senders[one.first] < 2; });
  if (sent.empty()) return {};
  queues.ahead = places(sent, shape.nodes.size());
  if (comes_s.empty()) return queues;
  // Stable: of those at once the first one that is sent to is the last.
  for (Sent& one : sent) one.at_s = -comes_s[one.to];
  queues.behind = places(sent, shape.nodes.size());
  return queues;
}

}  // namespace trunkline
