// SPDX-License-Identifier: Apache-2.0
// The algorithms laid from one root of one communicator, and what was decided for the last message sizes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "communicator/decision.hpp"
#include "decide/choice.hpp"
#include "startup/bcast_choice.hpp"
#include "startup/world.hpp"

namespace trunkline::runtime {

/// The processes of a communicator in the order of their ranks.
struct Processes {
  std::vector<int> world_ranks;                ///< in MPI_COMM_WORLD, and so on the conduit
  std::shared_ptr<const Placement> placement;  ///< host of each
  Rank rank = 0;                               ///< this process's
};

class RootPlans {
 public:
  /// `world` and `processes` must outlive the object.
  RootPlans(const World& world, const Processes& processes, Rank root);

  [[nodiscard]] Rank root() const noexcept { return root_; }

  /// The same on all ranks: follows from the world, the processes, the root and the arguments.
  [[nodiscard]] std::shared_ptr<const Decision> decide(std::uint64_t bytes, const BcastChoice& choice);

 private:
  struct Decided {
    std::uint64_t bytes = 0;
    BcastChoice choice{};
    std::shared_ptr<const Decision> decision{};  ///< null: free
  };

  Decision forced(std::uint64_t bytes, const BcastChoice& choice);
  Decision planned(std::uint64_t bytes);
  Decision automatic(std::uint64_t bytes);
  Decision tuned(const TuningEntry& entry, std::uint64_t bytes);
  [[nodiscard]] bool plan_fits() const;
  std::shared_ptr<const Laid> lay(std::string_view algorithm);
  std::shared_ptr<const Laid> lay_trees(std::string_view key, const char* name, std::span<const Tree> trees);
  std::shared_ptr<const Laid> lay_blocks(const Algorithm& algorithm);
  [[nodiscard]] std::shared_ptr<const Laid> known(std::string_view key) const;
  [[nodiscard]] const Cluster* cluster() const;
  const TuningEntry* tuning_entry();
  const BcastFacts* facts();
  [[nodiscard]] static std::uint64_t segment_for(const Laid& laid, std::uint64_t bytes);

  const World& world_;
  const Processes& processes_;
  Rank root_;
  std::vector<std::shared_ptr<const Laid>> laid_;
  std::optional<BcastFacts> facts_;
  std::optional<const TuningEntry*> tuning_entry_;  ///< once it has been looked for
  std::array<Decided, 8> decided_;                  ///< programs come back to few sizes
  std::size_t next_decided_ = 0;
};

}  // namespace trunkline::runtime
