// SPDX-License-Identifier: Apache-2.0
// What a trace is told of a call before it runs.
#pragma once

#include <cstdint>

#include "intercept/call.hpp"
#include "intercept/prepare.hpp"
#include "trace/recorder.hpp"

namespace trunkline::runtime {

/// Of the call's signature, where no look at the datatype is needed; else unknown_bytes.
[[nodiscard]] std::uint64_t known_bytes(const Arguments& call);

/// MPI itself runs it. `bytes`: of its signature, as far as they are known.
void begin_natively(TracedCall& traced, const Arguments& call, std::uint64_t bytes);

/// The same where nothing was asked of MPI: bytes are known of predefined datatypes alone.
void begin_natively(TracedCall& traced, const Arguments& call);

/// A plan runs it, which is kept beside the trace when it is run first.
void begin_planned(TracedCall& traced, const Arguments& call, std::uint64_t bytes, const Prepared& prepared,
                   bool is_blocking);

}  // namespace trunkline::runtime
