// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "algorithms/registry.hpp"
#include "plan/kind.hpp"
#include "plan_file/plan_file.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view tuning_format = "tuning/1";
constexpr std::array<std::string_view, 2> mpis{"mpich", "openmpi"};

class TuningReader {
 public:
  explicit TuningReader(Faults& faults) : faults_(faults) {}

  Tuning read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 3> keys{"trunkline", "provenance", "entries"};
    check_keys(root, keys, faults_);
    tuning_.provenance = optional_text(root, "provenance", "trunkline tune", faults_);
    const YamlNode* entries = required(root, "entries", "entries: [...], as 'trunkline tune' writes them", faults_);
    if (entries != nullptr && check_kind(*entries, Kind::sequence, "entries", "[...]", faults_)) {
      for (const YamlNode& node : entries->items) entry(node);
    }
    return std::move(tuning_);
  }

 private:
  void entry(const YamlNode& node) {
    static constexpr std::array<std::string_view, 10> keys{
        "collective",     "cluster", "cluster_fingerprint", "topology_fingerprint", "hosts",
        "ranks_per_host", "mpi",     "mpi_version",         "measured_rates",       "rules"};
    if (!check_kind(node, Kind::mapping, "an entry", "{collective: bcast, ...}", faults_)) return;
    check_keys(node, keys, faults_);
    TuningEntry read;
    const std::string collective = required_text(node, "collective", "bcast", faults_);
    if (const auto known = find_collective(collective)) {
      read.collective = *known;
    } else if (!collective.empty()) {
      faults_.add(*node.find("collective"),
                  quoted(collective) + " is not a collective that is tuned; known are " + collective_names());
    }
    read.cluster = required_text(node, "cluster", "cyclic", faults_);
    if (const YamlNode* value =
            required(node, "cluster_fingerprint", "cluster_fingerprint: \"0123456789abcdef\"", faults_)) {
      read.cluster_fingerprint = hexadecimal(*value, "cluster_fingerprint", faults_).value_or(0);
    }
    if (const YamlNode* value = node.find("topology_fingerprint")) {
      read.topology_fingerprint = hexadecimal(*value, "topology_fingerprint", faults_);
    }
    read.hosts = number(node, "hosts", "32");
    placed(node, read);
    read.mpi = required_text(node, "mpi", "mpich", faults_);
    if (!read.mpi.empty() && std::ranges::find(mpis, read.mpi) == mpis.end()) {
      faults_.add(*node.find("mpi"), quoted(read.mpi) + " is no MPI library" + did_you_mean(read.mpi, mpis) +
                                         "; known are mpich, openmpi");
    }
    read.mpi_version = required_text(node, "mpi_version", "\"4.0.2\"", faults_);
    const YamlNode* rates = node.find("measured_rates");
    if (rates != nullptr && check_kind(*rates, Kind::sequence, "measured_rates", "[...]", faults_)) {
      for (const YamlNode& one : rates->items) rate(one, read);
    }
    const YamlNode* rules = required(node, "rules", "rules: [{from: 0B, algorithm: native}]", faults_);
    if (rules != nullptr && check_kind(*rules, Kind::sequence, "rules", "[{from: 0B, algorithm: native}]", faults_)) {
      if (rules->items.empty()) faults_.add(*rules, "rules is empty; give at least {from: 0B, algorithm: native}");
      for (const YamlNode& one : rules->items) rule(one, read);
    }
    keep(node, std::move(read));
  }

  void keep(const YamlNode& node, TuningEntry read) {
    const auto key = [](const TuningEntry& e) {
      return std::tuple(e.collective, e.topology_fingerprint.value_or(e.cluster_fingerprint), e.hosts, e.ranks_per_host,
                        e.ranks_by_host, std::string_view(e.mpi), std::string_view(e.mpi_version));
    };
    if (std::ranges::any_of(tuning_.entries, [&](const TuningEntry& other) { return key(other) == key(read); })) {
      faults_.add(node, "an entry for the same collective, cluster, hosts, ranks and MPI stands above; keep one");
    }
    tuning_.entries.push_back(std::move(read));
  }

  void rate(const YamlNode& node, TuningEntry& entry) {
    static constexpr std::array<std::string_view, 3> keys{"from", "to", "rate"};
    if (!check_kind(node, Kind::mapping, "a measured rate", "{from: h0, to: h1, rate: 941Mbit}", faults_)) return;
    check_keys(node, keys, faults_);
    TunedRate read{.from = required_text(node, "from", "h0", faults_), .to = required_text(node, "to", "h1", faults_)};
    const YamlNode* const value = required(node, "rate", "rate: 941Mbit", faults_);
    if (value == nullptr || !check_kind(*value, Kind::scalar, "rate", "941Mbit", faults_)) return;
    try {
      read.bps = parse_rate(value->text);
      entry.measured_rates.push_back(std::move(read));
    } catch (const BadQuantity& wrong) {
      faults_.add(*value, wrong.what());
    }
  }

  /// A number of ranks for all hosts, or one for each.
  void placed(const YamlNode& node, TuningEntry& entry) {
    const YamlNode* const value = node.find("ranks_per_host");
    if (value == nullptr || !value->is_sequence()) {
      entry.ranks_per_host = number(node, "ranks_per_host", "1");
      return;
    }
    for (const YamlNode& one : value->items) {
      entry.ranks_by_host.push_back(whole_number(one, "ranks_per_host", 1, faults_).value_or(1));
    }
    const auto& all = entry.ranks_by_host;
    if (all.size() != entry.hosts) {
      faults_.add(*value, "ranks_per_host lists " + std::to_string(all.size()) + " hosts, and hosts says " +
                              std::to_string(entry.hosts) + "; list each host's ranks, or one number for all hosts");
    } else if (std::ranges::all_of(all, [&](std::uint32_t each) { return each == all.front(); })) {
      faults_.add(*value, "all hosts have as many ranks; write ranks_per_host: " +
                              std::to_string(all.empty() ? 1 : all.front()));
    }
  }

  /// A plan of one's own, in place of an algorithm's.
  void plan_of_rule(const YamlNode& node, const YamlNode& value, const TuningEntry& entry, TuningRule& read) {
    if (const YamlNode* const algorithm = node.find("algorithm")) {
      faults_.add(*algorithm, "both algorithm and plan are given; keep one");
    }
    if (!check_kind(value, Kind::mapping, "plan", "{shape: custom, ranks: 4, root: 0, sends: {0: [1, 2, 3]}}", faults_))
      return;
    if (plan_ranks_ > most_ranks) return;  // which has been reported
    const std::size_t faults_before = faults_.size();
    auto plan = std::make_shared<PlanFile>(read_plan_at(value, {.collective = entry.collective}, faults_));
    if (faults_.size() != faults_before) return;
    plan_ranks_ += plan->plan.ranks();
    if (plan->plan.ranks() != entry.ranks()) {
      faults_.add(value, "the plan has " + std::to_string(plan->plan.ranks()) + " ranks, and the entry is for " +
                             std::to_string(entry.ranks()) + "; put it into an entry for as many");
    } else if (plan_ranks_ > most_ranks) {
      faults_.add(value, "the plans up to this one have " + std::to_string(plan_ranks_) + " ranks together; at most " +
                             std::to_string(most_ranks) + " are allowed in one file: leave some out");
    }
    read.algorithm = plan->algorithm;
    if (faults_.size() == faults_before) read.plan = std::move(plan);
  }

  void check_algorithm(const YamlNode& node, const YamlNode* segment, const TuningEntry& entry,
                       const TuningRule& read) {
    if (!find_algorithm(entry.collective, read.algorithm)) {
      std::vector<std::string_view> names;
      for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.collective == entry.collective) names.push_back(algorithm.name);
      }
      faults_.add(*node.find("algorithm"), "no algorithm of " + std::string(facts_of(entry.collective).name) +
                                               " is called " + quoted(read.algorithm) +
                                               did_you_mean(read.algorithm, names));
    } else if (read.algorithm == "native" && segment != nullptr) {
      faults_.add(*segment, "native takes no segment");
    } else if (read.algorithm != "native" && segment == nullptr) {
      faults_.add(node, "the key segment is missing; give it, such as segment: 1408B");
    }
  }

  void rule(const YamlNode& node, TuningEntry& entry) {
    static constexpr std::array<std::string_view, 4> keys{"from", "algorithm", "segment", "plan"};
    if (!check_kind(node, Kind::mapping, "a rule", "{from: 8KiB, algorithm: linear, segment: 1408B}", faults_)) return;
    check_keys(node, keys, faults_);
    TuningRule read;
    if (const YamlNode* from = required(node, "from", "from: 8KiB", faults_)) {
      read.from_bytes = bytes_or_zero(*from, "from", faults_).value_or(0);
      const bool first = entry.rules.empty();
      if (first && read.from_bytes != 0) faults_.add(*from, "the first rule must begin at 0B");
      if (!first && read.from_bytes <= entry.rules.back().from_bytes) {
        faults_.add(*from, "rules must stand in the order of their sizes, each once");
      }
    }
    const YamlNode* const plan = node.find("plan");
    if (plan != nullptr) {
      plan_of_rule(node, *plan, entry, read);
    } else {
      read.algorithm = required_text(node, "algorithm", "linear", faults_);
    }
    const YamlNode* segment = node.find("segment");
    if (plan == nullptr && !read.algorithm.empty()) check_algorithm(node, segment, entry, read);
    if (segment != nullptr) {
      read.segment_bytes = bytes_or_zero(*segment, "segment", faults_).value_or(1);
      if (read.segment_bytes == 0) faults_.add(*segment, "a segment must be above zero");
    }
    entry.rules.push_back(std::move(read));
  }

  std::uint32_t number(const YamlNode& node, std::string_view key, const std::string& example) {
    const YamlNode* value = required(node, key, std::string(key) + ": " + example, faults_);
    return value != nullptr ? whole_number(*value, key, 1, faults_).value_or(1) : 1;
  }

  Faults& faults_;
  Tuning tuning_;
  std::size_t plan_ranks_ = 0;  ///< of all plans up to here
};

}  // namespace

Tuning parse_tuning(std::string_view yaml, const std::string& file) {
  return read_document(yaml, tuning_format, file,
                       [](const YamlNode& root, Faults& faults) { return TuningReader(faults).read(root); });
}

Tuning read_tuning(const std::string& path) { return parse_tuning(read_text_file(path), path); }

}  // namespace trunkline
