// SPDX-License-Identifier: Apache-2.0
#include "intercept/traced.hpp"

#include <exception>
#include <mutex>
#include <string>

#include "datatype/predefined.hpp"
#include "decide/decision.hpp"
#include "intercept/state.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "trace/session.hpp"

namespace trunkline::runtime {
namespace {

void keep_plan_of(const Arguments& call, const LocalPlan& plan, const Members& members) {
  const Knowledge& knowledge = members.world().knowledge;
  const Processes& processes = members.processes();
  PlanFile file{.collective = call.collective,
                .algorithm = is_given(plan.key) ? "custom" : std::string(plan.key),
                .cluster = {},
                .cluster_fingerprint = {},
                .host_of_rank = {},
                .plan = *plan.whole,
                .segment_bytes = {},
                .provenance = "traced"};
  if (knowledge.cluster) {
    file.cluster = knowledge.cluster->name();
    file.cluster_fingerprint = knowledge.cluster->fingerprint();
    const auto hosts = knowledge.cluster->hosts();
    for (const HostIndex host : *processes.placement) {
      file.host_of_rank.push_back(knowledge.cluster->nodes()[hosts[host]].name);
    }
  }
  keep_plan(*recorder(), plan.identity, file, *processes.world_ranks);
}

}  // namespace

std::uint64_t known_bytes(const Arguments& call) {
  const auto element = call.type == MPI_DATATYPE_NULL ? std::nullopt : predefined_bytes(call.type);
  return element && call.count >= 0 ? static_cast<std::uint64_t>(call.count) * *element : unknown_bytes;
}

void begin_natively(TracedCall& traced, const Arguments& call, std::uint64_t bytes) {
  CallKind kind{.plan = 0,
                .bytes = bytes,
                .segment_bytes = 0,
                .communicator = call.communicator == MPI_COMM_WORLD ? 1U : 0U,
                .root = call.root,
                .collective = {},
                .algorithm = "native"};
  copy_text(kind.collective, facts_of(call.collective).name);
  static_cast<void>(traced.begin(kind, traced.on_world()));
}

void begin_natively(TracedCall& traced, const Arguments& call) { begin_natively(traced, call, known_bytes(call)); }

void begin_planned(TracedCall& traced, const Arguments& call, std::uint64_t bytes, const Prepared& prepared,
                   bool is_blocking) {
  const LocalPlan& plan = *prepared.decision->plan;
  CallKind kind{.plan = plan.identity,
                .bytes = bytes,
                .segment_bytes = prepared.decision->segment_bytes,
                .communicator = prepared.number->number() | (is_blocking ? 0 : does_not_block),
                .root = call.root,
                .collective = {},
                .algorithm = {}};
  copy_text(kind.collective, facts_of(call.collective).name);
  copy_text(kind.algorithm, plan.name);
  if (!traced.begin(kind, prepared.turn) || plan.whole == nullptr) return;
  try {
    keep_plan_of(call, plan, *prepared.members);
  } catch (const std::exception& wrong) {
    static std::once_flag said;
    std::call_once(said, [&] {
      with_reserve([&] { warn("a plan cannot be written beside the trace: " + std::string(wrong.what())); });
    });
  }
}

}  // namespace trunkline::runtime
