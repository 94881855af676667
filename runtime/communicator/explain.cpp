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

std::string description(Collective collective, int ranks, int root, std::uint64_t bytes,
                        const LocalDecision& decision) {
  const CollectiveFacts& facts = facts_of(collective);
  std::string text = std::string(facts.mpi_name) + (!facts.has_data ? "" : " of " + format_bytes(bytes)) +
                     (facts.has_root ? (facts.reduces ? " to rank " : " from rank ") + std::to_string(root) : "") +
                     " on " + std::to_string(ranks) + " ranks ran ";
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

}  // namespace

void explain(Collective collective, int ranks, int root, std::uint64_t bytes, const LocalDecision& decision,
             const char* multicast, double measured_s) {
  std::string text = description(collective, ranks, root, bytes, decision);
  if (multicast != nullptr) text += std::string("; multicast: ") + multicast;
  if (!is_new(text)) return;
  text += "; took " + milliseconds(measured_s) + " on rank 0";
  // Below the first plan that ran: where none does, the lines themselves say that all is native.
  if (decision.plan != nullptr && is_new("planned")) text += "\n  (told once) " + planned_words();
  say(text);
}

}  // namespace trunkline::runtime
