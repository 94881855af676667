// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "plan_file/plan_set.hpp"
#include "text/hostlist.hpp"
#include "text/quantity.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

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

/// All that a plan says besides how it runs on its ranks.
void append_facts(std::string& out, const PlanFile& plan) {
  out += plan.from_bytes ? "from: " + format_bytes(*plan.from_bytes) + "\n" : "";
  out += plan.below_bytes ? "below: " + format_bytes(*plan.below_bytes) + "\n" : "";
  out += plan.cluster.empty() ? "" : "cluster: " + yaml_scalar(plan.cluster) + "\n";
  if (plan.cluster_fingerprint) {
    out += "cluster_fingerprint: \"" + hexadecimal(*plan.cluster_fingerprint) + "\"\n";
  }
  if (plan.topology_fingerprint) {
    out += "topology_fingerprint: \"" + hexadecimal(*plan.topology_fingerprint) + "\"\n";
  }
  out += plan.provenance.empty() ? "" : "provenance: " + yaml_scalar(plan.provenance) + "\n";
  out += plan.segment_bytes ? "segment: " + format_bytes(*plan.segment_bytes) + "\n" : "";
}

std::string text_of(const PlanFile& plan, bool with_facts) {
  std::string out;
  if (with_facts) out += "collective: " + yaml_scalar(facts_of(plan.collective).name) + "\n";
  out += "shape: " + yaml_scalar(plan.algorithm) + "\n";
  if (with_facts) append_facts(out, plan);
  out += "ranks: " + std::to_string(plan.plan.ranks()) + "\n";
  if (!plan.host_of_rank.empty()) {
    append_hosts(out, plan.host_of_rank);
  }
  out += "root: " + std::to_string(plan.plan.root()) + "\n";
  plan.plan.steps().write(out);
  return out;
}

std::string indented(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    out.append(columns, ' ').append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string write_plan(const PlanFile& plan) { return "trunkline: plan/1\n" + text_of(plan, true); }

std::string plan_in_rule(const PlanFile& plan, std::size_t columns) { return indented(text_of(plan, false), columns); }

std::string write_plans(const PlanSet& set) {
  std::string out = "trunkline: plans/1\n";
  out += set.provenance.empty() ? "" : "provenance: " + yaml_scalar(set.provenance) + "\n";
  out += "plans:\n";
  for (const PlanFile& plan : set.plans) {
    std::string text = indented(text_of(plan, true), 4);
    text[2] = '-';
    out += text;
  }
  return out;
}

}  // namespace trunkline
