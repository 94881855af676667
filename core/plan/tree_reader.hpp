// SPDX-License-Identifier: Apache-2.0
// A tree in a plan file, whatever a kind of plan has it for: from what people write to what the checker passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "patterns/tree.hpp"
#include "text/fault.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

/// What its faults say.
struct TreeWords {
  std::string_view list;        ///< key of a mapping from each rank to those below it: "sends"
  std::string_view below;       ///< what such a list is: "what a rank sends to"
  std::string_view to_itself;   ///< behind a rank below itself: "sends to itself"
  std::string_view above_root;  ///< behind a root below somebody: "is the root; nobody sends to it"
  std::string_view twice;       ///< behind a rank below two: "receives a second time"
  std::string_view first;       ///< before the first of these: "first from"
  std::string_view circle;      ///< before the ranks: "ranks send in a circle that the root never reaches"
  std::string_view missing;     ///< behind ranks below nobody
};

/// Of one plan. With every fault reported where it stands.
class TreeReader {
 public:
  /// `words` and `faults` must outlive the object. A rank may be named by its host where `host_of_rank`, if it is not
  /// empty, gives that host one rank.
  TreeReader(const TreeWords& words, Rank ranks, const std::vector<std::string>& host_of_rank, Faults& faults);

  /// The root of all trees; empty where there is no such rank.
  [[nodiscard]] std::optional<Rank> read_root(const YamlNode& root) { return read_rank(root); }

  /// One rank; empty where there is none of that number or host.
  [[nodiscard]] std::optional<Rank> read_rank(const YamlNode& node) { return rank_of(node); }

  /// Of a list of any ranks, ranges such as 4-7 allowed; `key` is the list's. Empty where there is a fault.
  [[nodiscard]] std::optional<std::vector<Rank>> read_ranks(const YamlNode& list, std::string_view key);

  /// Of a list of ranks in order, ranges such as 4-7 allowed. Empty unless each rank is reached from the root once.
  [[nodiscard]] std::optional<Tree> read_line(const YamlNode& line, Rank root);

  /// Of a mapping from each rank to those below it, in order. Empty unless each rank is reached from the root once.
  [[nodiscard]] std::optional<Tree> read_lists(const YamlNode& lists, Rank root);

 private:
  template <class Fill>
  std::optional<Tree> read(Rank root, const YamlNode& node, Fill fill);
  void fill_line(const YamlNode& line);
  void fill_lists(const YamlNode& lists);
  std::optional<Rank> rank_of(const YamlNode& node);
  std::optional<Rank> checked(std::string_view digits, const YamlNode& node);
  /// First and last of "4-7"; "3" or a host name is both; none, and a fault, where it is neither.
  std::optional<std::pair<Rank, Rank>> range_of(const YamlNode& item);
  void add(Rank above, Rank below, Position at);
  /// Every rank but the root has at most one parent here, so what is not reached is either without a parent, or in a
  /// circle, or below one of these.
  void find_unreached(const YamlNode& tree_node);
  void report_circle(Rank rank);

  const TreeWords& words_;
  Rank ranks_;
  Faults& faults_;
  Tree tree_;
  std::vector<Position> received_at_;
  std::unordered_map<std::string, Rank> by_host_;  ///< no_rank: several ranks
};

}  // namespace trunkline
