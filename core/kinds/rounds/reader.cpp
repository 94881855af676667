// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/rounds/generators.hpp"
#include "kinds/rounds/list.hpp"
#include "text/spelling.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

class RoundReader {
 public:
  RoundReader(Collective collective, Rank ranks, Rank root, Faults& faults)
      : collective_(collective), ranks_(ranks), root_(root), faults_(faults) {}

  std::optional<Rounds> read(const YamlNode& rounds) {
    static constexpr std::array<std::string_view, 5> keys{"generator", "order", "blocks", "lead", "transfers"};
    if (!check_kind(rounds, YamlNode::Kind::mapping, "rounds", "{generator: circulant, order: [0-31]}", faults_))
      return {};
    check_keys(rounds, keys, faults_);
    const std::size_t before = faults_.size();
    std::optional<Rounds> made =
        rounds.find("generator") != nullptr ? generated(rounds, *rounds.find("generator")) : listed(rounds);
    if (!made || faults_.size() != before) return {};
    try {
      check_order(*made, collective_);
      if (made->generator.empty() || ranks_ <= most_replayed) check_rounds(*made, collective_);
    } catch (const InvalidPlan& invalid) {
      faults_.add(rounds, invalid.what());
      return {};
    }
    return made;
  }

 private:
  /// What generators make is proved by tests for any number of ranks; replaying it takes time in ranks squared.
  static constexpr Rank most_replayed = 512;

  std::optional<Rounds> generated(const YamlNode& rounds, const YamlNode& generator) {
    if (const YamlNode* node = rounds.find("blocks"))
      faults_.add(*node, "blocks goes with transfers; a generator knows them");
    if (const YamlNode* node = rounds.find("transfers")) {
      faults_.add(*node, "both a generator and transfers are given; keep one");
    }
    if (!check_kind(generator, YamlNode::Kind::scalar, "generator", "circulant", faults_)) return {};
    if (!is_generator_of(generator.text, collective_)) {
      const std::vector<std::string_view> known = generators_of(collective_);
      std::string all;
      for (const std::string_view name : known) all.append(all.empty() ? "" : ", ").append(name);
      const bool of_others = is_generator(generator.text);
      faults_.add(generator, quoted(generator.text) + " is no generator of rounds" +
                                 (of_others ? " for this collective" : did_you_mean(generator.text, known)) +
                                 "; known for " + std::string(facts_of(collective_).name) + " are " + all);
      return {};
    }
    const YamlNode* order = required(rounds, "order", "order: [0-31]", faults_);
    if (order == nullptr) return {};
    auto ranks = order_of(*order);
    if (!ranks) return {};
    try {
      return generate_rounds(generator.text, std::move(*ranks));
    } catch (const std::invalid_argument& invalid) {
      faults_.add(generator, quoted(generator.text) + ": " + invalid.what());
      return {};
    }
  }

  /// Each rank once, the root first.
  std::optional<std::vector<Rank>> order_of(const YamlNode& node) {
    if (!check_kind(node, YamlNode::Kind::sequence, "order", "[0-31]", faults_)) return {};
    std::vector<Rank> order;
    std::vector<bool> seen(ranks_, false);
    for (const YamlNode& item : node.items) {
      const auto range = numbers(item, "a rank", "3 or 4-7", ranks_);
      if (!range) return {};
      for (std::uint64_t rank = range->first; rank <= range->second; ++rank) {
        if (seen[rank]) {
          faults_.add(item, "rank " + std::to_string(rank) + " stands twice in the order; keep one");
          return {};
        }
        seen[rank] = true;
        order.push_back(static_cast<Rank>(rank));
      }
    }
    if (order.size() != ranks_) {
      const auto missing = std::ranges::find(seen, false) - seen.begin();
      faults_.add(node, "rank " + std::to_string(missing) + " is missing in the order");
      return {};
    }
    if (order.front() != root_) {
      faults_.add(node, "the order starts at rank " + std::to_string(order.front()) + " and the root is rank " +
                            std::to_string(root_) + "; let it start at the root");
      return {};
    }
    return order;
  }

  std::optional<Rounds> listed(const YamlNode& rounds) {
    const YamlNode* blocks = required(rounds, "blocks", "blocks: 4", faults_);
    const YamlNode* transfers = required(rounds, "transfers", "transfers: [[{from: 0, to: 1, blocks: 0-3}]]", faults_);
    if (blocks == nullptr || transfers == nullptr) return {};
    const auto many = whole_number(*blocks, "blocks", 1, faults_);
    if (!many ||
        !check_kind(*transfers, YamlNode::Kind::sequence, "transfers", "[[{from: 0, to: 1, blocks: 0}]]", faults_)) {
      return {};
    }
    const std::uint64_t operands = facts_of(collective_).reduces ? ranks_ : 1;
    const std::uint64_t blocks_of_all = std::uint64_t{*many} * ranks_;
    if (blocks_of_all > most_blocks_of_all_ranks || blocks_of_all * operands > most_operands_of_all_ranks) {
      faults_.add(*blocks, std::to_string(*many) + " blocks for " + std::to_string(ranks_) +
                               " ranks are too much to hold; use fewer, or a generator");
      return {};
    }
    const YamlNode* const lead = rounds.find("lead");
    const auto ahead = lead != nullptr ? whole_number(*lead, "lead", 1, faults_) : std::optional<std::uint32_t>(0);
    if (!ahead) return {};
    RoundList list{.blocks = *many, .lead = *ahead, .rounds = {}};
    for (const YamlNode& round : transfers->items) {
      list.rounds.emplace_back();
      if (!check_kind(round, YamlNode::Kind::sequence, "a round", "[{from: 0, to: 1, blocks: 0}]", faults_)) return {};
      for (const YamlNode& node : round.items) {
        const auto transfer = transfer_of(node, *many);
        if (!transfer) return {};
        list.rounds.back().push_back(*transfer);
      }
    }
    std::vector<Rank> order = by_number(ranks_, root_);
    if (const YamlNode* const node = rounds.find("order")) {
      auto given = order_of(*node);
      if (!given) return {};
      order = std::move(*given);
    }
    try {
      return listed_rounds(std::move(order), list);
    } catch (const InvalidPlan& invalid) {
      faults_.add(*transfers, invalid.what());
      return {};
    }
  }

  std::optional<Transfer> transfer_of(const YamlNode& node, std::uint64_t blocks) {
    static constexpr std::array<std::string_view, 7> keys{"from", "to", "blocks", "add", "replace", "rows", "stride"};
    constexpr const char* example = "{from: 0, to: 1, blocks: 0-3}";
    if (!check_kind(node, YamlNode::Kind::mapping, "a transfer", example, faults_)) return {};
    check_keys(node, keys, faults_);
    const YamlNode* from = required(node, "from", "from: 0", faults_);
    const YamlNode* to = required(node, "to", "to: 1", faults_);
    if (from == nullptr || to == nullptr) return {};
    const auto sender = numbers(*from, "a rank", "3", ranks_);
    const auto receiver = numbers(*to, "a rank", "3", ranks_);
    if (!sender || !receiver) return {};
    const YamlNode* which = required(node, "blocks", "blocks: 0-3", faults_);
    if (which == nullptr) return {};
    const auto range = numbers(*which, "blocks", "0-3", blocks);
    const auto adds = truth(node, "add");
    const auto replaces = truth(node, "replace");
    const YamlNode* const rows = node.find("rows");
    const auto many = rows != nullptr ? whole_number(*rows, "rows", 2, faults_) : std::optional<std::uint32_t>(1);
    const YamlNode* const apart =
        rows != nullptr ? required(node, "stride", "stride: 32", faults_) : node.find("stride");
    if (rows == nullptr && apart != nullptr) faults_.add(*apart, "stride goes with rows");
    const auto stride = apart != nullptr ? whole_number(*apart, "stride", 1, faults_) : std::optional<std::uint32_t>(0);
    if (!range || !adds || !replaces || !many || !stride) return {};
    return Transfer{.from = static_cast<Rank>(sender->first),
                    .to = static_cast<Rank>(receiver->first),
                    .first = range->first,
                    .count = range->second - range->first + 1,
                    .reduces = *adds,
                    .replaces = *replaces,
                    .rows = *many,
                    .stride = *stride};
  }

  /// Of a key that may be left out.
  std::optional<bool> truth(const YamlNode& transfer, const char* key) {
    const YamlNode* node = transfer.find(key);
    if (node == nullptr) return false;
    if (!check_kind(*node, YamlNode::Kind::scalar, key, "true", faults_)) return {};
    if (node->text == "true" || node->text == "false") return node->text == "true";
    faults_.add(*node, quoted(node->text) + " is neither true nor false");
    return {};
  }

  /// "3" or "4-7", each below `end`.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> numbers(const YamlNode& node, const char* what,
                                                                 const char* example, std::uint64_t end) {
    if (!check_kind(node, YamlNode::Kind::scalar, what, example, faults_)) return {};
    const std::string_view text = node.text;
    const std::size_t dash = text.find('-');
    const auto first = number_in(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in(text.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= end) {
      faults_.add(node, quoted(text) + " is no " +
                            (what[0] == 'a' ? std::string(what + 2) : "range of " + std::string(what)) + " from 0 to " +
                            std::to_string(end - 1) + "; write " + example);
      return {};
    }
    return std::pair(*first, *last);
  }

  static std::optional<std::uint64_t> number_in(std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool all = error == std::errc() && end == digits.data() + digits.size();
    return all && !digits.empty() ? std::optional(value) : std::nullopt;
  }

  Collective collective_;
  Rank ranks_;
  Rank root_;
  Faults& faults_;
};

}  // namespace

std::optional<Plan> read_rounds(const YamlNode& plan, const PlanHead& head, Faults& faults) {
  const YamlNode* root_node = required(plan, "root", "root: 0", faults);
  if (!head.ranks || root_node == nullptr) return {};
  const auto root = whole_number(*root_node, "root", 0, faults);
  if (!root) return {};
  if (*root >= *head.ranks) {
    faults.add(*root_node, "there is no rank " + std::to_string(*root) + "; the plan's ranks are 0 to " +
                               std::to_string(*head.ranks - 1));
    return {};
  }
  auto rounds = RoundReader(head.collective, *head.ranks, *root, faults).read(*plan.find("rounds"));
  return rounds ? std::optional(plan_of(std::move(*rounds))) : std::nullopt;
}

}  // namespace trunkline
