// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/measured/measurement.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/memory_speeds.hpp"
#include "model/transfer/switch_queue.hpp"
#include "mpi_api.hpp"
#include "network/file/cluster_file.hpp"
#include "shared_in_simulation.hpp"
#include "startup/cluster_path.hpp"
#include "startup/native_library.hpp"
#include "startup/progress_hook.hpp"
#include "startup/world.hpp"
#include "text/fault.hpp"
#include "text/fnv.hpp"
#include "text/names.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {
namespace {

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(PMPI_Get_processor_name(name.data(), &length));
  const std::string_view all(name.data(), static_cast<std::size_t>(length));
  // Each rank has a host of its own in a simulation, whose name goes on behind that of the host.
  return std::string(simulated ? all.substr(0, all.find('#')) : all);
}

/// The library's, on the processor that this runs on.
HostCosts usual_costs_here() {
  HostCosts costs = host_costs_of(mpi_name, mpi_version);
  if (simulated) return costs;
  costs.memory = &memory_speeds_here();
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  check(PMPI_Get_library_version(version.data(), &length));
  costs.is_another_library = std::string_view(version.data()).starts_with("Intel(R) MPI");
  return costs;
}

class Loader {
 public:
  Loader(const Setup& setup, LocalView& view) : setup_(setup), view_(view) {}

  void load() {
    Knowledge& knowledge = view_.world.knowledge;
    knowledge.library = {.native = native_library, .name = std::string(mpi_name), .version = std::string(mpi_version)};
    knowledge.hosts = host_costs_from(setup_.host_costs, usual_costs_here());
    if (!setup_.cluster.empty()) {
      cluster_file_ = cluster_path(setup_.cluster);
      knowledge.cluster = shared_in_simulation<Cluster>([&] { return "cluster " + cluster_file_; },
                                                        [&] { return read_cluster(cluster_file_); });
      // Fingerprints leave queues out, by which all ranks decide.
      view_.cluster_fingerprint = knowledge.cluster->fingerprint() ^ queue_bytes_of(*knowledge.cluster);
      view_.world.cluster_file = std::filesystem::absolute(cluster_file_).string();
    }
    if (!setup_.plan.empty()) {
      const PlanSet read = read_plans(setup_.plan);
      knowledge.take_plans(read, setup_.plan);
      view_.world.plan_fingerprint = hash(write_plans(read));
      view_.world.plan_file = std::filesystem::absolute(setup_.plan).string();
    }
    if (!setup_.tuning.empty()) {
      knowledge.take_tuning(read_tuning(setup_.tuning), setup_.tuning);
      view_.tuning_fingerprint = hash(write_tuning(*knowledge.tuning));
    }
    if (!setup_.measured.empty()) {
      const Measurement read = read_measurement(setup_.measured);
      knowledge.take_measurement(read, setup_.measured);
      view_.choice_fingerprint ^= hash(write_measurement(read));
    } else if (const auto named = knowledge.take_named_tables()) {
      if (setup_.follow) {
        throw std::invalid_argument(cluster_file_ +
                                    ": names tables as measured, which hold no longer once the network has changed: " +
                                    "take the key out, or TRUNKLINE_FOLLOW=1");
      }
      view_.choice_fingerprint ^= hash(write_measurement(*named));
    }
    find_host();
  }

 private:
  void find_host() {
    const auto& cluster = view_.world.knowledge.cluster;
    const std::vector<std::string>& names = view_.world.knowledge.plan_hosts;
    if (cluster) {
      const auto host = cluster->find_host(view_.host_name);
      if (!host) {
        throw std::invalid_argument("host '" + view_.host_name + "' is not in cluster " + cluster->name() + " (" +
                                    cluster_file_ + "): add it there, or say which host this is with " +
                                    "TRUNKLINE_HOST");
      }
      view_.host = *host;
    } else if (!names.empty()) {
      auto known = std::ranges::find(names, view_.host_name);
      const auto short_form = [](const std::string& name) { return in_small_letters(short_name(name)); };
      const std::string host = short_form(view_.host_name);
      if (known == names.end() && std::ranges::count(names, host, short_form) == 1) {
        known = std::ranges::find(names, host, short_form);
      }
      if (known == names.end()) {
        throw std::invalid_argument("host '" + view_.host_name + "' is not in plan " + setup_.plan +
                                    ": say which of its hosts this is with TRUNKLINE_HOST");
      }
      view_.host = static_cast<HostIndex>(known - names.begin());
    }
  }

  const Setup& setup_;
  LocalView& view_;
  std::string cluster_file_;
};

}  // namespace

LocalView local_view(const Setup& setup) {
  LocalView view;
  view.world.explain = setup.explain != Explain::none;
  view.world.way = setup.way;
  view.world.knowledge.reproducible = setup.reproducible;
  view.world.knowledge.multicasts = setup.multicasts && !simulated;  // its jobs make few calls
  view.world.follow = setup.follow && !simulated;                    // its network stays as it is
  // Simulated jobs make few calls, and reproducible ones run the same each time.
  view.world.learn = simulated || setup.reproducible ? Learn::none : setup.learn;
  view.world.has_hook = has_progress_hook();
  view.world.has_threads = may_have_threads();
  view.world.has_progress_thread = setup.progress == Progress::thread && view.world.has_threads && !simulated;
  view.world.goes_on = view.world.has_hook || view.world.has_progress_thread || simulated;  // simulate/ranks.cpp
  view.world.by_arrival = setup.within_hosts == WithinHosts::arrival;
  view.world.trace = !setup.trace.empty();
  view.host_name = setup.host.empty() ? processor_name() : setup.host;
  view.disabled = setup.disable;
  if (view.disabled) return view;
  std::string wishes = setup.host_costs + "\n" + (setup.reproducible ? "reproducible\n" : "") +
                       (setup.multicasts ? "" : "no multicasts\n") + (setup.follow ? "follow\n" : "") + "learn " +
                       std::to_string(static_cast<int>(setup.learn)) + "\nby " +
                       std::to_string(static_cast<int>(setup.way)) + "\nmemory " +
                       std::to_string(static_cast<int>(setup.host_memory)) + "\n" +
                       (setup.within_hosts == WithinHosts::arrival ? "by arrival\n" : "");
  for (const Wish& wish : setup.wishes) {
    wishes += std::to_string(static_cast<int>(wish.kind)) + ":" + std::string(wish.algorithm) + ":" +
              std::to_string(wish.segment_bytes) + "\n";
  }
  view.choice_fingerprint = hash(wishes);
  try {
    Loader(setup, view).load();
  } catch (const std::exception& wrong) {
    view.problem = wrong.what();
  }
  return view;
}

}  // namespace trunkline::runtime
