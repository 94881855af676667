// SPDX-License-Identifier: Apache-2.0
// A cluster, or none, whose copies are one: a simulation has thousands of ranks that know the same.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "network/cluster.hpp"

namespace trunkline {

/// Used as a std::optional<Cluster> is.
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

}  // namespace trunkline
