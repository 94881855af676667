// SPDX-License-Identifier: Apache-2.0
// The algorithms laid from one root of one communicator, and what was decided for the last message size.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "communicator/bcast_choice.hpp"
#include "communicator/decision.hpp"
#include "communicator/world.hpp"
#include "model/choice.hpp"

namespace trunkline::runtime {

class RootPlans {
 public:
  /// `world` must outlive the object.
  RootPlans(const World& world, std::shared_ptr<const Placement> placement, Rank rank, Rank root);

  [[nodiscard]] Rank root() const noexcept { return root_; }

  /// The same on all ranks: follows from the world, the communicator, the root and the arguments. Valid until the
  /// next call.
  [[nodiscard]] const Decision& decide(std::uint64_t bytes, const BcastChoice& choice);

 private:
  Decision forced(std::uint64_t bytes, const BcastChoice& choice);
  Decision planned(std::uint64_t bytes);
  Decision automatic(std::uint64_t bytes);
  Decision tuned(const TuningEntry& entry, std::uint64_t bytes);
  [[nodiscard]] bool plan_fits() const;
  const Laid& lay(std::string_view algorithm);
  const Laid& lay_trees(std::string_view key, const char* name, std::span<const Tree> trees);
  const Laid& lay_blocks(const Algorithm& algorithm);
  [[nodiscard]] const Cluster* cluster() const;
  const TuningEntry* tuning_entry();
  const BcastFacts* facts();
  [[nodiscard]] static std::uint64_t segment_for(const Laid& laid, std::uint64_t bytes);

  const World& world_;
  std::shared_ptr<const Placement> placement_;
  Rank rank_;
  Rank root_;
  std::list<Laid> laid_;
  std::optional<BcastFacts> facts_;
  std::optional<const TuningEntry*> tuning_entry_;  ///< once it has been looked for
  std::optional<std::uint64_t> decided_bytes_;
  BcastChoice decided_choice_;
  Decision decision_;
};

}  // namespace trunkline::runtime
