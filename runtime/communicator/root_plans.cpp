// SPDX-License-Identifier: Apache-2.0
#include "communicator/root_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "algorithms/blocks.hpp"
#include "algorithms/registry.hpp"
#include "mpi_api.hpp"
#include "plan/checker.hpp"
#include "text/quantity.hpp"

namespace trunkline::runtime {
namespace {

/// For a forced algorithm without a cluster: below every transport's eager limit, and most of its peak bandwidth.
constexpr std::uint64_t segment_without_cluster = 8192;

/// Of the trees that TRUNKLINE_PLAN gave; no algorithm is called so.
constexpr std::string_view plan_key = "TRUNKLINE_PLAN";

}  // namespace

RootPlans::RootPlans(const World& world, const Processes& processes, Rank root)
    : world_(world), processes_(processes), root_(root) {}

std::shared_ptr<const Decision> RootPlans::decide(std::uint64_t bytes, const BcastChoice& choice) {
  for (const Decided& one : decided_) {
    if (one.bytes == bytes && one.decision != nullptr && one.choice == choice) return one.decision;
  }
  Decided& place = decided_[next_decided_++ % decided_.size()];
  place.decision.reset();
  auto decision = std::make_shared<const Decision>(choice.kind == BcastChoice::Kind::forced ? forced(bytes, choice)
                                                   : plan_fits()                            ? planned(bytes)
                                                                                            : automatic(bytes));
  place = {.bytes = bytes, .choice = choice, .decision = std::move(decision)};
  return place.decision;
}

Decision RootPlans::forced(std::uint64_t bytes, const BcastChoice& choice) {
  auto laid = lay(choice.algorithm);
  const std::uint64_t segment = choice.segment_bytes != 0 ? choice.segment_bytes : segment_for(*laid, bytes);
  return {.laid = std::move(laid),
          .segment_bytes = segment,
          .reason = "chosen by the user (TRUNKLINE_BCAST or trunkline_set_bcast)"};
}

Decision RootPlans::planned(std::uint64_t bytes) {
  auto laid = known(plan_key);
  if (laid == nullptr) laid = lay_trees(plan_key, world_.plan->shape.c_str(), world_.plan->trees);
  const std::uint64_t segment = world_.plan->segment_bytes ? *world_.plan->segment_bytes : segment_for(*laid, bytes);
  return {.laid = std::move(laid),
          .segment_bytes = segment,
          .reason = "TRUNKLINE_PLAN fits this communicator and root (shape " + world_.plan->shape + ")"};
}

Decision RootPlans::automatic(std::uint64_t bytes) {
  const std::string no_plan = world_.plan ? "TRUNKLINE_PLAN is for other ranks, hosts or another root; " : "";
  if (const TuningEntry* const entry = tuning_entry()) return tuned(*entry, bytes);
  const BcastFacts* const known_facts = facts();
  if (known_facts == nullptr) return {.reason = no_plan + "no cluster is set (TRUNKLINE_CLUSTER)"};
  const QuickChoice choice = quick_choice(*known_facts, bytes);
  return {.laid = choice.algorithm == "native" ? nullptr : lay(choice.algorithm),
          .segment_bytes = choice.segment_bytes,
          .reason = world_.explain ? no_plan + choose_bcast(*known_facts, bytes).reason : ""};
}

Decision RootPlans::tuned(const TuningEntry& entry, std::uint64_t bytes) {
  const TuningRule& rule = entry.rule_for(bytes);
  return {.laid = rule.algorithm == "native" ? nullptr : lay(rule.algorithm),
          .segment_bytes = rule.segment_bytes,
          .reason = "measured fastest from " + (rule.from_bytes == 0 ? "0B" : format_bytes(rule.from_bytes)) +
                    " on (TRUNKLINE_TUNING)"};
}

const TuningEntry* RootPlans::tuning_entry() {
  if (!tuning_entry_) {
    const auto& tuning = world_.tuning;
    tuning_entry_ =
        tuning ? tuning->find("bcast", world_.cluster->fingerprint(), mpi_name, mpi_version, *processes_.placement)
               : nullptr;
  }
  return *tuning_entry_;
}

bool RootPlans::plan_fits() const {
  if (!world_.plan) return false;
  const Tree& tree = world_.plan->trees.front();  // the others have the same root and ranks
  if (tree.root != root_ || tree.size() != processes_.placement->size()) return false;
  return world_.plan_placement.empty() || world_.plan_placement == *processes_.placement;
}

std::shared_ptr<const Laid> RootPlans::known(std::string_view key) const {
  const auto found = std::ranges::find(laid_, key, [](const auto& laid) { return laid->key; });
  return found != laid_.end() ? *found : nullptr;
}

std::shared_ptr<const Laid> RootPlans::lay(std::string_view algorithm) {
  if (auto laid = known(algorithm)) return laid;
  const Algorithm found = *find_algorithm("bcast", algorithm);
  if (found.by_blocks()) return lay_blocks(found);
  return lay_trees(found.name, found.name.data(),
                   lay_all("bcast", found.name, cluster(), *processes_.placement, root_));
}

std::shared_ptr<const Laid> RootPlans::lay_trees(std::string_view key, const char* name, std::span<const Tree> trees) {
  std::vector<LocalTree> own;
  for (const Tree& tree : trees) own.push_back(local_tree(tree, processes_.rank, processes_.world_ranks));
  Laid laid{.key = key, .name = name, .local = std::move(own), .costs = {}, .load = {}};
  if (world_.cluster) laid.costs = tree_costs(*world_.cluster, *processes_.placement, trees);
  if (world_.explain && world_.cluster) {
    const Contention found = contention_of(*world_.cluster, *processes_.placement, trees);
    laid.load = found.contention_free ? "contention-free" : "";
    if (!found.contention_free) {
      laid.load = "contention: " + std::to_string(found.max_channel_load) + " senders share " +
                  world_.cluster->channel_name(found.busiest.front().channel);
    }
  }
  return laid_.emplace_back(std::make_shared<const Laid>(std::move(laid)));
}

std::shared_ptr<const Laid> RootPlans::lay_blocks(const Algorithm& algorithm) {
  const std::vector<Rank> order = rank_order(algorithm, cluster(), *processes_.placement, root_);
  const auto position = std::ranges::find(order, processes_.rank) - order.begin();
  LocalBlocks own{.order = {},
                  .schedule = block_schedule(algorithm, static_cast<Rank>(order.size()), static_cast<Rank>(position))};
  for (const Rank rank : order) own.order.push_back(processes_.world_ranks[rank]);
  Laid laid{.key = algorithm.name, .name = algorithm.name.data(), .local = std::move(own), .costs = {}, .load = {}};
  if (world_.cluster) laid.costs = block_costs(algorithm, *world_.cluster, *processes_.placement, root_);
  return laid_.emplace_back(std::make_shared<const Laid>(std::move(laid)));
}

const Cluster* RootPlans::cluster() const { return world_.cluster ? &*world_.cluster : nullptr; }

const BcastFacts* RootPlans::facts() {
  if (!facts_ && world_.cluster) facts_ = bcast_facts(*world_.cluster, *processes_.placement, root_, native_library);
  return facts_ ? &*facts_ : nullptr;
}

std::uint64_t RootPlans::segment_for(const Laid& laid, std::uint64_t bytes) {
  if (!laid.costs) return segment_without_cluster;
  return std::visit([&](const auto& costs) { return best_segment(costs, bytes); }, *laid.costs);
}

}  // namespace trunkline::runtime
