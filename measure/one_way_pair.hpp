// SPDX-License-Identifier: Apache-2.0
// Ping-pongs that carry the time of day.
#pragma once

#include <mpi.h>

#include "one_way_times.hpp"
#include "samples.hpp"

namespace trunkline::measure {

/// Both ranks of a communicator of two call it; rank 0 gets the times, rank 0 being the first host. Repeated until the
/// waiting in them is as well known as `limits` want it, as a part of a round trip.
[[nodiscard]] OneWayTimes measure_one_way(MPI_Comm two, const Limits& limits);

}  // namespace trunkline::measure
