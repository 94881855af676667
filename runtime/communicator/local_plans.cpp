// SPDX-License-Identifier: Apache-2.0
#include "communicator/local_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "alike.hpp"
#include "execute/local_part.hpp"
#include "plan/checker.hpp"
#include "text/fnv.hpp"
#include "transport/mpi/tags.hpp"

namespace trunkline::runtime {

static_assert(TagLayout::trees >= most_streams, "tags tell the streams of a plan apart");

namespace {

/// Of a plan among all that the job lays: whose it is, of which collective, and from which root.
std::uint64_t identity_of(std::string_view key, Collective collective, Rank root, const Processes& processes,
                          const World& world) {
  std::string text(key);
  if (world.first != nullptr) text += " " + std::to_string(world.knowledge.cluster->fingerprint());
  text += " " + std::to_string(static_cast<int>(collective)) + " " + std::to_string(root);
  for (const int rank : processes.world_ranks) text += " " + std::to_string(rank);
  return hash(text);
}

std::string key_of(std::string_view algorithm, std::uint64_t laid_for_bytes) {
  return std::string(algorithm) + (laid_for_bytes != 0 ? " " + std::to_string(laid_for_bytes) : "");
}

}  // namespace

LocalPlans::LocalPlans(const World& world, const Processes& processes, Collective collective, Rank root)
    : world_(world),
      processes_(processes),
      collective_(collective),
      root_(root),
      decider_(world.knowledge, collective, *processes.placement, root) {}

std::shared_ptr<const LocalDecision> LocalPlans::decide(std::uint64_t bytes, OperandOrder order, const Wish& wish) {
  for (const Decided& one : decided_) {
    if (one.bytes == bytes && one.order == order && one.decision != nullptr && one.wish == wish) return one.decision;
  }
  Decided& place = decided_[next_decided_++ % decided_.size()];
  place.decision.reset();
  const Decision decided = decider_.decide(bytes, order, wish, world_.explain);
  LocalDecision decision = local(decided);
  if (decided.wants_datagrams) {
    const Decision without = decider_.decide(bytes, order, wish, world_.explain, Reach::messages);
    decision.saved_s = decider_.saved_s(bytes, decided, without);
    decision.opening_s = decider_.opening_s(decided);
    decision.without_datagrams = std::make_shared<const LocalDecision>(local(without));
  }
  place = {.bytes = bytes,
           .order = order,
           .wish = wish,
           .decision = std::make_shared<const LocalDecision>(std::move(decision))};
  return place.decision;
}

LocalDecision LocalPlans::local(const Decision& decided) {
  return {.plan = decided.is_native() ? nullptr : local_plan(decided.algorithm, decided.laid_for_bytes),
          .segment_bytes = decided.segment_bytes,
          .reason = decided.reason};
}

std::shared_ptr<const LocalPlan> LocalPlans::local_plan(std::string_view algorithm, std::uint64_t laid_for_bytes) {
  const auto known = std::ranges::find_if(
      plans_, [&](const auto& plan) { return plan->key == algorithm && plan->laid_for_bytes == laid_for_bytes; });
  if (known != plans_.end()) return *known;
  const std::string key = key_of(algorithm, laid_for_bytes);
  const auto identity = [&] { return identity_of(key, collective_, root_, processes_, world_); };
  const auto laid = made_alike<Plan>([&] { return "plan " + std::to_string(identity()); },
                                     [&] { return decider_.plan(algorithm, laid_for_bytes); });
  const Plan& plan = *laid;
  const auto flight = made_alike<InFlight>([&] { return "in flight " + std::to_string(identity()); },
                                           [&] { return in_flight_of(plan); });
  const World& first = world_.first != nullptr ? *world_.first : world_;  // lives as long as the process
  const GivenPlan* const given = is_given(algorithm) ? first.knowledge.given(algorithm) : nullptr;
  LocalPlan made{.key = algorithm,
                 .laid_for_bytes = laid_for_bytes,
                 .key_hash = hash(key),
                 .name = given != nullptr ? given->file->algorithm.c_str() : algorithm.data(),
                 .part = local_part(plan, processes_.rank, processes_.world_ranks),
                 .in_flight = *flight,
                 .load = load_of(plan)};
  made.far = far_of(plan);
  made.in_flight.far = made.far;
  if (world_.trace) made.identity = identity();
  if (world_.trace && processes_.rank == plan.root()) made.whole = laid;
  return plans_.emplace_back(std::make_shared<const LocalPlan>(std::move(made)));
}

InFlight LocalPlans::in_flight_of(const Plan& plan) const {
  const Knowledge& knowledge = world_.knowledge;
  if (!knowledge.cluster) return {};
  return in_flight(Paths(knowledge.network()), *processes_.placement, plan, collective_, knowledge.message_costs());
}

std::vector<int> LocalPlans::far_of(const Plan& plan) const {
  const Knowledge& knowledge = world_.knowledge;
  if (!knowledge.cluster || !knowledge.cluster->has_sites()) return {};
  std::vector<int> far;
  for (const Rank peer : far_peers(Paths(knowledge.network()), *processes_.placement, plan.steps(), processes_.rank)) {
    far.push_back(processes_.world_ranks[peer]);
  }
  std::ranges::sort(far);
  return far;
}

std::string LocalPlans::load_of(const Plan& plan) const {
  const auto& cluster = world_.knowledge.cluster;
  if (!world_.explain || !cluster) return "";
  const Contention found = contention_of(*cluster, *processes_.placement, plan);
  if (found.contention_free) {
    if (found.most_senders <= 1) return "contention-free";
    return "contention-free: up to " + std::to_string(found.most_senders) + " senders on channels with room for them";
  }
  const ChannelLoad& busiest = found.busiest.front();
  return "contention: " + std::to_string(busiest.senders) + " senders share " + cluster->channel_name(busiest.channel) +
         (busiest.capacity > 1 ? ", which has room for " + std::to_string(busiest.capacity) : "");
}

}  // namespace trunkline::runtime
