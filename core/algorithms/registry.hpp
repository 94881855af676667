// SPDX-License-Identifier: Apache-2.0
// The one list of algorithms: selection, settings, --help, documentation and the test matrix read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/cluster.hpp"
#include "plan/collective.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// Of what its plans are made.
enum class AlgorithmKind : std::uint8_t {
  native,  ///< of nothing: the MPI library does as it sees fit
  trees,   ///< segments go down one tree, or down several by turns
  rounds,  ///< blocks reach each rank from several others
};

struct Algorithm {
  Collective collective = Collective::bcast;
  std::string_view name{};         ///< "linear"; "native" is the MPI library's own
  std::string_view description{};  ///< one line
  std::string_view cost{};         ///< in X segments, H height, P ranks, T(m)
  bool needs_cluster = false;      ///< false: can be laid over ranks alone
  unsigned trees = 0;              ///< of a plan; 0: of another kind
  std::string_view family{};       ///< "K-ary": alike but for a number in the name; empty: stands alone
  AlgorithmKind kind = AlgorithmKind::trees;
  bool is_whole = false;  ///< of rounds: the message is one block

  /// As has_one_order() says of its plans.
  [[nodiscard]] constexpr bool has_one_order(bool goes_by_shares) const {
    return trees == 1 || (kind == AlgorithmKind::rounds && (is_whole || goes_by_shares));
  }

  /// For people; empty: none.
  [[nodiscard]] constexpr std::string_view restrictions() const {
    return needs_cluster ? "tree cluster, or the spanning tree of another" : "";
  }
};

/// One for each collective that an algorithm serves.
[[nodiscard]] std::span<const Algorithm> algorithms();
[[nodiscard]] std::optional<Algorithm> find_algorithm(Collective collective, std::string_view name);

/// The names of a collective's algorithms for people, a family in one piece: "linear", "3-ary to 8-ary".
[[nodiscard]] std::vector<std::string> algorithm_names(Collective collective);

/// Lays an algorithm over ranks; `cluster` may be null only where it needs none. Throws std::invalid_argument for a
/// name that is not in the registry, or is "native". Trees have passed check_trees().
[[nodiscard]] Plan lay(Collective collective, std::string_view name, const Cluster* cluster, const Placement& placement,
                       Rank root);

/// The same for algorithms that are made of trees; throws std::invalid_argument for any other.
[[nodiscard]] Trees lay_trees(Collective collective, std::string_view name, const Cluster* cluster,
                              const Placement& placement, Rank root);

}  // namespace trunkline
