// SPDX-License-Identifier: Apache-2.0
#include "choose/laid_on.hpp"

#include <utility>

#include "algorithms/registry.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"

namespace trunkline {
namespace {

class ToldCosts final : public CostFunction {
 public:
  ToldCosts(Cluster cluster, const Placement& placement, Plan plan, Collective collective, const HostCosts& hosts)
      : cluster_(std::move(cluster)),
        plan_(std::move(plan)),
        on_{.collective = collective,
            .paths = std::make_shared<const Paths>(cluster_),
            .placement = placement,
            .root = plan_.root(),
            .hosts = hosts,
            .has_sites = spans_sites(cluster_, placement)},
        formula_(costs_of(*on_.paths, placement, plan_, collective, hosts)) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override {
    const auto replayed = replayed_on(on_, plan_, message_bytes, segment_bytes, most_events_to_tell);
    return replayed ? replayed->seconds : formula_->seconds(message_bytes, segment_bytes);
  }
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override {
    return formula_->best_segment(message_bytes);
  }

 private:
  Cluster cluster_;
  Plan plan_;
  LaidOn on_;
  Costs formula_;
};

}  // namespace

bool replays_are_true(const LaidOn& on) {
  return !on.hosts.share_processors() && !on.has_sites && !is_one_host(on.placement);
}

std::optional<Replayed> replayed_on(const LaidOn& on, const Plan& plan, std::uint64_t message_bytes,
                                    std::uint64_t segment_bytes, std::uint64_t most_events) {
  if (!replays_are_true(on)) return {};
  return replayed_within(most_events, *on.paths, on.placement, plan, on.collective, on.hosts, message_bytes,
                         segment_bytes);
}

std::optional<Replayed> replayed_on(const LaidOn& on, std::string_view algorithm, std::uint64_t message_bytes,
                                    std::uint64_t segment_bytes, std::uint64_t most_events) {
  if (!replays_are_true(on) || most_events < least_events(on.placement.size())) return {};
  const Plan plan = lay(on.collective, algorithm, &on.paths->cluster(), on.placement, on.root, laid_for(message_bytes));
  return replayed_on(on, plan, message_bytes, segment_bytes, most_events);
}

Costs told_costs(Cluster cluster, const Placement& placement, const Plan& plan, Collective collective,
                 const HostCosts& hosts) {
  return Costs(std::make_shared<const ToldCosts>(std::move(cluster), placement, plan, collective, hosts));
}

}  // namespace trunkline
