// SPDX-License-Identifier: Apache-2.0
// The multicast of a plan file, from what people write to what the checker passes.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinds/multicast/groups.hpp"
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

constexpr TreeWords reduce_words{.list = "reduce",
                                 .below = "whose operands a rank gets",
                                 .to_itself = "gets its own operand",
                                 .above_root = "is the root; its operand goes to nobody",
                                 .twice = "has its operand taken a second time",
                                 .first = "first by",
                                 .circle = "operands go in a circle that the root is not in",
                                 .missing = "missing: every rank but the root has its operand taken once"};

constexpr TreeWords turn_words{.list = "order",
                               .below = "who sends after a rank",
                               .to_itself = "stands twice in the order",
                               .above_root = "is the root; let the order start at it",
                               .twice = "stands in the order a second time",
                               .first = "first behind",
                               .circle = "ranks stand in a circle that the root is not in",
                               .missing = "missing in the order: every rank sends its block once"};

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

/// Trees that operands go up; none where the key is left out.
std::vector<Tree> read_reduce(const YamlNode& node, const PlanHead& head, Rank root, Faults& faults) {
  const YamlNode* const reduce = node.find("reduce");
  if (reduce == nullptr) return {};
  if (!facts_of(head.collective).reduces) {
    faults.add(*reduce, "reduce is for reductions, whose operands go up these trees; the plan is for " +
                            std::string(facts_of(head.collective).name));
    return {};
  }
  if (!check_kind(*reduce, YamlNode::Kind::sequence, "reduce", "[{0: [1, 2]}, {0: [2], 2: [1]}]", faults)) return {};
  const std::size_t most = std::min<std::size_t>(most_streams, most_ranks / *head.ranks);
  if (reduce->items.empty() || reduce->items.size() > most) {
    faults.add(*reduce, "reduce must list 1 to " + std::to_string(most) + " trees; here are " +
                            std::to_string(reduce->items.size()));
    return {};
  }
  TreeReader reader(reduce_words, *head.ranks, head.host_of_rank, faults);
  std::vector<Tree> trees;
  for (const YamlNode& lists : reduce->items) {
    if (auto tree = reader.read_lists(lists, root)) trees.push_back(std::move(*tree));
  }
  return trees;
}

std::optional<MulticastGroup> read_group(const YamlNode& node, TreeReader& reader, Faults& faults) {
  static constexpr std::array<std::string_view, 2> keys{"ranks", "pace"};
  if (!check_kind(node, YamlNode::Kind::mapping, "a group", "{ranks: [0-7], pace: 100Mbit}", faults)) return {};
  check_keys(node, keys, faults);
  const YamlNode* const list = required(node, "ranks", "ranks: [0-7]", faults);
  const auto byte_s = read_pace(node.find("pace"), faults);
  if (list == nullptr) return {};
  auto ranks = reader.read_ranks(*list, "ranks");
  if (!ranks || !byte_s) return {};
  return MulticastGroup{.ranks = std::move(*ranks), .byte_s = *byte_s};
}

/// Reads them into `multicast`, which has its confirm tree, or its order.
void read_groups(const YamlNode& node, TreeReader& reader, Multicast& multicast, Faults& faults) {
  const YamlNode* const groups = node.find("groups");
  if (groups == nullptr) return;
  if (const YamlNode* const pace = node.find("pace")) {
    faults.add(*pace, "pace: each group has one of its own; give it there");
  }
  if (!check_kind(*groups, YamlNode::Kind::sequence, "groups", "[{ranks: [0-3]}, {ranks: [4-7]}]", faults)) return;
  if (groups->items.empty()) {
    faults.add(*groups, "groups: there is none; leave the key out where all ranks are one");
    return;
  }
  const std::size_t before = faults.size();
  for (const YamlNode& one : groups->items) {
    if (auto group = read_group(one, reader, faults)) multicast.groups.push_back(std::move(*group));
  }
  if (faults.size() != before) return;
  try {
    if (multicast.goes_by_turns()) {
      check_groups_by_turns(multicast);
    } else {
      check_groups(multicast);
    }
  } catch (const InvalidPlan& invalid) {
    faults.add(*groups, std::string("groups: ") + invalid.what());
  }
}

/// With whom the root exchanges operands, into the confirm tree.
void read_exchange_of_groups(const YamlNode& node, const PlanHead& head, TreeReader& reader, Tree& confirm,
                             Faults& faults) {
  const YamlNode* const exchange = node.find("exchange");
  if (exchange == nullptr) return;
  if (!facts_of(head.collective).reduces || node.find("groups") == nullptr) {
    faults.add(*exchange,
               "exchange is for reductions in groups, in which two that send have operands of all ranks; "
               "leave it out");
    return;
  }
  const auto other = reader.read_rank(*exchange);
  if (!other) return;
  if (*other >= confirm.size() || confirm.parent[*other] != confirm.root) {
    faults.add(*exchange,
               "rank " + std::to_string(*other) + " does not report to the root; it exchanges with one " + "that does");
    return;
  }
  confirm.exchange = *other;
}

/// Of a root.
std::optional<Multicast> read_confirmed(const YamlNode& node, const PlanHead& head, TreeReader& reader, Rank root,
                                        Faults& faults) {
  for (const std::string_view key : {"order", "at_once"}) {
    if (const YamlNode* const other = node.find(key)) {
      faults.add(*other, std::string(key) + " is for collectives in which all ranks send, such as allgather");
    }
  }
  const YamlNode* const confirm = required(node, "confirm", "confirm: {0: [1, 2], 1: [3]}", faults);
  if (confirm == nullptr) return {};
  auto tree = reader.read_lists(*confirm, root);
  if (!tree) return {};
  Multicast multicast{.confirm = std::move(*tree)};
  read_exchange_of_groups(node, head, reader, multicast.confirm, faults);
  read_groups(node, reader, multicast, faults);
  return multicast;
}

/// Where all ranks send.
std::optional<Multicast> read_turns(const YamlNode& node, TreeReader& reader, Rank root, Faults& faults) {
  if (const YamlNode* const confirm = node.find("confirm")) {
    faults.add(*confirm, "confirm is for collectives with a root that sends; here all ranks do: give their order");
  }
  const YamlNode* const order = required(node, "order", "order: [0-3]", faults);
  const YamlNode* const at_once = required(node, "at_once", "at_once: 4", faults);
  if (order == nullptr || at_once == nullptr) return {};
  const auto line = reader.read_line(*order, root);
  const auto many = whole_number(*at_once, "at_once", 1, faults);
  if (!line || !many) return {};
  if (*many > line->size()) {
    faults.add(*at_once, "at_once: there are " + std::to_string(line->size()) + " ranks; no more can send at once");
    return {};
  }
  Multicast multicast{.order = parents_first(*line), .at_once = static_cast<Rank>(*many)};
  read_groups(node, reader, multicast, faults);
  return multicast;
}

}  // namespace

std::optional<Plan> read_multicast(const YamlNode& plan, const PlanHead& head, Faults& faults) {
  static constexpr std::array<std::string_view, 7> keys{"pace",   "groups", "confirm", "exchange",
                                                        "reduce", "order",  "at_once"};
  const bool by_turns = facts_of(head.collective).gathers_shares();
  const char* const example =
      by_turns ? "{pace: 100Mbit, order: [0-3], at_once: 4}" : "{pace: 100Mbit, confirm: {0: [1, 2], 1: [3]}}";
  const YamlNode& node = *plan.find("multicast");
  const std::size_t before = faults.size();
  const YamlNode* const root_node = required(plan, "root", "root: 0", faults);
  if (!check_kind(node, YamlNode::Kind::mapping, "multicast", example, faults)) return {};
  check_keys(node, keys, faults);
  const auto byte_s = read_pace(node.find("pace"), faults);
  if (!head.ranks || root_node == nullptr) return {};
  TreeReader reader(by_turns ? turn_words : report_words, *head.ranks, head.host_of_rank, faults);
  const auto root = reader.read_root(*root_node);
  if (!root) return {};
  auto multicast =
      by_turns ? read_turns(node, reader, *root, faults) : read_confirmed(node, head, reader, *root, faults);
  auto reduce = read_reduce(node, head, *root, faults);
  if (!multicast || !byte_s || faults.size() != before) return {};
  multicast->reduce = std::move(reduce);
  multicast->byte_s = *byte_s;
  check_multicast(*multicast);
  return plan_of(std::move(*multicast));
}

}  // namespace trunkline
