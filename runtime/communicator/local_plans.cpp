// SPDX-License-Identifier: Apache-2.0
#include "communicator/local_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "execute/local_part.hpp"
#include "plan/checker.hpp"
#include "shared_in_simulation.hpp"
#include "text/fnv.hpp"
#include "transport/mpi/tags.hpp"
#include "transport/shelf.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {

static_assert(TagLayout::trees >= most_streams, "tags tell the streams of a plan apart");

namespace {

std::string key_of(std::string_view algorithm, std::uint64_t laid_for_bytes) {
  return std::string(algorithm) + (laid_for_bytes != 0 ? " " + std::to_string(laid_for_bytes) : "");
}

std::string wish_text(const Wish& wish) {
  return std::to_string(static_cast<int>(wish.kind)) + " " + std::string(wish.algorithm) + " " +
         std::to_string(wish.segment_bytes);
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
  const auto name = [&] {
    return "decision " + std::to_string(identity(wish_text(wish))) + " " + std::to_string(bytes) + " " +
           std::to_string(static_cast<int>(order));
  };
  const auto common = shared_in_simulation<Common>(name, [&] { return decide_for_all(bytes, order, wish); });
  LocalDecision decision = local(common->decision, bytes, order);
  LocalDecision* by_messages = &decision;
  if (common->without_datagrams) {
    decision.saved_s = common->saved_s;
    decision.opening_s = common->opening_s;
    const auto without = std::make_shared<LocalDecision>(local(*common->without_datagrams, bytes, order));
    by_messages = without.get();
    decision.without_datagrams = without;
  }
  by_messages->saved_natively_s = common->saved_natively_s;
  by_messages->numbering_s = common->numbering_s;
  place = {.bytes = bytes,
           .order = order,
           .wish = wish,
           .decision = std::make_shared<const LocalDecision>(std::move(decision))};
  return place.decision;
}

std::uint64_t LocalPlans::identity(std::string_view key) const {
  std::string text(key);
  if (world_.first != nullptr) text += " " + std::to_string(world_.knowledge.cluster->fingerprint());
  text += " " + std::to_string(static_cast<int>(collective_)) + " " + std::to_string(root_);
  return hash(text + " " + std::to_string(processes_.digest));
}

LocalPlans::Common LocalPlans::decide_for_all(std::uint64_t bytes, OperandOrder order, const Wish& wish) {
  Common common{.decision = decider_.decide(bytes, order, wish, world_.explain), .without_datagrams = {}};
  if (common.decision.wants_datagrams) {
    common.without_datagrams = decider_.decide(bytes, order, wish, world_.explain, Reach::messages);
    common.saved_s = decider_.saved_s(bytes, common.decision, *common.without_datagrams);
    common.opening_s = decider_.opening_s(common.decision);
  }
  const Decision& by_messages = common.without_datagrams ? *common.without_datagrams : common.decision;
  if (by_messages.may_wait) {
    common.saved_natively_s = decider_.saved_s(bytes, by_messages, {});
    common.numbering_s = decider_.numbering_s();
  }
  return common;
}

LocalDecision LocalPlans::local(const Decision& decided, std::uint64_t bytes, OperandOrder order) {
  LocalDecision made{.plan = decided.is_native() ? nullptr : local_plan(decided.algorithm, decided.laid_for_bytes),
                     .segment_bytes = decided.segment_bytes,
                     .bytes = bytes,
                     .reason = decided.reason,
                     .chosen_by = decided.chosen_by,
                     .predicted_s = decided.predicted_s};
  if (!world_.by_arrival || collective_ != Collective::allreduce || made.plan == nullptr) return made;
  const char* const why_not = why_not_by_arrival(made, bytes, order);
  made.by_arrival = why_not == nullptr;
  if (world_.explain) {
    made.reason += made.by_arrival ? "; ranks of a host combine as they come (TRUNKLINE_WITHIN_HOSTS)"
                                   : std::string("; ranks of a host combine as the plan says: ") + why_not;
  }
  return made;
}

const char* LocalPlans::why_not_by_arrival(const LocalDecision& decision, std::uint64_t bytes,
                                           OperandOrder order) const {
  if (order != OperandOrder::any) return "the operation does not commute";
  if (const char* const why_not = decision.plan->part->why_not_by_arrival()) return why_not;
  if (bytes > decision.segment_bytes) return "the message is longer than a segment";
  if (bytes > longest_partial) return "the message is longer than 16 KiB";
  return simulated || world_.knowledge.host_memory ? nullptr : "they share no memory";
}

std::shared_ptr<const LocalPlan> LocalPlans::local_plan(std::string_view algorithm, std::uint64_t laid_for_bytes) {
  const auto known = std::ranges::find_if(
      plans_, [&](const auto& plan) { return plan->key == algorithm && plan->laid_for_bytes == laid_for_bytes; });
  if (known != plans_.end()) return *known;
  const std::string key = key_of(algorithm, laid_for_bytes);
  const auto laid = shared_in_simulation<Plan>([&] { return "plan " + std::to_string(identity(key)); },
                                               [&] { return decider_.plan(algorithm, laid_for_bytes); });
  const Plan& plan = *laid;
  const auto flight = shared_in_simulation<InFlight>([&] { return "in flight " + std::to_string(identity(key)); },
                                                     [&] { return in_flight_of(plan); });
  const World& first = world_.first != nullptr ? *world_.first : world_;  // lives as long as the process
  const GivenPlan* const given = is_given(algorithm) ? first.knowledge.given(algorithm) : nullptr;
  LocalPlan made{.key = algorithm,
                 .laid_for_bytes = laid_for_bytes,
                 .key_hash = hash(key),
                 .name = given != nullptr ? given->file->algorithm.c_str() : algorithm.data(),
                 .part = local_part(plan, processes_.rank, *processes_.world_ranks, *processes_.placement),
                 .in_flight = *flight,
                 .load = load_of(plan)};
  made.far = far_of(plan);
  made.in_flight.far = made.far;
  if (world_.trace) made.identity = identity(key);
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
    far.push_back((*processes_.world_ranks)[peer]);
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
