// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_map>

#include "network/fingerprint.hpp"
#include "text/quantity.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"
#include "tuning/tuning_file.hpp"

namespace trunkline {
const TuningRule& TuningEntry::rule_for(std::uint64_t message_bytes) const {
  const auto next = std::ranges::upper_bound(rules, message_bytes, {}, &TuningRule::from_bytes);
  return *(next - 1);  // the first rule begins at 0
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
  std::unordered_map<HostIndex, std::uint32_t> ranks;
  for (const HostIndex host : placement) ++ranks[host];
  const std::uint32_t each = ranks.empty() ? 0 : ranks.begin()->second;
  if (std::ranges::any_of(ranks, [&](const auto& host) { return host.second != each; })) return nullptr;
  const auto found = std::ranges::find_if(entries, [&](const TuningEntry& entry) {
    return entry.collective == collective && entry.hosts == ranks.size() && entry.ranks_per_host == each;
  });
  return found == entries.end() ? nullptr : &*found;
}

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
    out += "    ranks_per_host: " + std::to_string(entry.ranks_per_host) + "\n";
    out += "    mpi: " + yaml_scalar(entry.mpi) + "\n";
    out += "    mpi_version: " + quoted(entry.mpi_version) + "\n";
    if (!entry.measured_rates.empty()) out += "    measured_rates:\n";
    for (const TunedRate& one : entry.measured_rates) {
      out += "      - {from: " + yaml_scalar(one.from) + ", to: " + yaml_scalar(one.to);
      out += ", rate: " + format_rate(one.bps) + "}\n";
    }
    out += "    rules:\n";
    for (const TuningRule& rule : entry.rules) {
      out += "      - {from: " + (rule.from_bytes == 0 ? "0B" : format_bytes(rule.from_bytes));
      out += ", algorithm: " + yaml_scalar(rule.algorithm);
      out += rule.segment_bytes != 0 ? ", segment: " + format_bytes(rule.segment_bytes) : "";
      out += "}\n";
    }
  }
  return out;
}

}  // namespace trunkline
