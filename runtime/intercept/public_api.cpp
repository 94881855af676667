// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "intercept/call.hpp"
#include "intercept/export.hpp"
#include "intercept/state.hpp"
#include "trunkline.h"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT const char* trunkline_version(void) { return TRUNKLINE_VERSION " for " TRUNKLINE_MPI_TITLE; }

TRUNKLINE_EXPORT int trunkline_set(const char* collective, const char* choice) {
  try {
    const Collective which = collective_named(collective != nullptr ? collective : "");
    const Wish wish = parse_wish(which, choice != nullptr ? choice : "auto");
    const bool no_cluster = world() == nullptr || !world()->knowledge.cluster;
    if (wish.needs_cluster && no_cluster) return -1;
    if (!wish.has_one_order && world() != nullptr && world()->knowledge.reproducible) return -1;
    wish_by_call(which, wish);
    return 0;
  } catch (const std::exception&) {
    return -1;  // the caller is told; what is wrong with the text is in the header's contract
  }
}

TRUNKLINE_EXPORT int trunkline_trace(int on) {
  if (world() == nullptr || recorder() == nullptr) return -1;
  return recorder()->turn(on != 0) ? 1 : 0;
}

TRUNKLINE_EXPORT const char* trunkline_last(const char* collective) {
  const auto which = find_collective(collective != nullptr ? collective : "");
  return which ? last_run(*which).algorithm : nullptr;
}

TRUNKLINE_EXPORT unsigned long long trunkline_last_segment(const char* collective) {
  const auto which = find_collective(collective != nullptr ? collective : "");
  return which ? last_run(*which).segment_bytes : 0;
}

TRUNKLINE_EXPORT int trunkline_last_multicast(const char* collective, trunkline_multicast* state) {
  const auto which = find_collective(collective != nullptr ? collective : "");
  if (!which) return -1;
  const LastRun& last = last_run(*which);
  const auto& [calls, repaired, strange, early] = last.heard;
  *state = {.words = last.multicast, .calls = calls, .repaired = repaired, .strange = strange, .early = early};
  return 0;
}
