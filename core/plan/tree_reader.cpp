// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_reader.hpp"

#include <algorithm>
#include <charconv>

#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string listed(const std::vector<Rank>& ranks, const char* between) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
    text += (i == 0 ? "" : between) + std::to_string(ranks[i]);
  }
  return ranks.size() > most ? text + between + "... (" + std::to_string(ranks.size()) + " in all)" : text;
}

std::string numbered(Rank rank) { return "rank " + std::to_string(rank); }

}  // namespace

TreeReader::TreeReader(const TreeWords& words, Rank ranks, const std::vector<std::string>& host_of_rank, Faults& faults)
    : words_(words), ranks_(ranks), faults_(faults), received_at_(ranks) {
  for (Rank rank = 0; rank < host_of_rank.size(); ++rank) {
    const auto [there, is_new] = by_host_.emplace(host_of_rank[rank], rank);
    there->second = is_new ? rank : no_rank;
  }
}

std::optional<std::vector<Rank>> TreeReader::read_ranks(const YamlNode& list, std::string_view key) {
  if (!check_kind(list, YamlNode::Kind::sequence, key, "[0, 4-7]", faults_)) return {};
  std::vector<Rank> ranks;
  const std::size_t faults_before = faults_.size();
  for (const YamlNode& item : list.items) {
    const auto range = range_of(item);
    if (!range) continue;
    if (ranks.size() + (range->second - range->first) >= ranks_) {
      faults_.add(item, std::string(key) + ": more ranks stand here than the plan has; name each once");
      break;
    }
    for (Rank rank = range->first; rank <= range->second; ++rank) ranks.push_back(rank);
  }
  return faults_.size() == faults_before ? std::optional(std::move(ranks)) : std::nullopt;
}

std::optional<Tree> TreeReader::read_line(const YamlNode& line, Rank root) {
  return read(root, line, [&] { fill_line(line); });
}

std::optional<Tree> TreeReader::read_lists(const YamlNode& lists, Rank root) {
  return read(root, lists, [&] { fill_lists(lists); });
}

template <class Fill>
std::optional<Tree> TreeReader::read(Rank root, const YamlNode& node, Fill fill) {
  const std::size_t faults_before = faults_.size();
  tree_ = root_alone(ranks_, root);
  fill();
  if (faults_.size() == faults_before) find_unreached(node);
  return faults_.size() == faults_before ? std::optional(std::move(tree_)) : std::nullopt;
}

std::optional<Rank> TreeReader::rank_of(const YamlNode& node) {
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

std::optional<Rank> TreeReader::checked(std::string_view digits, const YamlNode& node) {
  Rank rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (error != std::errc() || rank >= ranks_) {
    faults_.add(
        node, "there is no rank " + std::string(digits) + "; the plan's ranks are 0 to " + std::to_string(ranks_ - 1));
    return std::nullopt;
  }
  return rank;
}

void TreeReader::add(Rank above, Rank below, Position at) {
  if (above == below) {
    faults_.add(at, numbered(below) + " " + std::string(words_.to_itself));
  } else if (below == tree_.root) {
    faults_.add(at, numbered(below) + " " + std::string(words_.above_root));
  } else if (tree_.parent[below] != no_rank) {
    faults_.add(at, numbered(below) + " " + std::string(words_.twice) + " (" + std::string(words_.first) + " rank " +
                        std::to_string(tree_.parent[below]) + ", line " + std::to_string(received_at_[below].line) +
                        "); keep one");
  } else {
    tree_.parent[below] = above;
    received_at_[below] = at;
    tree_.children[above].push_back(below);
  }
}

void TreeReader::fill_line(const YamlNode& line) {
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
        add(last, rank, item.at);
      } else if (rank != tree_.root) {
        faults_.add(item, "the line starts at rank " + std::to_string(rank) + " and the root is rank " +
                              std::to_string(tree_.root) + "; let the line start at the root");
      }
      last = rank;
    }
  }
}

std::optional<std::pair<Rank, Rank>> TreeReader::range_of(const YamlNode& item) {
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

void TreeReader::fill_lists(const YamlNode& lists) {
  if (!check_kind(lists, YamlNode::Kind::mapping, words_.list, "{0: [1, 2], 1: [3]}", faults_)) {
    return;
  }
  std::unordered_map<Rank, Position> seen;
  for (std::size_t i = 0; i < lists.keys.size(); ++i) {
    const YamlNode& list = lists.items[i];
    const auto rank = rank_of(lists.keys[i]);
    if (!check_kind(list, YamlNode::Kind::sequence, words_.below, "[1, 2]", faults_) || !rank) {
      continue;
    }
    const auto [first, is_new] = seen.emplace(*rank, lists.keys[i].at);
    if (!is_new) {
      faults_.add(lists.keys[i], "rank " + std::to_string(*rank) + " has a list already (line " +
                                     std::to_string(first->second.line) + "); join the two");
    }
    for (const YamlNode& item : list.items) {
      if (const auto below = rank_of(item)) {
        add(*rank, *below, item.at);
      }
    }
  }
}

void TreeReader::find_unreached(const YamlNode& tree_node) {
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
                               (alone.size() == 1 ? " is" : " are") + " " + std::string(words_.missing));
  }
}

void TreeReader::report_circle(Rank rank) {
  std::vector<Rank> circle{rank};
  for (Rank next = tree_.parent[rank]; next != rank; next = tree_.parent[next]) {
    circle.push_back(next);
  }
  circle.push_back(rank);
  std::reverse(circle.begin(), circle.end());
  faults_.add(received_at_[rank], std::string(words_.circle) + ": " + listed(circle, " -> "));
}

}  // namespace trunkline
