// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "plan/checker.hpp"
#include "plan/round_list.hpp"
#include "plan_file/plan_file.hpp"
#include "text/hostlist.hpp"
#include "text/quantity.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

constexpr std::size_t columns = 100;

/// [a, b, c], broken into lines no longer than people like to read.
void append_list(std::string& out, const std::vector<std::string>& items, std::size_t indent) {
  std::size_t line_begin = out.rfind('\n') + 1;
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      out += ',';
      if (out.size() - line_begin + items[i].size() + 2 > columns) {
        out += '\n' + std::string(indent, ' ');
        line_begin = out.size() - indent;
      } else {
        out += ' ';
      }
    }
    out += items[i];
  }
  out += "]\n";
}

/// In order, three or more consecutive ones as a range.
std::vector<std::string> ranges_of(const std::vector<Rank>& order) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && order[end] == order[end - 1] + 1) {
      ++end;
    }
    if (end - i > 2) {
      items.push_back(std::to_string(order[i]) + "-" + std::to_string(order[end - 1]));
      i = end;
    } else {
      items.push_back(std::to_string(order[i]));
      ++i;
    }
  }
  return items;
}

std::vector<std::string> line_items(const Tree& tree) {
  std::vector<Rank> order{tree.root};
  while (!tree.children[order.back()].empty()) {
    order.push_back(tree.children[order.back()].front());
  }
  return ranges_of(order);
}

/// How often every host stands there in a row, where that is the same for all of them; else 1.
std::size_t ranks_per_host(const std::vector<std::string>& hosts) {
  std::size_t each = 1;
  while (each < hosts.size() && hosts[each] == hosts.front()) {
    ++each;
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts.size() % each != 0 || hosts[i] != hosts[i - i % each]) {
      return 1;
    }
  }
  return each;
}

void append_hosts(std::string& out, const std::vector<std::string>& hosts) {
  const std::size_t each = ranks_per_host(hosts);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hosts.size(); i += each) {
    names.push_back(hosts[i]);
  }
  out += "hosts: " + quoted(compress_hostlist(names)) + "\n";
  out += each > 1 ? "ranks_per_host: " + std::to_string(each) + "\n" : "";
}

/// `lead` and the tree, whose further lines are indented that far.
void append_tree(std::string& out, const Tree& tree, std::size_t indent, const std::string& lead) {
  if (max_degree(tree) <= 1) {
    out += lead + "line: ";
    append_list(out, line_items(tree), indent + 2);
    return;
  }
  out += lead + "sends:\n";
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    std::vector<std::string> receivers;
    for (const Rank child : tree.children[rank]) {
      receivers.push_back(std::to_string(child));
    }
    if (!receivers.empty()) {
      out += std::string(indent + 2, ' ') + std::to_string(rank) + ": ";
      append_list(out, receivers, indent + 4);
    }
  }
}

void append_rounds(std::string& out, const Rounds& rounds) {
  out += "rounds:\n";
  if (!rounds.generator.empty()) {
    out += "  generator: " + rounds.generator + "\n  # Ranks by position, the root first.\n  order: ";
    append_list(out, ranges_of(rounds.order), 4);
    return;
  }
  const RoundList list = list_of(rounds);
  out += "  blocks: " + std::to_string(list.blocks) +
         "\n  # What is sent in each round.\n  transfers:" + (list.rounds.empty() ? " []\n" : "\n");
  for (const std::vector<Transfer>& round : list.rounds) {
    std::vector<std::string> items;
    for (const auto& [from, to, first, count, reduces] : round) {
      const std::string last = count > 1 ? "-" + std::to_string(first + count - 1) : "";
      items.push_back("{from: " + std::to_string(from) + ", to: " + std::to_string(to) +
                      ", blocks: " + std::to_string(first) + last + (reduces ? ", add: true" : "") + "}");
    }
    out += "    - ";
    append_list(out, items, 6);
  }
}

}  // namespace

std::string write_plan(const PlanFile& plan) {
  const Trees* const trees = plan.plan.trees();
  if (trees != nullptr) check_trees(*trees);
  std::string out = "trunkline: plan/1\ncollective: " + yaml_scalar(facts_of(plan.collective).name) + "\n";
  out += "shape: " + yaml_scalar(plan.algorithm) + "\n";
  out += plan.cluster.empty() ? "" : "cluster: " + yaml_scalar(plan.cluster) + "\n";
  if (plan.cluster_fingerprint) {
    out += "cluster_fingerprint: \"" + hexadecimal(*plan.cluster_fingerprint) + "\"\n";
  }
  out += plan.provenance.empty() ? "" : "provenance: " + yaml_scalar(plan.provenance) + "\n";
  out += plan.segment_bytes ? "segment: " + format_bytes(*plan.segment_bytes) + "\n" : "";
  out += "ranks: " + std::to_string(plan.plan.ranks()) + "\n";
  if (!plan.host_of_rank.empty()) {
    append_hosts(out, plan.host_of_rank);
  }
  out += "root: " + std::to_string(plan.plan.root()) + "\n";
  if (trees == nullptr) {
    append_rounds(out, *plan.plan.rounds());
    return out;
  }
  const Tree& first = trees->front();
  if (trees->size() == 1) {
    out +=
        max_degree(first) <= 1 ? "# Each rank sends to the next one.\n" : "# Whom each rank sends to, in this order.\n";
    append_tree(out, first, 0, "");
    return out;
  }
  out += "# Segments go down these trees by turns. In each: whom each rank sends to, in this order.\ntrees:\n";
  for (const Tree& tree : *trees) append_tree(out, tree, 4, "  - ");
  return out;
}

}  // namespace trunkline
