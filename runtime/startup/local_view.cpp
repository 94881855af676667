// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mpi_api.hpp"
#include "network/cluster_file.hpp"
#include "network/fingerprint.hpp"
#include "startup/cluster_path.hpp"
#include "startup/hash.hpp"
#include "startup/world.hpp"
#include "text/fault.hpp"

namespace trunkline::runtime {
namespace {

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(PMPI_Get_processor_name(name.data(), &length));
  return {name.data(), static_cast<std::size_t>(length)};
}

std::string_view without_domain(std::string_view name) { return name.substr(0, name.find('.')); }

/// The plan's hosts as numbers of the cluster's.
Placement hosts_in_cluster(const Plan& plan, const Cluster& cluster, const std::string& file) {
  Placement placement;
  for (const std::string& name : plan.host_of_rank) {
    const auto host = cluster.find_host(name);
    if (!host) {
      std::string text = file;
      text.append(": cluster ").append(cluster.name()).append(" has no host '").append(name).append("'");
      throw std::invalid_argument(text);
    }
    placement.push_back(*host);
  }
  return placement;
}

/// The plan's hosts as numbers of their own, in order of appearance; `names` gets their names.
Placement hosts_by_name(const Plan& plan, std::vector<std::string>& names) {
  Placement placement;
  std::unordered_map<std::string_view, HostIndex> known;
  for (const std::string& name : plan.host_of_rank) {
    const auto [at, is_new] = known.emplace(name, static_cast<HostIndex>(names.size()));
    if (is_new) names.push_back(name);
    placement.push_back(at->second);
  }
  return placement;
}

class Loader {
 public:
  Loader(const Setup& setup, LocalView& view) : setup_(setup), view_(view) {}

  void load() {
    if (!setup_.cluster.empty()) {
      cluster_file_ = cluster_path(setup_.cluster);
      view_.world.cluster.emplace(read_cluster(cluster_file_));
      view_.cluster_fingerprint = view_.world.cluster->fingerprint();
    }
    if (!setup_.plan.empty()) load_plan();
    if (!setup_.tuning.empty()) load_tuning();
    find_host();
  }

 private:
  void load_plan() {
    const Plan& plan = view_.world.plan.emplace(read_plan(setup_.plan));
    view_.plan_fingerprint = hash(write_plan(plan));
    if (plan.collective != "bcast") {
      throw std::invalid_argument(setup_.plan + ": is a plan for " + plan.collective + "; only bcast is accelerated");
    }
    const auto& cluster = view_.world.cluster;
    // Usually of what plans are laid over; the one with rates ties a plan to a cluster as it was measured.
    const auto print = plan.cluster_fingerprint;
    if (cluster && print && *print != topology_fingerprint(*cluster) && *print != cluster->fingerprint()) {
      throw std::invalid_argument(setup_.plan + ": was laid over cluster " + plan.cluster +
                                  " as it was, not over the one in " + cluster_file_ +
                                  "; lay it again with 'trunkline plan'");
    }
    view_.world.plan_placement = cluster ? hosts_in_cluster(plan, *cluster, setup_.plan) : hosts_by_name(plan, names_);
  }

  void load_tuning() {
    const Tuning& tuning = view_.world.tuning.emplace(read_tuning(setup_.tuning));
    view_.tuning_fingerprint = hash(write_tuning(tuning));
    const auto least = tuning.least_accelerated("bcast", view_.cluster_fingerprint, mpi_name, mpi_version);
    view_.world.floor_bytes = std::min(least_bytes, least.value_or(least_bytes));
    if (tuning.knows(view_.cluster_fingerprint, mpi_name, mpi_version)) return;
    std::string known;
    for (const TuningEntry& entry : tuning.entries) {
      known += (known.empty() ? "" : ", ") + entry.cluster + " with " + entry.mpi + " " + entry.mpi_version;
    }
    throw std::invalid_argument(setup_.tuning + ": nothing in it is for cluster " + view_.world.cluster->name() +
                                " as it is in " + cluster_file_ + " with " + std::string(mpi_name) + " " +
                                std::string(mpi_version) + "; it has: " + (known.empty() ? "nothing" : known) +
                                "; tune again with 'trunkline tune'");
  }

  void find_host() {
    if (view_.world.cluster) {
      const auto host = view_.world.cluster->find_host(view_.host_name);
      if (!host) {
        throw std::invalid_argument("host '" + view_.host_name + "' is not in cluster " + view_.world.cluster->name() +
                                    " (" + cluster_file_ + "): add it there, or say which host this is with " +
                                    "TRUNKLINE_HOST");
      }
      view_.host = *host;
    } else if (!names_.empty()) {
      auto known = std::ranges::find(names_, view_.host_name);
      const auto short_name = without_domain(view_.host_name);
      if (known == names_.end() && std::ranges::count(names_, short_name, without_domain) == 1) {
        known = std::ranges::find(names_, short_name, without_domain);
      }
      if (known == names_.end()) {
        throw std::invalid_argument("host '" + view_.host_name + "' is not in plan " + setup_.plan +
                                    ": say which of its hosts this is with TRUNKLINE_HOST");
      }
      view_.host = static_cast<HostIndex>(known - names_.begin());
    }
  }

  const Setup& setup_;
  LocalView& view_;
  std::string cluster_file_;
  std::vector<std::string> names_;  ///< hosts of the plan, where there is no cluster
};

std::string faults_of(const FaultyFile& faulty) {
  std::string text;
  for (const Fault& fault : faulty.faults()) text += (text.empty() ? "" : "\n") + fault.text();
  return text;
}

}  // namespace

LocalView local_view(const Setup& setup) {
  LocalView view;
  view.world.explain = setup.explain;
  view.host_name = setup.host.empty() ? processor_name() : setup.host;
  view.disabled = setup.disable;
  if (view.disabled) return view;
  const BcastChoice& bcast = setup.bcast;
  view.choice_fingerprint = hash(std::to_string(static_cast<int>(bcast.kind)) + ":" + std::string(bcast.algorithm) +
                                 ":" + std::to_string(bcast.segment_bytes));
  try {
    Loader(setup, view).load();
  } catch (const FaultyFile& faulty) {
    view.problem = faults_of(faulty);
  } catch (const std::exception& wrong) {
    view.problem = wrong.what();
  }
  return view;
}

}  // namespace trunkline::runtime
