// SPDX-License-Identifier: Apache-2.0
#include "plan_file/plan_file.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/registry.hpp"
#include "kinds/kinds.hpp"
#include "network/cluster.hpp"
#include "network/fingerprint.hpp"
#include "plan_file/plan_set.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

PlanFile parse_plan(std::string_view yaml, const std::string& file) {
  PlanSet set = parse_plans(yaml, file);
  if (set.plans.size() == 1) return std::move(set.plans.front());
  const PlanFile& second = set.plans[1];
  throw FaultyFile({{file, second.line, second.column,
                     "the second plan of a set, and one plan is wanted here; put that one into a file of its own"}});
}

PlanFile read_plan(const std::string& path) { return parse_plan(read_text_file(path), path); }

bool is_for(const PlanFile& plan, const Cluster& cluster) {
  const std::uint64_t topology = topology_fingerprint(cluster);
  const auto& with_rates = plan.cluster_fingerprint;
  if (with_rates && *with_rates != cluster.fingerprint() && *with_rates != topology) return false;
  return !plan.topology_fingerprint || *plan.topology_fingerprint == topology;
}

std::string sizes_text(const PlanFile& plan) {
  const bool has_from = plan.from_bytes.value_or(0) != 0;
  std::string text = has_from ? "from " + format_bytes(*plan.from_bytes) : "";
  if (plan.below_bytes) text += (has_from ? " to below " : "below ") + format_bytes(*plan.below_bytes);
  return text;
}

namespace {

constexpr std::string_view custom = "custom";

class PlanReader {
 public:
  PlanReader(const PlanPlace& place, Faults& faults) : place_(place), faults_(faults) {}

  PlanFile read(const YamlNode& root) {
    check_keys(root, known_keys(), faults_);
    plan_.line = root.at.line;
    plan_.column = root.at.column;
    collective_and_shape(root);
    plan_.cluster = optional_text(root, "cluster", "cyclic", faults_);
    plan_.provenance = optional_text(root, "provenance", "drawn by hand", faults_);
    if (const YamlNode* node = root.find("cluster_fingerprint")) {
      plan_.cluster_fingerprint = hexadecimal(*node, "cluster_fingerprint", faults_);
    }
    if (const YamlNode* node = root.find("topology_fingerprint")) {
      plan_.topology_fingerprint = hexadecimal(*node, "topology_fingerprint", faults_);
    }
    if (const YamlNode* node = root.find("segment")) {
      plan_.segment_bytes = bytes_or_zero(*node, "segment", faults_);
      if (plan_.segment_bytes == 0) faults_.add(*node, "a segment must be above zero");
    }
    sizes(root);
    const auto ranks = hosts_and_ranks(root);
    if (const PlanKind* const kind = kind_of(root)) {
      const PlanHead head{.collective = plan_.collective, .ranks = ranks, .host_of_rank = plan_.host_of_rank};
      auto plan = kind->read(root, head, faults_);
      steps_of_the_algorithm(root, *kind, plan);
      if (plan) plan_.plan = std::move(*plan);
    }
    return std::move(plan_);
  }

 private:
  void collective_and_shape(const YamlNode& root) {
    std::vector<std::string_view> names;
    for (const CollectiveFacts& one : collectives()) names.push_back(one.name);
    const std::vector<std::string> all(names.begin(), names.end());
    if (place_.collective) {
      plan_.collective = *place_.collective;
    } else if (const YamlNode* const node = required(root, "collective", "collective: bcast", faults_);
               node != nullptr && one_of(*node, "collective", "bcast", names, all)) {
      plan_.collective = *find_collective(node->text);
    }
    std::vector<std::string_view> shapes{custom};
    for (const Algorithm& algorithm : algorithms()) {
      const bool has_plans = !algorithm.is_native() && algorithm.collective == plan_.collective;
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
    if (!check_kind(node, YamlNode::Kind::scalar, key, example, faults_)) {
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

  /// From which size on it is meant, and below which.
  void sizes(const YamlNode& root) {
    if (const YamlNode* const node = root.find("from")) plan_.from_bytes = bytes_or_zero(*node, "from", faults_);
    const YamlNode* const below = root.find("below");
    if (below == nullptr) return;
    plan_.below_bytes = bytes_or_zero(*below, "below", faults_);
    if (plan_.below_bytes && *plan_.below_bytes <= plan_.from_bytes.value_or(0)) {
      faults_.add(*below, "no size is from " + format_bytes(plan_.from_bytes.value_or(0)) + " on and below " +
                              format_bytes(*plan_.below_bytes) + "; give a larger one");
    }
  }

  [[nodiscard]] std::vector<std::string_view> known_keys() const {
    std::vector<std::string_view> keys(place_.keys.begin(), place_.keys.end());
    for (const std::string_view one : {"shape", "ranks", "hosts", "ranks_per_host", "root"}) keys.push_back(one);
    for (const PlanKind* const kind : kinds()) keys.insert(keys.end(), kind->keys.begin(), kind->keys.end());
    return keys;
  }

  /// The first key of the kind that is there; null: none is.
  static const YamlNode* key_of(const YamlNode& root, const PlanKind& kind, std::string_view& key) {
    for (const std::string_view one : kind.keys) {
      key = one;
      if (const YamlNode* const node = root.find(one)) return node;
    }
    return nullptr;
  }

  /// Of which kind the plan is; null where keys contradict each other, which has been reported.
  const PlanKind* kind_of(const YamlNode& root) {
    const PlanKind* found = nullptr;
    const YamlNode* first = nullptr;
    std::string_view first_key;
    for (const PlanKind* const kind : kinds()) {
      std::string_view key;
      const YamlNode* const node = key_of(root, *kind, key);
      if (node == nullptr) continue;
      if (found != nullptr) {
        faults_.add(*first, "both " + std::string(first_key) + " and " + std::string(key) + " are given; keep one");
        return nullptr;
      }
      found = kind;
      first = node;
      first_key = key;
    }
    if (found != nullptr && !found->serves(plan_.collective)) {
      faults_.add(*first, std::string(found->here) + ", which cannot serve " +
                              std::string(facts_of(plan_.collective).name) + "; give another kind of plan");
      return nullptr;
    }
    return found != nullptr ? found : kinds().front();
  }

  /// An algorithm of the registry says of which kind its plans are, and how many trees they have.
  void steps_of_the_algorithm(const YamlNode& root, const PlanKind& kind, const std::optional<Plan>& plan) {
    const auto algorithm = find_algorithm(plan_.collective, plan_.algorithm);
    if (!algorithm || algorithm->is_native()) return;
    const PlanKind& promised = *algorithm->kind;
    if (&promised != &kind) {
      faults_.add(*root.find("shape"), plan_.algorithm + " " + std::string(promised.is) + ", and " +
                                           std::string(kind.here) + "; call the shape " + std::string(custom));
      return;
    }
    if (!plan || algorithm->streams == plan->steps().streams()) return;
    if (algorithm->may_have_fewer && algorithm->streams > plan->steps().streams()) return;
    const auto counted = [&](std::size_t many) {
      return std::to_string(many) + " " + std::string(kind.stream) + (many == 1 ? "" : "s");
    };
    const std::size_t streams = plan->steps().streams();
    faults_.add(*root.find("shape"), plan_.algorithm + " is a plan of " + counted(algorithm->streams) + ", and here " +
                                         (streams == 1 ? "is " : "are ") + counted(streams) + "; call the shape " +
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

  const PlanPlace& place_;
  Faults& faults_;
  PlanFile plan_;
};

}  // namespace

PlanFile read_plan_at(const YamlNode& node, const PlanPlace& place, Faults& faults) {
  return PlanReader(place, faults).read(node);
}

}  // namespace trunkline
