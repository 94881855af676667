// SPDX-License-Identifier: Apache-2.0
#include "decide/knowledge.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "choose/alternatives.hpp"
#include "choose/choose.hpp"
#include "choose/size_class.hpp"
#include "network/fingerprint.hpp"
#include "text/fault.hpp"

namespace trunkline {
namespace {

/// "plan.yaml: ", or "plans.yaml:12:5: " of one among several.
std::string place_of(const PlanFile& plan, const std::string& file) {
  if (plan.line == 0) return file + ": ";
  return file + ":" + std::to_string(plan.line) + ":" + std::to_string(plan.column) + ": ";
}

/// The plan's hosts as numbers of the cluster's.
Placement hosts_in_cluster(const PlanFile& plan, const Cluster& cluster) {
  Placement placement;
  for (const std::string& name : plan.host_of_rank) {
    const auto host = cluster.find_host(name);
    if (!host) throw std::invalid_argument("cluster " + cluster.name() + " has no host '" + name + "'");
    placement.push_back(*host);
  }
  return placement;
}

/// The plan's hosts as numbers of those names, in order of appearance; `names` gets what it lacks.
Placement hosts_by_name(const PlanFile& plan, std::vector<std::string>& names) {
  Placement placement;
  std::unordered_map<std::string, HostIndex> known;
  for (const std::string& name : names) known.emplace(name, static_cast<HostIndex>(known.size()));
  for (const std::string& name : plan.host_of_rank) {
    const auto [at, is_new] = known.emplace(name, static_cast<HostIndex>(names.size()));
    if (is_new) names.push_back(name);
    placement.push_back(at->second);
  }
  return placement;
}

/// Throws std::invalid_argument where it cannot run as the plan of a file here.
void check_fits(const Knowledge& knowledge, const PlanFile& read) {
  const auto& cluster = knowledge.cluster;
  if (cluster && !is_for(read, *cluster)) {
    throw std::invalid_argument("was laid over cluster " + read.cluster + " as it was, not over " + cluster->name() +
                                " as it is now; lay it again with 'trunkline plan'");
  }
  if (!knowledge.keeps_one_order(read.collective)) return;
  const std::string by_length = "the order in which this plan combines operands depends on the message's length, and ";
  if (!read.plan.steps().has_one_order(read.collective)) {
    throw std::invalid_argument(by_length + "TRUNKLINE_REPRODUCIBLE=1 asks for one order: use a plan of one tree");
  }
  if (read.from_bytes.value_or(0) != 0 || read.below_bytes) {
    throw std::invalid_argument(
        "this plan is for some sizes alone, and TRUNKLINE_REPRODUCIBLE=1 asks for one order of " +
        std::string("operands whatever the size: leave out from and below"));
  }
}

/// What `take` makes of each plan; what they throw is thrown together, with the place of each.
template <typename Plans, typename Take>
void take_each(const Plans& plans, const std::string& file, Take&& take) {
  std::string wrong;
  for (const auto& plan : plans) {
    try {
      take(*plan);
    } catch (const std::invalid_argument& one) {
      wrong += (wrong.empty() ? "" : "\n") + place_of(*plan, file) + one.what();
    }
  }
  if (!wrong.empty()) throw std::invalid_argument(wrong);
}

/// Those of rules: all that a tuning file holds of plans by hand.
void take_tuned_plans(Knowledge& knowledge, const Tuning& held, const std::string& file) {
  std::vector<std::shared_ptr<const PlanFile>> plans;
  for (const TuningEntry& entry : held.entries) {
    for (const TuningRule& rule : entry.rules) {
      if (rule.plan != nullptr) plans.push_back(rule.plan);
    }
  }
  std::vector<GivenPlan> taken;
  take_each(plans, file, [&](const PlanFile& plan) {
    const std::size_t number = taken.size();
    taken.push_back({.name = name_of_given(plan_of_tuning, number + 1),
                     .file = plans.at(number),
                     .placement = hosts_in_cluster(plan, *knowledge.cluster)});
  });
  knowledge.tuned_plans = std::move(taken);
}

}  // namespace

void Knowledge::take_plans(const PlanSet& read, const std::string& file) {
  std::vector<GivenPlan> taken;
  std::vector<std::shared_ptr<const PlanFile>> shared;
  for (const PlanFile& plan : read.plans) shared.push_back(std::make_shared<const PlanFile>(plan));
  take_each(shared, file, [&](const PlanFile& plan) {
    check_fits(*this, plan);
    const std::size_t number = taken.size();
    taken.push_back({.name = shared.size() == 1 ? plan_of_file : name_of_given(plan_of_file, number + 1),
                     .file = shared.at(number),
                     .placement = cluster ? hosts_in_cluster(plan, *cluster) : hosts_by_name(plan, plan_hosts)});
    const std::uint64_t least = plan.from_bytes.value_or(0);
    if (!plan.from_bytes && !facts_of(plan.collective).reduces) return;
    std::uint64_t& planned = least_planned.at(static_cast<std::size_t>(plan.collective));
    planned = std::min(planned, least);
  });
  plans = std::move(taken);
}

void Knowledge::take_plan(PlanFile read, const std::string& file) { take_plans({.plans = {std::move(read)}}, file); }

bool Knowledge::is_for(const PlanFile& plan, std::uint64_t bytes) const {
  if (plan.below_bytes && bytes >= *plan.below_bytes) return false;
  if (plan.from_bytes) return bytes >= *plan.from_bytes;
  return facts_of(plan.collective).reduces || bytes >= floor_without_plans();
}

const GivenPlan* Knowledge::given(std::string_view name) const {
  for (const std::vector<GivenPlan>* const all : {&plans, &tuned_plans}) {
    const auto found = std::ranges::find(*all, name, &GivenPlan::name);
    if (found != all->end()) return &*found;
  }
  return nullptr;
}

void Knowledge::take_measurement(const Measurement& read, const std::string& file) {
  const std::string was = file + ": was measured on " + read.cluster + " under " + read.mpi + " " + read.mpi_version;
  if (!cluster || read.cluster_fingerprint != cluster->fingerprint()) {
    throw std::invalid_argument(was + ", not on " + (cluster ? cluster->name() : "(none)") +
                                " as it is now: measure again with 'trunkline measure' (a lab at another rate is "
                                "another cluster)");
  }
  if (read.mpi != library.name || read.mpi_version != library.version) {
    throw std::invalid_argument(was + ", which says nothing about " + library.name + " " + library.version +
                                ": measure under that with 'trunkline measure'");
  }
  try {
    measured = measured_network(*cluster, read, hosts);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(file + ": " + wrong.what());
  }
  measured_by = "TRUNKLINE_MEASURED";
}

std::optional<Measurement> Knowledge::take_named_tables() {
  if (!cluster) return std::nullopt;
  std::optional<Measurement> read = read_named_tables(*cluster);
  if (!read) return std::nullopt;
  const NamedTables& named = *cluster->measured();
  try {
    take_measurement(*read, named.path);
  } catch (const std::invalid_argument& wrong) {
    throw FaultyFile({{named.file, named.line, named.column, std::string("measured: ") + wrong.what()}});
  }
  measured_by = "the cluster file's measured tables";
  return read;
}

void Knowledge::take_tuning(const Tuning& read, const std::string& file) {
  Tuning held = cluster ? read.holding_on(*cluster, library.name, library.version) : Tuning{};
  if (held.entries.empty()) {
    std::string known;
    for (const TuningEntry& entry : read.entries) {
      known += (known.empty() ? "" : ", ") + entry.cluster + " with " + entry.mpi + " " + entry.mpi_version;
    }
    throw std::invalid_argument(file + ": nothing in it is for cluster " + (cluster ? cluster->name() : "(none)") +
                                " as it is now with " + library.name + " " + library.version +
                                "; it has: " + (known.empty() ? "nothing" : known) +
                                "; tune again with 'trunkline tune' (a lab at another rate is another cluster)");
  }
  for (const CollectiveFacts& one : collectives()) {
    const auto least = held.least_accelerated(one.collective);
    floor_bytes = std::min(floor_bytes, least.value_or(least_bytes));
  }
  for (const TuningEntry& entry : held.entries) {
    try {
      // Tuned on this very network: 'trunkline tune' has told it.
      if (entry.cluster_fingerprint == cluster->fingerprint()) continue;
      const std::string told = contradiction(entry, *cluster);
      if (!told.empty()) tuned_elsewhere.push_back(told);
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument(file + ": " + wrong.what());
    }
  }
  take_tuned_plans(*this, held, file);
  tuning = std::move(held);
}

namespace {

/// From which size on ranks of one host run a plan, of so many as it takes least: two.
std::uint64_t floor_of_two(const Knowledge& knowledge, Collective collective) {
  const Alternatives two = alternatives_of(collective, knowledge.network(), Placement(2, 0), 0,
                                           knowledge.library.native, knowledge.message_costs(), false);
  constexpr std::uint64_t longest = std::uint64_t{64} << 20;
  for (std::uint64_t bytes = least_bytes; bytes < longest;) {
    if (pick(two, bytes, OperandOrder::any, Reach::messages).algorithm != "native") return bytes;
    bytes = size_class(bytes, two.jumps).most_bytes + 1;
  }
  return longest;
}

}  // namespace

void Knowledge::stay_on_one_host() {
  short_calls = {};
  if (tuning) return;
  is_one_host = true;
  for (const CollectiveFacts& one : collectives()) {
    floors_on_one_host.at(static_cast<std::size_t>(one.collective)) =
        host_memory ? floor_of_two(*this, one.collective) : std::numeric_limits<std::uint64_t>::max();
  }
}

void Knowledge::look_for_short_calls(const Placement& placement) {
  short_calls = {};
  if (cluster && !tuning) short_calls = short_calls_may_pay(network(), placement, message_costs(), multicasts);
}

bool GivenPlan::fits(Collective collective, const Placement& processes, Rank root) const {
  if (file->collective != collective || file->plan.ranks() != processes.size()) return false;
  if (facts_of(collective).has_root && file->plan.root() != root) return false;
  return placement.empty() || placement == processes;
}

std::string_view name_of_given(std::string_view setting, std::size_t number) {
  // Decisions outlive what they follow from, and carry their names as views.
  static std::mutex mutex;
  static std::map<std::pair<std::string_view, std::size_t>, std::string> names;
  const std::scoped_lock lock(mutex);
  std::string& name = names[{setting, number}];
  if (name.empty()) name = std::string(setting) + " " + std::to_string(number);
  return name;
}

}  // namespace trunkline
