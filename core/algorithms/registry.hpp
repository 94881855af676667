// SPDX-License-Identifier: Apache-2.0
// The one list of algorithms: selection, settings, --help, documentation and the test matrix read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/tree.hpp"

namespace trunkline {

/// How a broadcast gets to the ranks.
enum class AlgorithmKind : std::uint8_t {
  native,            ///< as the MPI library sees fit
  trees,             ///< segments down one tree, or down several by turns
  scatter_ring,      ///< blocks: each rank gets one, then they go round a ring
  scatter_doubling,  ///< blocks: each rank gets one, then ranks exchange all they have
  circulant,         ///< blocks: to other ranks in every round
};

struct Algorithm {
  std::string_view collective;    ///< "bcast"
  std::string_view name;          ///< "linear"; "native" is the MPI library's own
  std::string_view description;   ///< one line
  std::string_view restrictions;  ///< "tree cluster", ...; empty: none
  std::string_view cost;          ///< in X segments, H height, P ranks, T(m)
  bool needs_cluster = false;     ///< false: can be laid over ranks alone
  unsigned trees = 1;             ///< that take segments by turns; 0: it is no tree
  std::string_view family;        ///< "K-ary": alike but for a number in the name; empty: stands alone
  AlgorithmKind kind = AlgorithmKind::trees;

  /// Whether it is a BlockSchedule.
  [[nodiscard]] constexpr bool by_blocks() const {
    return kind != AlgorithmKind::native && kind != AlgorithmKind::trees;
  }
};

[[nodiscard]] std::span<const Algorithm> algorithms();
[[nodiscard]] std::optional<Algorithm> find_algorithm(std::string_view collective, std::string_view name);

/// The names of a collective's algorithms for people, a family in one piece: "linear", "3-ary to 8-ary".
[[nodiscard]] std::vector<std::string> algorithm_names(std::string_view collective);

/// Lays a shape over ranks; `cluster` may be null only where the algorithm needs none. Throws std::invalid_argument
/// for a name that is not in the registry, is "native" or goes by blocks, or of an algorithm of several trees. The tree
/// returned has passed check_tree().
[[nodiscard]] Tree lay(std::string_view collective, std::string_view name, const Cluster* cluster,
                       const Placement& placement, Rank root);

/// The same for algorithms of any number of trees, which take segments by turns.
[[nodiscard]] std::vector<Tree> lay_all(std::string_view collective, std::string_view name, const Cluster* cluster,
                                        const Placement& placement, Rank root);

}  // namespace trunkline
