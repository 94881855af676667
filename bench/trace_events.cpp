// SPDX-License-Identifier: Apache-2.0
// What an event costs the rank that puts it into its trace, nanoseconds: trunkline-trace-events FOLDER. The median and
// the slowest of several series, through the sink as executors do, into a ring that overflows; of that what the clock
// alone costs; and what a whole call costs more where it is not traced: in a job without a trace, and in one whose
// trace the program has turned off.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "trace/recorder.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

constexpr int series = 21;
constexpr std::uint64_t events = 1'000'000;
constexpr std::uint64_t file_bytes = std::uint64_t{32} << 20;

template <typename Each>
void measure(const char* what, const Each& each) {
  std::array<double, series> ns{};
  for (double& one : ns) {
    const std::uint64_t start = monotonic_ns();
    for (std::uint64_t i = 0; i < events; ++i) each(i);
    one = static_cast<double>(monotonic_ns() - start) / static_cast<double>(events);
  }
  std::ranges::sort(ns);
  std::printf("%s: median %.1f ns, slowest of %d series %.1f ns\n", what, ns[series / 2], series, ns[series - 1]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: trunkline-trace-events FOLDER\n");
    return 2;
  }
  const std::string path = std::string(argv[1]) + "/events-" + std::to_string(getpid()) + ".trace";
  TraceHeader header{};
  header.start_ns = monotonic_ns();
  std::string problem;
  Recorder recorder(Ring::make(path, header, file_bytes, problem), argv[1]);
  if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str());
  if (recorder.ring() == nullptr) return 1;
  TracedCall call(&recorder, Collective::bcast, true);
  static_cast<void>(call.begin({}, 0));
  EventSink& sink = call;
  measure("an event", [&](std::uint64_t i) {
    sink.take({.kind = Event::Kind::arrived, .tree = 1, .peer = static_cast<int>(i & 1023U), .part = i});
  });
  std::uint64_t sum = 0;
  measure("the clock alone", [&](std::uint64_t) { sum += monotonic_ns(); });
  const auto whole_call = [](Recorder* of) {
    return [of](std::uint64_t) {
      TracedCall one(of, Collective::bcast, true);
      asm volatile("" : : "r"(&one) : "memory");  // it is looked at: nothing is left out
      if (one.is_on()) static_cast<void>(one.begin({}, 0));
      one.end(false);
    };
  };
  measure("a call without a trace", whole_call(nullptr));
  static_cast<void>(recorder.turn(false));
  measure("a call while the trace is turned off", whole_call(&recorder));
  unlink(path.c_str());
  return sum == 0 ? 1 : 0;
}
