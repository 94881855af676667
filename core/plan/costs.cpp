// SPDX-License-Identifier: Apache-2.0
#include "plan/costs.hpp"

#include <stdexcept>

#include "network/paths.hpp"
#include "plan/plan.hpp"

namespace trunkline {

Costs costs_of(const Paths& paths, const Placement& placement, const Plan& plan, Collective collective,
               const HostCosts& hosts) {
  return Costs(plan.steps().costs(paths, placement, collective, hosts));
}

Costs costs_of(const Cluster& cluster, const Placement& placement, const Plan& plan, Collective collective,
               const HostCosts& hosts) {
  return costs_of(Paths(cluster), placement, plan, collective, hosts);
}

const Steps& Plan::steps() const {
  if (steps_ == nullptr) throw std::logic_error("a plan without steps: lay one, or read one from a file");
  return *steps_;
}

}  // namespace trunkline
