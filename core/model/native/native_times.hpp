// SPDX-License-Identifier: Apache-2.0
// What the MPI library's own algorithm takes, whatever the collective: each has a model of its own beside this file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

/// By the costs of one of the models: those of what the library selects for a size are taken when such a size is first
/// asked for. To be used by one thread at a time.
template <class Model, double (*Seconds)(const Model& costs, std::uint64_t message_bytes)>
class NativeTimesOf final : public NativeTimes {
 public:
  using Selects = std::function<std::uint32_t(std::uint64_t message_bytes)>;  ///< another number for another algorithm
  using Lays = std::function<Model(std::uint64_t message_bytes)>;

  NativeTimesOf(Selects selects, Lays lays) : selects_(std::move(selects)), lays_(std::move(lays)) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes) const override {
    const std::uint32_t selected = selects_(message_bytes);
    auto known = by_selected_.find(selected);
    if (known == by_selected_.end()) known = by_selected_.emplace(selected, lays_(message_bytes)).first;
    return Seconds(known->second, message_bytes);
  }

 private:
  Selects selects_;
  Lays lays_;
  mutable std::map<std::uint32_t, Model> by_selected_{};
};

/// `paths` and what it is of must outlive the result. Each algorithm that is asked for takes time O(ranks * log(ranks)
/// * length of a path), once.
[[nodiscard]] std::unique_ptr<const NativeTimes> native_times(const Paths& paths, const Placement& placement,
                                                              Collective collective, Rank root, NativeLibrary library,
                                                              const HostCosts& hosts);

}  // namespace trunkline
