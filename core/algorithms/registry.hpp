// SPDX-License-Identifier: Apache-2.0
// The one list of algorithms: selection, settings, --help, documentation and the test matrix read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "kinds/trees/trees.hpp"
#include "network/cluster.hpp"
#include "plan/kind.hpp"
#include "plan/plan.hpp"

namespace trunkline {

struct Algorithm {
  Collective collective = Collective::bcast;
  std::string_view name{};         ///< "linear"; "native" is the MPI library's own
  std::string_view description{};  ///< one line
  std::string_view cost{};         ///< in X segments, H height, P ranks, T(m)
  bool needs_cluster = false;      ///< false: can be laid over ranks alone
  unsigned streams = 1;            ///< of a plan, that take segments by turns: two trees have two
  bool may_have_fewer = false;     ///< streams, where hosts have too few ranks
  std::string_view family{};       ///< "K-ary": alike but for a number in the name; empty: stands alone
  const PlanKind* kind = nullptr;  ///< of its plans; null: it has none, the MPI library does as it sees fit
  bool has_one_order = true;       ///< of a reduction: as Steps::has_one_order() says of its plans
  bool by_size = false;            ///< its plans depend on the size of the message

  [[nodiscard]] constexpr bool is_native() const { return kind == nullptr; }

  /// For people; empty: none.
  [[nodiscard]] constexpr std::string_view restrictions() const {
    return needs_cluster ? "tree cluster, or the spanning tree of another" : "";
  }
};

/// One for each collective that an algorithm serves.
[[nodiscard]] std::span<const Algorithm> algorithms();
[[nodiscard]] std::optional<Algorithm> find_algorithm(Collective collective, std::string_view name);

/// What to say of a name that a collective has no algorithm of.
[[nodiscard]] std::string no_such_algorithm(Collective collective, std::string_view name);

/// The names of a collective's algorithms for people, a family in one piece: "linear", "3-ary to 8-ary".
[[nodiscard]] std::vector<std::string> algorithm_names(Collective collective);

/// The size that plans are laid for where they depend on it and none is given.
inline constexpr std::uint64_t usual_message_bytes = 8192;

/// The size that calls of this one are laid for: the power of two below, so that a program with another size in every
/// call lays few plans. Zero bytes are one.
[[nodiscard]] std::uint64_t laid_for(std::uint64_t message_bytes);

/// Lays an algorithm over ranks; `cluster` may be null only where it needs none. `message_bytes` is for algorithms
/// whose plans depend on it. Throws std::invalid_argument for a name that is not in the registry, or is "native".
/// Trees have passed their check; the tests prove what generators make.
[[nodiscard]] Plan lay(Collective collective, std::string_view name, const Cluster* cluster, const Placement& placement,
                       Rank root, std::uint64_t message_bytes = usual_message_bytes);

/// The same for algorithms that are made of trees; throws std::invalid_argument for any other.
[[nodiscard]] Trees lay_trees(Collective collective, std::string_view name, const Cluster* cluster,
                              const Placement& placement, Rank root, std::uint64_t message_bytes = usual_message_bytes);

}  // namespace trunkline
