// SPDX-License-Identifier: Apache-2.0
// What decisions follow from, besides the call itself: all ranks know it equally.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choose/candidates.hpp"
#include "model/measured/measured_network.hpp"
#include "model/native/rules.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "plan_file/plan_file.hpp"
#include "plan_file/plan_set.hpp"
#include "tuning/tuning_file.hpp"

namespace trunkline {

/// A cluster, or none, whose copies are one: a simulation has thousands of ranks that know the same. Used as a
/// std::optional<Cluster> is.
class SharedCluster {
 public:
  SharedCluster() = default;
  SharedCluster(Cluster cluster) { emplace(std::move(cluster)); }
  SharedCluster(std::optional<Cluster> cluster) {
    if (cluster) emplace(*std::move(cluster));
  }
  SharedCluster(std::shared_ptr<const Cluster> cluster) : cluster_(std::move(cluster)) {}

  void emplace(Cluster cluster) { cluster_ = std::make_shared<const Cluster>(std::move(cluster)); }

  explicit operator bool() const noexcept { return cluster_ != nullptr; }
  const Cluster& operator*() const noexcept { return *cluster_; }
  const Cluster* operator->() const noexcept { return cluster_.get(); }

 private:
  std::shared_ptr<const Cluster> cluster_;
};

/// A plan that a file gave, as decisions know it.
struct GivenPlan {
  std::string_view name{};  ///< as the algorithm of a decision; lives as long as the process
  std::shared_ptr<const PlanFile> file{};
  Placement placement{};  ///< hosts of its ranks; empty: it fits any hosts

  /// Whether it is for calls of these processes, whatever their size.
  [[nodiscard]] bool fits(Collective collective, const Placement& processes, Rank root) const;
};

/// By collective: no size.
[[nodiscard]] constexpr std::array<std::uint64_t, most_collectives> nothing_planned() {
  std::array<std::uint64_t, most_collectives> none{};
  none.fill(std::numeric_limits<std::uint64_t>::max());
  return none;
}

/// The MPI library that the ranks run under.
struct Library {
  NativeLibrary native = NativeLibrary::mpich;  ///< whose native algorithms it has
  std::string name{};                           ///< in tuning files: "mpich"
  std::string version{};                        ///< "4.0.2"
};

struct Knowledge {
  Library library{};
  HostCosts hosts = usual_host_costs();  ///< what messages cost them
  SharedCluster cluster{};
  std::optional<MeasuredNetwork> measured{};   ///< the cluster as it was measured
  std::string_view measured_by{};              ///< what named those tables, for people: "TRUNKLINE_MEASURED"
  std::vector<GivenPlan> plans{};              ///< of the plan file, in its order
  std::optional<Tuning> tuning{};              ///< what holds here
  std::vector<GivenPlan> tuned_plans{};        ///< those of its rules
  std::vector<std::string> tuned_elsewhere{};  ///< where it was measured at other rates than stated, for people
  std::vector<std::string> plan_hosts{};       ///< without a cluster: what placements of plans number
  /// Reductions combine operands in one order, whatever the size of the message (TRUNKLINE_REPRODUCIBLE).
  bool reproducible = false;
  /// `auto` may take plans that go by datagrams (TRUNKLINE_MULTICAST).
  bool multicasts = true;
  /// Ranks of one host hand data on in memory that they share (TRUNKLINE_HOST_MEMORY); else all messages are MPI's, and
  /// ranks of one host alone are native.
  bool host_memory = true;
  /// All ranks of the job are on one host. By collective: shorter messages are native whatever the communicator.
  bool is_one_host = false;
  std::array<std::uint64_t, most_collectives> floors_on_one_host{};
  /// Shorter messages are native, without a look at the communicator.
  std::uint64_t floor_bytes = least_bytes;

  /// By collective: short messages may run a plan, so they have no floor.
  std::array<bool, most_collectives> short_calls{};

  /// By collective: from this size on a plan of the file is meant whatever the floor is. One for a reduction is, since
  /// it is there for short messages above all, and one that says from which size on.
  std::array<std::uint64_t, most_collectives> least_planned = nothing_planned();

  /// The floor of one collective. Ranks on several sites have another one, which only a look at the communicator can
  /// tell.
  [[nodiscard]] std::uint64_t floor_of(Collective collective) const {
    if (takes_short_calls(collective)) return 0;
    if (is_one_host && plans.empty()) return floors_on_one_host.at(static_cast<std::size_t>(collective));
    return std::min(floor_without_plans(), least_planned[static_cast<std::size_t>(collective)]);
  }
  [[nodiscard]] std::uint64_t floor_without_plans() const {
    return cluster && cluster->has_sites() ? std::min(floor_bytes, least_bytes_of_sites) : floor_bytes;
  }

  /// Whether messages of that size run that plan, where it fits.
  [[nodiscard]] bool is_for(const PlanFile& plan, std::uint64_t bytes) const;

  /// The plan of a file by its name; null: no plan is called so.
  [[nodiscard]] const GivenPlan* given(std::string_view name) const;

  [[nodiscard]] bool takes_short_calls(Collective collective) const {
    return short_calls[static_cast<std::size_t>(collective)];
  }

  /// Sets `short_calls` of a job whose ranks are on these hosts, once all else is known: not where no plan of short
  /// messages would pay, and calls would be looked at for nothing; nor where a tuning file says how short messages are
  /// that pay.
  void look_for_short_calls(const Placement& placement);

  /// All ranks of the job are on one host: calls that the library makes fastest in any case are not looked at. Last of
  /// all; where no tuning file says otherwise.
  void stay_on_one_host();

  /// After the cluster. Throws std::invalid_argument, with all that is wrong, where a plan was laid over another
  /// cluster than the one given, or a host of it is not there, or where reductions must be reproducible and its order
  /// depends on the size; `file` is for messages.
  void take_plans(const PlanSet& read, const std::string& file);
  void take_plan(PlanFile read, const std::string& file);  ///< the same of one

  /// Whether `reproducible` is about that collective.
  [[nodiscard]] bool keeps_one_order(Collective collective) const {
    return reproducible && facts_of(collective).has_operand_order();
  }

  /// What times follow from. Only where there is a cluster.
  [[nodiscard]] const Cluster& network() const { return measured ? measured->cluster : *cluster; }
  [[nodiscard]] const HostCosts& message_costs() const { return measured ? measured->hosts : hosts; }

  /// After the cluster and the library. Throws std::invalid_argument where it was measured on another cluster or under
  /// another library, or its figures do not fit the cluster.
  void take_measurement(const Measurement& read, const std::string& file);

  /// The same with the tables that the cluster's file names, if any; returns them. Throws FaultyFile, at the place that
  /// names them, where they are missing or for another cluster or library.
  std::optional<Measurement> take_named_tables();

  /// After the cluster and the library. Throws std::invalid_argument where nothing in it is for them, or it names hosts
  /// that the cluster lacks.
  void take_tuning(const Tuning& read, const std::string& file);
};

/// The name of the plan of TRUNKLINE_PLAN, where its file holds no other; no algorithm is called so.
inline constexpr std::string_view plan_of_file = "TRUNKLINE_PLAN";

/// So begin those of plans in a tuning file.
inline constexpr std::string_view plan_of_tuning = "TRUNKLINE_TUNING";

/// "TRUNKLINE_PLAN 2": the name of one among several plans, counted from 1. Lives as long as the process.
[[nodiscard]] std::string_view name_of_given(std::string_view setting, std::size_t number);

/// Whether a decision's algorithm is a plan that a file gave.
[[nodiscard]] inline bool is_given(std::string_view algorithm) {
  return algorithm.starts_with(plan_of_file) || algorithm.starts_with(plan_of_tuning);
}

}  // namespace trunkline
