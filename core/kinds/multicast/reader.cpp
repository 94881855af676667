// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/reader.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "kinds/multicast/multicast.hpp"
#include "kinds/multicast/row.hpp"
#include "plan/tree_reader.hpp"
#include "text/quantity.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {
namespace {

constexpr TreeWords report_words{.list = "confirm",
                                 .below = "who reports to a rank",
                                 .to_itself = "reports to itself",
                                 .above_root = "is the root; it reports to nobody",
                                 .twice = "reports a second time",
                                 .first = "first to",
                                 .circle = "ranks report in a circle that the root is not in",
                                 .missing = "missing: every rank but the root reports to one other"};

/// Seconds a byte; 0 where the key is left out; empty, and a fault, where it cannot be read.
std::optional<double> read_pace(const YamlNode* node, Faults& faults) {
  if (node == nullptr) return 0.0;
  if (!check_kind(*node, YamlNode::Kind::scalar, "pace", "100Mbit", faults)) return {};
  try {
    return 8.0 / parse_rate(node->text);
  } catch (const BadQuantity& wrong) {
    faults.add(*node, std::string("pace: ") + wrong.what());
    return {};
  }
}

}  // namespace

std::optional<Plan> read_multicast(const YamlNode& plan, const PlanHead& head, Faults& faults) {
  static constexpr std::array<std::string_view, 2> keys{"pace", "confirm"};
  const YamlNode& node = *plan.find("multicast");
  const std::size_t before = faults.size();
  const YamlNode* const root_node = required(plan, "root", "root: 0", faults);
  if (!check_kind(node, YamlNode::Kind::mapping, "multicast", "{pace: 100Mbit, confirm: {0: [1, 2], 1: [3]}}", faults))
    return {};
  if (!multicast_kind.serves(head.collective)) {
    faults.add(node, "a multicast goes from one rank to all, and the plan is for " +
                         std::string(facts_of(head.collective).name) + "; lay trees for it, such as two-tree");
  }
  check_keys(node, keys, faults);
  const auto byte_s = read_pace(node.find("pace"), faults);
  const YamlNode* const confirm = required(node, "confirm", "confirm: {0: [1, 2], 1: [3]}", faults);
  if (!head.ranks || root_node == nullptr || confirm == nullptr) return {};
  TreeReader reader(report_words, *head.ranks, head.host_of_rank, faults);
  const auto root = reader.read_root(*root_node);
  if (!root) return {};
  auto tree = reader.read_lists(*confirm, *root);
  if (!tree || !byte_s || faults.size() != before) return {};
  Multicast multicast{.confirm = std::move(*tree), .byte_s = *byte_s};
  check_multicast(multicast);
  return plan_of(std::move(multicast));
}

}  // namespace trunkline
