// SPDX-License-Identifier: Apache-2.0
#include "communicator/explain.hpp"

#include <array>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "collective/planned.hpp"
#include "report.hpp"
#include "text/quantity.hpp"

namespace trunkline::runtime {
namespace {

std::string milliseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g ms", seconds * 1e3);
  return text.data();
}

std::string description(const ExplainedCall& call, const LocalDecision& decision) {
  const CollectiveFacts& facts = facts_of(call.collective);
  std::string text =
      (call.is_blocking ? std::string(facts.mpi_name) : facts.nonblocking_name()) +
      (call.bytes ? " of " + format_bytes(*call.bytes) : "") +
      (facts.has_root ? (facts.after == Holding::all_at_root ? " to rank " : " from rank ") + std::to_string(call.root)
                      : "") +
      " on " + std::to_string(call.ranks) + " ranks ran ";
  if (decision.plan == nullptr) {
    text += "native";
  } else {
    text += std::string(decision.plan->name) + " with segments of " + format_bytes(decision.segment_bytes);
    if (!decision.plan->load.empty()) text += " (" + decision.plan->load + ")";
  }
  return text + ": " + decision.reason;
}

/// Whether nobody has said it yet.
bool is_new(const std::string& text) {
  static std::mutex mutex;
  static auto* const said = new std::set<std::string>;  // never destroyed: see MPI_Finalize in static destructors
  const std::scoped_lock lock(mutex);
  return said->insert(text).second;
}

/// docs/settings.md says what each of them is.
void explain_in_json(const ExplainedCall& call, const LocalDecision& decision) {
  const CollectiveFacts& facts = facts_of(call.collective);
  JsonFields fields;
  fields.add("collective", facts.name).add("communicator_size", call.ranks);
  if (facts.has_root) fields.add("root", call.root);
  if (call.bytes) fields.add("bytes", *call.bytes);
  if (decision.plan == nullptr) {
    fields.add("algorithm", "native");
  } else {
    fields.add("algorithm", decision.plan->name).add("segment_bytes", decision.segment_bytes);
    fields.add("communicator_id", call.communicator_id);
    if (!decision.plan->load.empty()) fields.add("channels", decision.plan->load);
  }
  fields.add("chosen_by", name_of(decision.chosen_by)).add("reason", decision.reason);
  if (call.multicast != nullptr) fields.add("multicast", call.multicast);
  if (decision.predicted_s) fields.add("predicted_s", *decision.predicted_s);
  if (!call.is_blocking) fields.add("blocking", "no");
  if (call.measured_s) fields.add("measured_s", *call.measured_s);
  say_json("call", fields);
}

}  // namespace

void explain(const ExplainedCall& call, const LocalDecision& decision) {
  if (speaks_json()) return explain_in_json(call, decision);
  std::string text = description(call, decision);
  if (call.multicast != nullptr) text += std::string("; multicast: ") + call.multicast;
  if (!is_new(text)) return;
  if (call.measured_s) text += "; took " + milliseconds(*call.measured_s) + " on rank 0";
  // Below the first plan that ran: where none does, the lines themselves say that all is native.
  if (decision.plan != nullptr && is_new("planned")) text += "\n  (told once) " + planned_words();
  say("call", text);
}

}  // namespace trunkline::runtime
