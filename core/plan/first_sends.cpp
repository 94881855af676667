// SPDX-License-Identifier: Apache-2.0
#include "plan/first_sends.hpp"

#include <numeric>
#include <utility>

namespace trunkline {

FirstSends first_sends(const TreeShape& shape) {
  std::vector<std::uint32_t> round(shape.nodes.size(), 0);
  FirstSends sent;
  std::vector<std::pair<std::uint32_t, FirstSend>> all;  // with its round, from 1 on
  for (const std::uint32_t parent : parents_first(shape)) {
    const TreeShape::Node& node = shape.nodes[parent];
    std::uint32_t next = round[parent];
    Rank local_leaves = 0;
    for (const TreeShape::Child& child : node.children) {
      next += child.local_leaves;
      local_leaves += child.local_leaves;
      if (child.node == shape.exchange) continue;
      round[child.node] = ++next;
      all.emplace_back(next,
                       FirstSend{.parent = parent, .to = child.node, .local_leaves = std::exchange(local_leaves, 0)});
    }
    local_leaves += node.further_leaves;
    next += node.further_leaves;
    if (local_leaves > 0) all.emplace_back(next + 1, FirstSend{.parent = parent, .local_leaves = local_leaves});
  }
  for (const auto& [in_round, one] : all) {
    if (sent.begin.size() <= in_round) sent.begin.resize(in_round + 1, 0);
    ++sent.begin[in_round];
  }
  std::partial_sum(sent.begin.begin(), sent.begin.end(), sent.begin.begin());
  std::vector<std::size_t> place(sent.begin.begin(), sent.begin.end() - 1);
  sent.sends.resize(all.size());
  for (const auto& [in_round, one] : all) sent.sends[place[in_round - 1]++] = one;
  return sent;
}

}  // namespace trunkline
