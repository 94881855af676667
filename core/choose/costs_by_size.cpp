// SPDX-License-Identifier: Apache-2.0
#include "choose/costs_by_size.hpp"

#include <map>
#include <utility>

#include "algorithms/registry.hpp"
#include "network/paths.hpp"

namespace trunkline {
namespace {

class CostsBySize final : public CostFunction {
 public:
  CostsBySize(const Cluster& cluster, CallsOf calls, std::string_view algorithm, const HostCosts& hosts)
      : paths_(cluster), calls_(std::move(calls)), algorithm_(algorithm), hosts_(hosts) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override {
    return of(message_bytes).seconds(message_bytes, segment_bytes);
  }
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override {
    return of(message_bytes).best_segment(message_bytes);
  }
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override {
    return of(message_bytes).fastest_segment(message_bytes, cuts);
  }

 private:
  [[nodiscard]] const CostFunction& of(std::uint64_t message_bytes) const {
    const std::uint64_t size = laid_for(message_bytes);
    auto known = by_size_.find(size);
    if (known == by_size_.end()) {
      const Plan plan = lay(calls_.collective, algorithm_, &paths_.cluster(), calls_.placement, calls_.root, size);
      known = by_size_.emplace(size, costs_of(paths_, calls_.placement, plan, calls_.collective, hosts_)).first;
    }
    return *known->second;
  }

  Paths paths_;
  CallsOf calls_;
  std::string_view algorithm_;  ///< the registry's own text
  HostCosts hosts_;
  mutable std::map<std::uint64_t, Costs> by_size_{};
};

}  // namespace

Costs costs_by_size(const Cluster& cluster, CallsOf calls, std::string_view algorithm, const HostCosts& hosts) {
  return Costs(std::make_shared<const CostsBySize>(cluster, std::move(calls), algorithm, hosts));
}

}  // namespace trunkline
