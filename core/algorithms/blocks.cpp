// SPDX-License-Identifier: Apache-2.0
#include "algorithms/blocks.hpp"

#include <stdexcept>
#include <string>

#include "algorithms/circulant.hpp"
#include "algorithms/linear.hpp"
#include "algorithms/scatter_doubling.hpp"
#include "algorithms/scatter_ring.hpp"

namespace trunkline {
namespace {

std::invalid_argument not_by_blocks(const Algorithm& algorithm) {
  return std::invalid_argument(std::string(algorithm.name) + " does not go by blocks");
}

}  // namespace

std::vector<Rank> rank_order(const Algorithm& algorithm, const Cluster* cluster, const Placement& placement,
                             Rank root) {
  if (!algorithm.by_blocks()) throw not_by_blocks(algorithm);
  if (algorithm.needs_cluster) {
    if (cluster == nullptr) {
      throw std::invalid_argument(std::string(algorithm.name) + " needs a cluster: its ranks go by the switches");
    }
    return depth_first_order(*cluster, placement, root);
  }
  const auto ranks = static_cast<Rank>(placement.size());
  check_root(ranks, root);
  return by_number(ranks, root);
}

std::unique_ptr<const BlockSchedule> block_schedule(const Algorithm& algorithm, Rank ranks, Rank position) {
  switch (algorithm.kind) {
    case AlgorithmKind::scatter_ring:
      return std::make_unique<ScatterRing>(ranks, position);
    case AlgorithmKind::scatter_doubling:
      return std::make_unique<ScatterDoubling>(ranks, position);
    case AlgorithmKind::circulant:
      return std::make_unique<Circulant>(ranks, position);
    case AlgorithmKind::native:
    case AlgorithmKind::trees:
      break;
  }
  throw not_by_blocks(algorithm);
}

}  // namespace trunkline
