// SPDX-License-Identifier: Apache-2.0
// What the MPI library's own algorithm takes, whatever the collective: each has a model of its own beside this file.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "collective/collective.hpp"
#include "model/native/native_bcast.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Of one collective on one communicator, from one root.
class NativeTimes {
 public:
  virtual ~NativeTimes() = default;
  NativeTimes() = default;
  NativeTimes(const NativeTimes&) = delete;
  NativeTimes& operator=(const NativeTimes&) = delete;

  /// From the cluster's stated rates. `message_bytes`: above zero.
  [[nodiscard]] virtual double seconds(std::uint64_t message_bytes) const = 0;
};

/// By the costs of one of the models.
template <class Model, double (*Seconds)(const Model& costs, std::uint64_t message_bytes)>
class NativeTimesOf final : public NativeTimes {
 public:
  explicit NativeTimesOf(Model model) : costs(std::move(model)) {}
  [[nodiscard]] double seconds(std::uint64_t message_bytes) const override { return Seconds(costs, message_bytes); }

  const Model costs;
};
using NativeBcastTimes = NativeTimesOf<NativeCosts, native_bcast_seconds>;

/// Time O(ranks * log(ranks) * length of a path).
[[nodiscard]] std::unique_ptr<const NativeTimes> native_times(const Paths& paths, const Placement& placement,
                                                              Collective collective, Rank root, NativeLibrary library,
                                                              const HostCosts& hosts);

}  // namespace trunkline
