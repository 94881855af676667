// SPDX-License-Identifier: Apache-2.0
#include "plan_file/plan_file.hpp"

#include <algorithm>
#include <array>

#include "algorithms/registry.hpp"
#include "plan/checker.hpp"
#include "plan_file/round_reader.hpp"
#include "plan_file/tree_reader.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view plan_format = "plan/1";
constexpr std::string_view custom = "custom";

class PlanReader {
 public:
  explicit PlanReader(Faults& faults) : faults_(faults) {}

  PlanFile read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 15> keys{
        "trunkline",      "collective", "shape", "cluster", "cluster_fingerprint",
        "provenance",     "segment",    "ranks", "hosts",   "root",
        "ranks_per_host", "line",       "sends", "trees",   "rounds"};
    check_keys(root, keys, faults_);
    collective_and_shape(root);
    plan_.cluster = optional_text(root, "cluster", "cyclic", faults_);
    plan_.provenance = optional_text(root, "provenance", "drawn by hand", faults_);
    if (const YamlNode* node = root.find("cluster_fingerprint")) {
      plan_.cluster_fingerprint = hexadecimal(*node, "cluster_fingerprint", faults_);
    }
    if (const YamlNode* node = root.find("segment")) {
      plan_.segment_bytes = bytes_or_zero(*node, "segment", faults_);
      if (plan_.segment_bytes == 0) faults_.add(*node, "a segment must be above zero");
    }
    const auto ranks = hosts_and_ranks(root);
    if (root.find("rounds") != nullptr) {
      if (auto rounds = read_rounds(root, plan_.collective, ranks, faults_)) plan_.plan.steps = std::move(*rounds);
    } else {
      plan_.plan.steps = read_trees(root, ranks, plan_.host_of_rank, faults_);
    }
    steps_of_the_algorithm(root);
    return std::move(plan_);
  }

 private:
  void collective_and_shape(const YamlNode& root) {
    std::vector<std::string_view> names;
    for (const CollectiveFacts& one : collectives()) names.push_back(one.name);
    const std::vector<std::string> all(names.begin(), names.end());
    const YamlNode* collective = required(root, "collective", "collective: bcast", faults_);
    if (collective != nullptr && one_of(*collective, "collective", "bcast", names, all)) {
      plan_.collective = *find_collective(collective->text);
    }
    std::vector<std::string_view> shapes{custom};
    for (const Algorithm& algorithm : algorithms()) {
      const bool has_plans = algorithm.kind != AlgorithmKind::native && algorithm.collective == plan_.collective;
      if (has_plans) shapes.push_back(algorithm.name);
    }
    const YamlNode* shape = required(root, "shape", "shape: custom", faults_);
    if (shape != nullptr) {
      std::vector<std::string> listed = algorithm_names(plan_.collective);
      std::ranges::replace(listed, std::string("native"), std::string(custom));
      one_of(*shape, "shape", custom, shapes, listed);
      plan_.algorithm = shape->text;
    }
  }

  bool one_of(const YamlNode& node, const char* key, std::string_view example,
              const std::vector<std::string_view>& known, const std::vector<std::string>& listed) {
    if (!check_kind(node, Kind::scalar, key, example, faults_)) {
      return false;
    }
    if (std::find(known.begin(), known.end(), node.text) != known.end()) {
      return true;
    }
    std::string all;
    for (const std::string& name : listed) {
      all += (all.empty() ? "" : ", ") + name;
    }
    faults_.add(node, quoted(node.text) + " is not a " + key + " of plans" + did_you_mean(node.text, known) +
                          "; known are " + all);
    return false;
  }

  /// An algorithm of the registry says whether it goes by rounds, or how many trees it is.
  void steps_of_the_algorithm(const YamlNode& root) {
    const auto algorithm = find_algorithm(plan_.collective, plan_.algorithm);
    const bool by_rounds = root.find("rounds") != nullptr;
    if (algorithm && by_rounds != (algorithm->kind == AlgorithmKind::rounds)) {
      faults_.add(*root.find("shape"),
                  plan_.algorithm +
                      (by_rounds ? " is made of trees, and here are rounds" : " goes by rounds, and here is a tree") +
                      "; call the shape " + std::string(custom));
      return;
    }
    if (by_rounds) return;
    const std::size_t trees = plan_.plan.trees()->size();
    if (!algorithm || algorithm->trees == 0 || trees == 0 || algorithm->trees == trees) return;
    const auto counted = [](std::size_t many) { return std::to_string(many) + (many == 1 ? " tree" : " trees"); };
    faults_.add(*root.find("shape"), plan_.algorithm + " is a plan of " + counted(algorithm->trees) + ", and here " +
                                         (trees == 1 ? "is " : "are ") + counted(trees) + "; call the shape " +
                                         std::string(custom));
  }

  /// Number of ranks, from `ranks`, from the hosts, or from both where they agree.
  std::optional<Rank> hosts_and_ranks(const YamlNode& root) {
    const YamlNode* ranks_node = root.find("ranks");
    const YamlNode* hosts_node = root.find("hosts");
    const YamlNode* each_node = root.find("ranks_per_host");
    if (ranks_node == nullptr && hosts_node == nullptr) {
      faults_.add(root, "the key ranks is missing; give it, such as ranks: 32");
      return std::nullopt;
    }
    const auto ranks = ranks_node != nullptr ? number_up_to(*ranks_node, "ranks") : std::nullopt;
    const auto each = each_node != nullptr ? number_up_to(*each_node, "ranks_per_host") : std::optional<Rank>(1);
    if (hosts_node == nullptr) {
      if (each_node != nullptr) {
        faults_.add(*each_node, "ranks_per_host goes with hosts; leave it out or name the hosts");
      }
      return ranks;
    }
    const auto hosts = names_of(*hosts_node, "hosts", "h[0-31]", most_ranks, faults_);
    if (!hosts || !each || (ranks_node != nullptr && !ranks)) {
      return std::nullopt;
    }
    const std::uint64_t placed = std::uint64_t{hosts->size()} * *each;
    if (placed > most_ranks || (ranks && *ranks != placed)) {
      faults_.add(*hosts_node, "the hosts hold " + std::to_string(placed) + " ranks (" + std::to_string(hosts->size()) +
                                   " names, " + std::to_string(*each) + " ranks each); " +
                                   (ranks ? "ranks says " + std::to_string(*ranks)
                                          : "at most " + std::to_string(most_ranks) + " are allowed"));
      return std::nullopt;
    }
    for (const std::string& host : *hosts) {
      plan_.host_of_rank.insert(plan_.host_of_rank.end(), *each, host);
    }
    return static_cast<Rank>(placed);
  }

  std::optional<Rank> number_up_to(const YamlNode& node, const char* what) {
    const auto number = whole_number(node, what, 1, faults_);
    if (number && *number > most_ranks) {
      faults_.add(node, std::string(what) + ": at most " + std::to_string(most_ranks) + " are allowed");
      return std::nullopt;
    }
    return number;
  }

  Faults& faults_;
  PlanFile plan_;
};

}  // namespace

PlanFile parse_plan(std::string_view yaml, const std::string& file) {
  PlanFile plan = read_document(yaml, plan_format, file,
                                [](const YamlNode& root, Faults& faults) { return PlanReader(faults).read(root); });
  if (const Trees* const trees = plan.plan.trees()) check_trees(*trees);  // rounds have been replayed
  return plan;
}

PlanFile read_plan(const std::string& path) { return parse_plan(read_text_file(path), path); }

}  // namespace trunkline
