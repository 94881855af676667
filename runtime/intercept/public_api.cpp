// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "intercept/bcast.hpp"
#include "intercept/export.hpp"
#include "intercept/state.hpp"
#include "trunkline.h"

using namespace trunkline::runtime;

TRUNKLINE_EXPORT const char* trunkline_version(void) { return TRUNKLINE_VERSION " for " TRUNKLINE_MPI_TITLE; }

TRUNKLINE_EXPORT int trunkline_set_bcast(const char* choice) {
  try {
    const BcastChoice wanted = parse_bcast_choice(choice != nullptr ? choice : "auto");
    const bool no_cluster = world() == nullptr || !world()->cluster;
    if (wanted.needs_cluster && no_cluster) return -1;
    choose_bcast_by_call(wanted);
    return 0;
  } catch (const std::exception&) {
    return -1;  // the caller is told; what is wrong with the text is in the header's contract
  }
}

TRUNKLINE_EXPORT const char* trunkline_last_bcast(void) { return last_bcast().algorithm; }

TRUNKLINE_EXPORT unsigned long long trunkline_last_bcast_segment(void) { return last_bcast().segment_bytes; }
