// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "network/fingerprint.hpp"
#include "plan_file/plan_set.hpp"
#include "text/quantity.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"
#include "tuning/tuning_file.hpp"

namespace trunkline {
const TuningRule& TuningEntry::rule_for(std::uint64_t message_bytes) const {
  const auto next = std::ranges::upper_bound(rules, message_bytes, {}, &TuningRule::from_bytes);
  return *(next - 1);  // the first rule begins at 0
}

std::uint64_t TuningEntry::ranks() const {
  if (ranks_by_host.empty()) return std::uint64_t{hosts} * ranks_per_host;
  return std::accumulate(ranks_by_host.begin(), ranks_by_host.end(), std::uint64_t{0});
}

Tuning Tuning::holding_on(const Cluster& cluster, std::string_view mpi, std::string_view mpi_version) const {
  const std::uint64_t topology = topology_fingerprint(cluster);
  Tuning held{.provenance = provenance, .entries = {}};
  for (const TuningEntry& entry : entries) {
    const bool same = entry.cluster_fingerprint == cluster.fingerprint() || entry.topology_fingerprint == topology;
    if (same && entry.mpi == mpi && entry.mpi_version == mpi_version) held.entries.push_back(entry);
  }
  std::ranges::stable_sort(held.entries, std::ranges::greater{}, [&](const TuningEntry& entry) {
    return entry.cluster_fingerprint == cluster.fingerprint();
  });
  return held;
}

std::optional<std::uint64_t> Tuning::least_accelerated(Collective collective) const {
  std::optional<std::uint64_t> least;
  for (const TuningEntry& entry : entries) {
    if (entry.collective != collective) continue;
    const auto rule =
        std::ranges::find_if(entry.rules, [](const TuningRule& one) { return one.algorithm != "native"; });
    if (rule != entry.rules.end()) least = std::min(least.value_or(rule->from_bytes), rule->from_bytes);
  }
  return least;
}

const TuningEntry* Tuning::find(Collective collective, const Placement& placement) const {
  std::unordered_map<HostIndex, std::size_t> known;
  std::vector<std::uint32_t> ranks;
  for (const HostIndex host : placement) {
    const auto [at, is_new] = known.emplace(host, ranks.size());
    if (is_new) ranks.push_back(0);
    ++ranks[at->second];
  }
  const bool is_even = std::ranges::all_of(ranks, [&](std::uint32_t each) { return each == ranks.front(); });
  const auto found = std::ranges::find_if(entries, [&](const TuningEntry& entry) {
    if (entry.collective != collective || entry.hosts != ranks.size()) return false;
    return is_even ? entry.ranks_per_host == ranks.front() : entry.ranks_by_host == ranks;
  });
  return found == entries.end() ? nullptr : &*found;
}

namespace {

std::string ranks_text(const TuningEntry& entry) {
  if (entry.ranks_by_host.empty()) return std::to_string(entry.ranks_per_host);
  std::string text;
  for (const std::uint32_t ranks : entry.ranks_by_host) text += (text.empty() ? "[" : ", ") + std::to_string(ranks);
  return text + "]";
}

void append_rule(std::string& out, const TuningRule& rule) {
  const std::string from = format_bytes(rule.from_bytes);
  const std::string segment = rule.segment_bytes != 0 ? "segment: " + format_bytes(rule.segment_bytes) : "";
  if (rule.plan == nullptr) {
    out += "      - {from: " + from + ", algorithm: " + yaml_scalar(rule.algorithm);
    out += (segment.empty() ? "" : ", " + segment) + "}\n";
    return;
  }
  out += "      - from: " + from + "\n";
  out += segment.empty() ? "" : "        " + segment + "\n";
  constexpr std::size_t columns = 10;
  out += "        plan:\n" + plan_in_rule(*rule.plan, columns);
}

}  // namespace

std::string write_tuning(const Tuning& tuning) {
  std::string out = "trunkline: tuning/1\n";
  out += tuning.provenance.empty() ? "" : "provenance: " + yaml_scalar(tuning.provenance) + "\n";
  out += "entries:\n";
  for (const TuningEntry& entry : tuning.entries) {
    out += "  - collective: " + yaml_scalar(facts_of(entry.collective).name) + "\n";
    out += "    cluster: " + yaml_scalar(entry.cluster) + "\n";
    out += "    cluster_fingerprint: \"" + hexadecimal(entry.cluster_fingerprint) + "\"\n";
    if (entry.topology_fingerprint) {
      out += "    topology_fingerprint: \"" + hexadecimal(*entry.topology_fingerprint) + "\"\n";
    }
    out += "    hosts: " + std::to_string(entry.hosts) + "\n";
    out += "    ranks_per_host: " + ranks_text(entry) + "\n";
    out += "    mpi: " + yaml_scalar(entry.mpi) + "\n";
    out += "    mpi_version: " + quoted(entry.mpi_version) + "\n";
    if (!entry.measured_rates.empty()) out += "    measured_rates:\n";
    for (const TunedRate& one : entry.measured_rates) {
      out += "      - {from: " + yaml_scalar(one.from) + ", to: " + yaml_scalar(one.to);
      out += ", rate: " + format_rate(one.bps) + "}\n";
    }
    out += "    rules:\n";
    for (const TuningRule& rule : entry.rules) {
      append_rule(out, rule);
    }
  }
  return out;
}

}  // namespace trunkline
