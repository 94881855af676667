// SPDX-License-Identifier: Apache-2.0
// Whatever is in a measurement file: it is read, written and read back, or it is refused.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "model/measured/measurement.hpp"
#include "network/cluster.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const Measurement measurement = parse_measurement({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const MeasuredDistance& one : measurement.distances) {
      for (const MeasuredPoint& point : one.points) {
        if (std::isnan(point.gap_s) || point.gap_s < 0.0 || point.latency_s() < 0.0) std::abort();
      }
    }
    static_cast<void>(parse_measurement(write_measurement(measurement), "again"));
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") {
      std::abort();  // refused without a reason, or what we wrote ourselves cannot be read
    }
  }
  return 0;
}
