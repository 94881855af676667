// SPDX-License-Identifier: Apache-2.0
#include "combining.hpp"

#include <array>
#include <cstdint>
#include <ctime>

#include "again.hpp"

namespace trunkline::measure {
namespace {

constexpr std::array<std::uint64_t, 3> operand_bytes{1024, 4096, 16384};
/// So much is added up in a sample: it lasts some hundred microseconds.
constexpr std::uint64_t sample_bytes = std::uint64_t{4} << 20;

double processor_time_s() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

}  // namespace

std::vector<CombinePoint> measure_combining(MPI_Comm ranks_of_host, const Limits& limits) {
  std::vector<CombinePoint> points;
  for (const std::uint64_t bytes : operand_bytes) {
    const std::vector<double> other(bytes / sizeof(double), 1.0);
    std::vector<double> own(other.size(), 0.0);
    Samples samples;
    const double since = MPI_Wtime();
    while (again(ranks_of_host, samples, limits, since)) {
      MPI_Barrier(ranks_of_host);
      const double start_s = processor_time_s();
      for (std::uint64_t done = 0; done < sample_bytes; done += bytes) {
        MPI_Reduce_local(other.data(), own.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_SUM);
      }
      const double one_s =
          (processor_time_s() - start_s) * static_cast<double>(bytes) / static_cast<double>(sample_bytes);
      double slowest_s = 0.0;
      MPI_Allreduce(&one_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, ranks_of_host);
      samples.add(slowest_s);
    }
    points.push_back({.bytes = bytes, .time_s = samples.median(), .spread = samples.spread()});
  }
  return points;
}

}  // namespace trunkline::measure
