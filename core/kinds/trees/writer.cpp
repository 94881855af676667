// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "kinds/trees/trees.hpp"
#include "plan/written_lists.hpp"

namespace trunkline {
namespace {

std::vector<std::string> line_items(const Tree& tree) {
  std::vector<Rank> order{tree.root};
  while (!tree.children[order.back()].empty()) {
    order.push_back(tree.children[order.back()].front());
  }
  return ranges_of(order);
}

/// `lead` and the tree, whose further lines are indented that far.
void append_tree(std::string& out, const Tree& tree, std::size_t indent, std::string lead) {
  if (tree.exchange != no_rank) {
    out += lead + "exchange: " + std::to_string(tree.exchange) + "\n";
    lead.assign(indent, ' ');
  }
  if (max_degree(tree) <= 1) {
    out += lead + "line: ";
    append_list(out, line_items(tree), indent + 2);
    return;
  }
  out += lead + "sends:\n";
  append_children(out, tree, indent + 2);
}

}  // namespace

void write_trees(std::string& yaml, std::span<const Tree> trees) {
  check_trees(trees);
  const Tree& first = trees.front();
  if (std::ranges::any_of(trees, [](const Tree& tree) { return tree.exchange != no_rank; })) {
    yaml += "# The root and this rank send each other what has come up to them; both have the result then.\n";
  }
  if (trees.size() == 1) {
    if (first.exchange == no_rank) {
      yaml += max_degree(first) <= 1 ? "# Each rank sends to the next one.\n"
                                     : "# Whom each rank sends to, in this order.\n";
    }
    append_tree(yaml, first, 0, "");
    return;
  }
  yaml += "# Segments go down these trees by turns. In each: whom each rank sends to, in this order.\ntrees:\n";
  for (const Tree& tree : trees) append_tree(yaml, tree, 4, "  - ");
}

}  // namespace trunkline
