// SPDX-License-Identifier: Apache-2.0
#include "communicator/root_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cluster/quantity.hpp"
#include "mpi_api.hpp"
#include "plan/checker.hpp"
#include "plan/registry.hpp"

namespace trunkline::runtime {
namespace {

/// For a forced algorithm without a cluster: below every transport's eager limit, and most of its peak bandwidth.
constexpr std::uint64_t segment_without_cluster = 8192;

/// Of the trees that TRUNKLINE_PLAN gave; no algorithm is called so.
constexpr std::string_view plan_key = "TRUNKLINE_PLAN";

}  // namespace

RootPlans::RootPlans(const World& world, std::shared_ptr<const Placement> placement, Rank rank, Rank root)
    : world_(world), placement_(std::move(placement)), rank_(rank), root_(root) {}

const Decision& RootPlans::decide(std::uint64_t bytes, const BcastChoice& choice) {
  if (decided_bytes_ == bytes && decided_choice_ == choice) return decision_;
  decided_bytes_.reset();
  decision_ = choice.kind == BcastChoice::Kind::forced ? forced(bytes, choice)
              : plan_fits()                            ? planned(bytes)
                                                       : automatic(bytes);
  decided_bytes_ = bytes;
  decided_choice_ = choice;
  return decision_;
}

Decision RootPlans::forced(std::uint64_t bytes, const BcastChoice& choice) {
  const LaidTrees& trees = laid(choice.algorithm);
  return {.trees = &trees,
          .segment_bytes = choice.segment_bytes != 0 ? choice.segment_bytes : segment_for(trees, bytes),
          .reason = "chosen by the user (TRUNKLINE_BCAST or trunkline_set_bcast)"};
}

Decision RootPlans::planned(std::uint64_t bytes) {
  const auto known = std::ranges::find(trees_, plan_key, &LaidTrees::key);
  const LaidTrees& trees =
      known != trees_.end() ? *known : keep(plan_key, world_.plan->shape.c_str(), world_.plan->trees);
  return {.trees = &trees,
          .segment_bytes = world_.plan->segment_bytes ? *world_.plan->segment_bytes : segment_for(trees, bytes),
          .reason = "TRUNKLINE_PLAN fits this communicator and root (shape " + world_.plan->shape + ")"};
}

Decision RootPlans::automatic(std::uint64_t bytes) {
  const std::string no_plan = world_.plan ? "TRUNKLINE_PLAN is for other ranks, hosts or another root; " : "";
  if (const TuningEntry* const entry = tuning_entry()) return tuned(*entry, bytes);
  const BcastFacts* const known = facts();
  if (known == nullptr) return {.reason = no_plan + "no cluster is set (TRUNKLINE_CLUSTER)"};
  const Choice choice = choose_bcast(*known, bytes, native_library);
  return {.trees = choice.algorithm == "native" ? nullptr : &laid(choice.algorithm),
          .segment_bytes = choice.segment_bytes,
          .reason = no_plan + choice.reason};
}

Decision RootPlans::tuned(const TuningEntry& entry, std::uint64_t bytes) {
  const TuningRule& rule = entry.rule_for(bytes);
  return {.trees = rule.algorithm == "native" ? nullptr : &laid(rule.algorithm),
          .segment_bytes = rule.segment_bytes,
          .reason = "measured fastest from " + (rule.from_bytes == 0 ? "0B" : format_bytes(rule.from_bytes)) +
                    " on (TRUNKLINE_TUNING)"};
}

const TuningEntry* RootPlans::tuning_entry() {
  if (!tuning_entry_) {
    const auto& tuning = world_.tuning;
    tuning_entry_ =
        tuning ? tuning->find("bcast", world_.cluster->fingerprint(), mpi_name, mpi_version, *placement_) : nullptr;
  }
  return *tuning_entry_;
}

bool RootPlans::plan_fits() const {
  if (!world_.plan) return false;
  const Tree& tree = world_.plan->trees.front();  // the others have the same root and ranks
  if (tree.root != root_ || tree.size() != placement_->size()) return false;
  return world_.plan_placement.empty() || world_.plan_placement == *placement_;
}

const LaidTrees& RootPlans::laid(std::string_view algorithm) {
  const auto known = std::ranges::find(trees_, algorithm, &LaidTrees::key);
  if (known != trees_.end()) return *known;
  const std::string_view name = find_algorithm("bcast", algorithm)->name;  // a literal: it ends in a null
  return keep(name, name.data(),
              lay_all("bcast", algorithm, world_.cluster ? &*world_.cluster : nullptr, *placement_, root_));
}

const LaidTrees& RootPlans::keep(std::string_view key, const char* name, std::span<const Tree> trees) {
  LaidTrees& laid = trees_.emplace_back(LaidTrees{.key = key, .name = name, .local = {}, .costs = {}, .load = {}});
  for (const Tree& tree : trees) {
    LocalTree& local = laid.local.emplace_back();
    local.parent = tree.parent[rank_] == no_rank ? no_parent : static_cast<int>(tree.parent[rank_]);
    local.children.assign(tree.children[rank_].begin(), tree.children[rank_].end());
  }
  if (world_.cluster) laid.costs = tree_costs(*world_.cluster, *placement_, trees);
  if (world_.explain && world_.cluster) {
    const Contention found = contention_of(*world_.cluster, *placement_, trees);
    laid.load = found.contention_free ? "contention-free" : "";
    if (!found.contention_free) {
      laid.load = "contention: " + std::to_string(found.max_channel_load) + " senders share " +
                  world_.cluster->channel_name(found.busiest.front().channel);
    }
  }
  return laid;
}

const BcastFacts* RootPlans::facts() {
  if (!facts_ && world_.cluster) facts_ = bcast_facts(*world_.cluster, *placement_, root_);
  return facts_ ? &*facts_ : nullptr;
}

std::uint64_t RootPlans::segment_for(const LaidTrees& trees, std::uint64_t bytes) {
  return trees.costs ? best_segment(*trees.costs, bytes) : segment_without_cluster;
}

}  // namespace trunkline::runtime
