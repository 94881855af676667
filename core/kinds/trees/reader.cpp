// SPDX-License-Identifier: Apache-2.0
// The trees of a plan file, from what people write to what the checker passes.
#include <array>
#include <utility>

#include "kinds/trees/row.hpp"
#include "kinds/trees/trees.hpp"
#include "plan/tree_reader.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {
namespace {

constexpr TreeWords tree_words{.list = "sends",
                               .below = "what a rank sends to",
                               .to_itself = "sends to itself",
                               .above_root = "is the root; nobody sends to it",
                               .twice = "receives a second time",
                               .first = "first from",
                               .circle = "ranks send in a circle that the root never reaches",
                               .missing = "missing: nobody sends there; every rank but the root receives once"};

/// The mappings that hold a tree each; empty where their keys are at fault.
std::vector<const YamlNode*> tree_nodes(const YamlNode& plan, Faults& faults) {
  static constexpr std::array<std::string_view, 3> keys{"line", "sends", "exchange"};
  const std::size_t faults_before = faults.size();
  std::vector<const YamlNode*> nodes;
  const YamlNode* trees = plan.find("trees");
  if (trees == nullptr) {
    nodes.push_back(&plan);
  } else if (plan.find("line") != nullptr || plan.find("sends") != nullptr) {
    faults.add(*trees, "both trees and a single tree (line or sends) are given; keep one");
  } else if (const YamlNode* const exchange = plan.find("exchange")) {
    faults.add(*exchange, "of several trees each says for itself with whom the root exchanges; move it to them");
  } else if (check_kind(*trees, YamlNode::Kind::sequence, "trees", "[{line: [0, 1, 2]}, {line: [0, 2, 1]}]", faults)) {
    if (trees->items.empty() || trees->items.size() > most_streams) {
      faults.add(*trees, "trees must list 1 to " + std::to_string(most_streams) + " trees; here are " +
                             std::to_string(trees->items.size()));
    }
    for (const YamlNode& node : trees->items) {
      if (!check_kind(node, YamlNode::Kind::mapping, "a tree", "{line: [0, 1, 2]} or {sends: {0: [1, 2]}}", faults))
        continue;
      for (const YamlNode& key : node.keys) {
        if (key.text == "root" || key.text == "ranks") {
          faults.add(key, key.text + " stands once, beside trees: it is the same for all of them");
        }
      }
      if (faults.size() == faults_before) check_keys(node, keys, faults);
      nodes.push_back(&node);
    }
  }
  for (const YamlNode* node : nodes) {
    const bool line = node->find("line") != nullptr;
    const bool sends = node->find("sends") != nullptr;
    if (!line && !sends) faults.add(*node, "the tree is missing; give line: [0, 1, 2] or sends: {0: [1, 2]}");
    if (line && sends) faults.add(*node->find("sends"), "both line and sends are given; keep one");
  }
  return faults.size() == faults_before ? nodes : std::vector<const YamlNode*>();
}

/// With whom the root exchanges; false, and a fault, where it cannot.
bool read_exchange(const YamlNode& node, const PlanHead& head, TreeReader& reader, Tree& tree, Faults& faults) {
  if (facts_of(head.collective).direction != Direction::up_and_down) {
    const std::string name(facts_of(head.collective).name);
    faults.add(node, (facts_of(head.collective).gathers_shares() ? "shares of " + name + " have no root"
                                                                 : "data of " + name + " go one way") +
                         ", and two roots exchange only what goes up and down again; leave exchange out");
    return false;
  }
  const auto other = reader.read_rank(node);
  if (!other) return false;
  if (*other >= tree.size() || tree.parent[*other] != tree.root) {
    faults.add(node, "the root does not send to rank " + std::to_string(*other) +
                         "; it exchanges with one of those that it sends to");
    return false;
  }
  tree.exchange = *other;
  return true;
}

}  // namespace

std::optional<Plan> read_trees(const YamlNode& plan, const PlanHead& head, Faults& faults) {
  const std::optional<Rank>& ranks = head.ranks;
  const std::vector<const YamlNode*> nodes = tree_nodes(plan, faults);
  if (ranks && nodes.size() * std::size_t{*ranks} > most_ranks) {
    faults.add(*plan.find("trees"), std::to_string(nodes.size()) + " trees of " + std::to_string(*ranks) +
                                        " ranks are too much to hold; at most " + std::to_string(most_ranks) +
                                        " ranks of all trees together are allowed");
    return {};
  }
  const YamlNode* root_node = required(plan, "root", "root: 0", faults);
  if (!ranks || root_node == nullptr || nodes.empty()) return {};
  TreeReader reader(tree_words, *ranks, head.host_of_rank, faults);
  const auto root = reader.read_root(*root_node);
  if (!root) return {};
  Trees trees;
  for (const YamlNode* node : nodes) {
    const YamlNode* const line = node->find("line");
    auto tree = line != nullptr ? reader.read_line(*line, *root) : reader.read_lists(*node->find("sends"), *root);
    if (!tree) continue;
    const YamlNode* const exchange = node->find("exchange");
    if (exchange != nullptr && !read_exchange(*exchange, head, reader, *tree, faults)) continue;
    trees.push_back(std::move(*tree));
  }
  if (trees.size() != nodes.size()) return {};
  if (facts_of(head.collective).gathers_shares() && trees.size() > 1) {
    faults.add(*plan.find("trees"), "there are " + std::to_string(trees.size()) + " trees; " +
                                        std::string(facts_of(head.collective).name) + " goes along one; give one");
    return {};
  }
  check_trees(trees);
  return plan_of(std::move(trees));
}

}  // namespace trunkline
