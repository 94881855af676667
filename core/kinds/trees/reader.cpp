// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "kinds/trees/trees.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

class TreeReader {
 public:
  TreeReader(Rank ranks, const std::vector<std::string>& host_of_rank, Faults& faults)
      : ranks_(ranks), faults_(faults), received_at_(ranks) {
    for (Rank rank = 0; rank < host_of_rank.size(); ++rank) {
      const auto [there, is_new] = by_host_.emplace(host_of_rank[rank], rank);
      there->second = is_new ? rank : no_rank;
    }
  }

  /// The root of all trees.
  std::optional<Rank> read_root(const YamlNode& root) { return rank_of(root); }

  /// Of a mapping with either `line` or `sends`. Empty where there is a fault.
  std::optional<Tree> read(const YamlNode& node, Rank root) {
    const std::size_t faults_before = faults_.size();
    const YamlNode* line = node.find("line");
    tree_ = root_alone(ranks_, root);
    if (line != nullptr) {
      read_line(*line);
    } else {
      read_sends(*node.find("sends"));
    }
    if (faults_.size() == faults_before) {
      find_unreached(line != nullptr ? *line : *node.find("sends"));
    }
    return faults_.size() == faults_before ? std::optional(std::move(tree_)) : std::nullopt;
  }

 private:
  std::optional<Rank> rank_of(const YamlNode& node) {
    if (!check_kind(node, YamlNode::Kind::scalar, "a rank", "3", faults_)) {
      return std::nullopt;
    }
    if (const auto host = by_host_.find(node.text); host != by_host_.end() && !is_number(node.text)) {
      if (host->second == no_rank) {
        faults_.add(node, node.text + " holds several ranks; name the rank by its number");
        return std::nullopt;
      }
      return host->second;
    }
    if (!is_number(node.text)) {
      faults_.add(node, quoted(node.text) + " is neither a rank nor one of the plan's hosts");
      return std::nullopt;
    }
    return checked(node.text, node);
  }

  static bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  std::optional<Rank> checked(std::string_view digits, const YamlNode& node) {
    Rank rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error != std::errc() || rank >= ranks_) {
      faults_.add(node, "there is no rank " + std::string(digits) + "; the plan's ranks are 0 to " +
                            std::to_string(ranks_ - 1));
      return std::nullopt;
    }
    return rank;
  }

  void send(Rank sender, Rank receiver, Position at) {
    if (sender == receiver) {
      faults_.add(at, "rank " + std::to_string(receiver) + " sends to itself");
    } else if (receiver == tree_.root) {
      faults_.add(at, "rank " + std::to_string(receiver) + " is the root; nobody sends to it");
    } else if (tree_.parent[receiver] != no_rank) {
      faults_.add(at, "rank " + std::to_string(receiver) + " receives a second time (first from rank " +
                          std::to_string(tree_.parent[receiver]) + ", line " +
                          std::to_string(received_at_[receiver].line) + "); keep one");
    } else {
      tree_.parent[receiver] = sender;
      received_at_[receiver] = at;
      tree_.children[sender].push_back(receiver);
    }
  }

  void read_line(const YamlNode& line) {
    if (!check_kind(line, YamlNode::Kind::sequence, "line", "[0, 1, 2-7]", faults_)) {
      return;
    }
    Rank last = no_rank;
    for (const YamlNode& item : line.items) {
      const std::size_t faults_before = faults_.size();
      const auto range = range_of(item);
      if (!range) continue;
      for (Rank rank = range->first; rank <= range->second; ++rank) {
        if (faults_.size() != faults_before) {
          break;  // one fault a range is enough
        }
        if (last != no_rank) {
          send(last, rank, item.at);
        } else if (rank != tree_.root) {
          faults_.add(item, "the line starts at rank " + std::to_string(rank) + " and the root is rank " +
                                std::to_string(tree_.root) + "; let the line start at the root");
        }
        last = rank;
      }
    }
  }

  /// First and last of "4-7"; "3" or a host name is both; none, and a fault, where it is neither.
  std::optional<std::pair<Rank, Rank>> range_of(const YamlNode& item) {
    const std::size_t dash = item.text.find('-');
    const std::string_view text = item.text;
    if (dash == std::string_view::npos || !is_number(text.substr(0, dash)) || !is_number(text.substr(dash + 1))) {
      const auto one = rank_of(item);
      return one ? std::optional(std::pair(*one, *one)) : std::nullopt;
    }
    const auto first = checked(text.substr(0, dash), item);
    const auto last = checked(text.substr(dash + 1), item);
    if (!first || !last) return std::nullopt;
    if (*first > *last) {
      faults_.add(item, "the range " + item.text + " runs backwards; name its ranks one by one");
      return std::nullopt;
    }
    return std::pair(*first, *last);
  }

  void read_sends(const YamlNode& sends) {
    if (!check_kind(sends, YamlNode::Kind::mapping, "sends", "{0: [1, 2], 1: [3]}", faults_)) {
      return;
    }
    std::unordered_map<Rank, Position> seen;
    for (std::size_t i = 0; i < sends.keys.size(); ++i) {
      const YamlNode& list = sends.items[i];
      const auto sender = rank_of(sends.keys[i]);
      if (!check_kind(list, YamlNode::Kind::sequence, "what a rank sends to", "[1, 2]", faults_) || !sender) {
        continue;
      }
      const auto [first, is_new] = seen.emplace(*sender, sends.keys[i].at);
      if (!is_new) {
        faults_.add(sends.keys[i], "rank " + std::to_string(*sender) + " has a list already (line " +
                                       std::to_string(first->second.line) + "); join the two");
      }
      for (const YamlNode& item : list.items) {
        if (const auto receiver = rank_of(item)) {
          send(*sender, *receiver, item.at);
        }
      }
    }
  }

  /// Every rank but the root has at most one parent here, so what is not reached is either without a parent, or in a
  /// circle, or below one of these.
  void find_unreached(const YamlNode& tree_node) {
    enum class Seen : std::uint8_t { no, now, before };
    std::vector<Seen> seen(ranks_, Seen::no);
    seen[tree_.root] = Seen::before;
    std::vector<Rank> alone;
    for (Rank start = 0; start < ranks_; ++start) {
      std::vector<Rank> way;
      Rank rank = start;
      while (rank != no_rank && seen[rank] == Seen::no) {
        seen[rank] = Seen::now;
        way.push_back(rank);
        rank = tree_.parent[rank];
      }
      if (rank == no_rank) {
        alone.push_back(way.back());
      } else if (seen[rank] == Seen::now) {
        report_circle(rank);
      }
      for (const Rank done : way) {
        seen[done] = Seen::before;
      }
    }
    if (!alone.empty()) {
      faults_.add(tree_node, (alone.size() == 1 ? "rank " : "ranks ") + listed(alone, ", ") +
                                 (alone.size() == 1 ? " is" : " are") +
                                 " missing: nobody sends there; every rank but the root receives once");
    }
  }

  void report_circle(Rank rank) {
    std::vector<Rank> circle{rank};
    for (Rank next = tree_.parent[rank]; next != rank; next = tree_.parent[next]) {
      circle.push_back(next);
    }
    circle.push_back(rank);
    std::reverse(circle.begin(), circle.end());
    faults_.add(received_at_[rank], "ranks send in a circle that the root never reaches: " + listed(circle, " -> "));
  }

  static std::string listed(const std::vector<Rank>& ranks, const char* between) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
      text += (i == 0 ? "" : between) + std::to_string(ranks[i]);
    }
    return ranks.size() > most ? text + between + "... (" + std::to_string(ranks.size()) + " in all)" : text;
  }

  Rank ranks_;
  Faults& faults_;
  Tree tree_;
  std::vector<Position> received_at_;
  std::unordered_map<std::string, Rank> by_host_;  ///< no_rank: several ranks
};

/// The mappings that hold a tree each; empty where their keys are at fault.
std::vector<const YamlNode*> tree_nodes(const YamlNode& plan, Faults& faults) {
  static constexpr std::array<std::string_view, 2> keys{"line", "sends"};
  const std::size_t faults_before = faults.size();
  std::vector<const YamlNode*> nodes;
  const YamlNode* trees = plan.find("trees");
  if (trees == nullptr) {
    nodes.push_back(&plan);
  } else if (plan.find("line") != nullptr || plan.find("sends") != nullptr) {
    faults.add(*trees, "both trees and a single tree (line or sends) are given; keep one");
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
  TreeReader reader(*ranks, head.host_of_rank, faults);
  const auto root = reader.read_root(*root_node);
  if (!root) return {};
  Trees trees;
  for (const YamlNode* node : nodes) {
    if (auto tree = reader.read(*node, *root)) trees.push_back(std::move(*tree));
  }
  if (trees.size() != nodes.size()) return {};
  check_trees(trees);
  return plan_of(std::move(trees));
}

}  // namespace trunkline
