// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "frame.hpp"

namespace trunkline::fabric {

namespace {

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds control_every = 20'000'000;
constexpr Nanoseconds least_quantum = 10'000;
constexpr Nanoseconds most_quantum = 100'000;
constexpr double memory_quanta = 16;
constexpr double worth_looking = 0.4;  // arrivals in a quantum, above which looking is cheaper than being woken
constexpr double steering_gain = 1.0 / 256;
constexpr double steering_limit_ns = 50'000.0;
constexpr double bits_per_byte = 8.0;
constexpr std::uint32_t full_frame_bytes = 1538;
constexpr std::uint32_t least_wire_bytes = least_frame_bytes + unseen_bytes;

Nanoseconds read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * second + static_cast<Nanoseconds>(time.tv_nsec);
}

timespec to_timespec(Nanoseconds time) {
  return {static_cast<time_t>(time / second), static_cast<long>(time % second)};
}

}  // namespace

Engine::Engine(const Cluster& cluster, double rate_bps, QueueLimits limits, PacketPort& port, std::uint64_t seed)
    : cluster_(cluster), network_(cluster, rate_bps), limits_(limits), transit_(network_, limits, seed), port_(port) {
  set_pace();
  reset();
}

void Engine::set_pace() {
  const double full_frame_ns =
      full_frame_bytes * bits_per_byte * static_cast<double>(second) / network_.fastest_now_bps();
  quantum_ = std::clamp(static_cast<Nanoseconds>(full_frame_ns / 8), least_quantum, most_quantum);
  turn_slack_ = std::min(network_.quickest(least_wire_bytes) / 2, most_quantum);
}

void Engine::reset() {
  static_cast<void>(port_.take_overruns());
  static_cast<void>(port_.take_oversized());
  transit_.reset_counters();
  changes_.clear();
  changes_made_ = 0;
  counters_ = {};
  counters_.since = read_clock(CLOCK_MONOTONIC);
  counters_.busy_before = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void Engine::run(const volatile std::sig_atomic_t& stop, int control) {
  // Signals come in only while we wait or ask for them, so none is lost between a look at `stop` and a sleep.
  sigemptyset(&let_in_);
  Nanoseconds control_at = 0;
  while (stop == 0) {
    take_in();
    send_queries();
    pass_on();
    const Nanoseconds now = read_clock(CLOCK_MONOTONIC);
    if (commanded_ || now >= control_at) {
      commanded_ = false;
      control_at = now + control_every;
      if (!serve(control)) {
        return;
      }
    }
    rest(control);
  }
}

void Engine::take_in() {
  const Nanoseconds real = read_clock(CLOCK_REALTIME);
  const Nanoseconds now = read_clock(CLOCK_MONOTONIC);
  PacketPort::Arrival arrival;
  std::uint64_t taken = 0;
  while (port_.receive(arrival)) {
    ++taken;
    const Reading reading = read_frame(arrival.bytes, arrival.from, network_.host_count());
    if (reading.verdict != Verdict::good) {
      counters_.truncated += reading.verdict == Verdict::truncated;
      counters_.bad_offload_header += reading.verdict == Verdict::bad_offload_header;
      counters_.unknown_destination += reading.verdict == Verdict::unknown_destination;
      port_.release(arrival.frame);
      continue;
    }
    // The stamp is of another clock, and that one may be set while we run: never trust it by more than a second.
    const Nanoseconds ago = arrival.at < real ? std::min(real - arrival.at, second) : 0;
    if (reading.to == every_host && network_.snoops()) {
      transit_.enter_multicast(arrival.from, arrival.frame, reading.burden, now - ago, read_multicast(arrival.bytes));
    } else {
      transit_.enter(arrival.from, reading.to, arrival.frame, reading.burden, now - ago);
    }
  }
  counters_.frames += taken;
  // A mean over the last few quanta of time, however many looks there were.
  const double quanta = std::max(static_cast<double>(now - last_look_) / static_cast<double>(quantum_), 1e-3);
  const double weight = std::min(quanta / memory_quanta, 1.0);
  arrivals_per_quantum_ += (static_cast<double>(taken) / quanta - arrivals_per_quantum_) * weight;
  last_look_ = now;
}

void Engine::send_queries() {
  Snooping& snooping = transit_.snooping();
  if (snooping.next_query() == Snooping::never) {
    return;
  }
  const Nanoseconds now = read_clock(CLOCK_MONOTONIC);
  while (const std::optional<NodeId> node = snooping.take_query(now)) {
    const std::vector<std::uint8_t> bytes = general_query(snooping.answer_s(*node), snooping.interval_s(*node));
    transit_.originate(*node, port_.keep(bytes), {least_wire_bytes, least_wire_bytes, 1}, now,
                       {.kind = Multicast::Kind::query, .asks = *node});
  }
}

void Engine::pass_on() {
  const Nanoseconds start = read_clock(CLOCK_MONOTONIC);
  transit_.advance(start + lead(), due_);
  if (!due_.empty()) {
    counters_.undeliverable += port_.send(due_);
    counters_.deliveries += due_.size();
    const Nanoseconds each = (read_clock(CLOCK_MONOTONIC) - start) / due_.size();
    Nanoseconds made = start;
    double sum_ns = 0.0;
    for (const Delivery& delivery : due_) {
      made += each;
      const auto late_ns = static_cast<std::int64_t>(made) - static_cast<std::int64_t>(delivery.due);
      counters_.lateness.add(late_ns);
      sum_ns += std::clamp(static_cast<double>(late_ns), -steering_limit_ns, steering_limit_ns);
      transit_.delivered(delivery.frame);
    }
    double& steered_ns = lead_ns_[looking_ ? 1 : 0];
    steered_ns = std::clamp(steered_ns + sum_ns * steering_gain, 0.0, 2.0 * static_cast<double>(quantum_));
    due_.clear();
  }
  for (const FrameId frame : transit_.finished()) {
    port_.release(frame);
  }
  transit_.finished().clear();
}

void Engine::rest(int control) {
  const Nanoseconds now = read_clock(CLOCK_MONOTONIC);
  ++counters_.wakes;
  looking_ = arrivals_per_quantum_ > worth_looking;
  if (looking_) {
    const timespec until = to_timespec(now + quantum_);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    return;
  }
  // Few frames: whatever comes in wakes us, or what is still under way. How late this machine wakes sleepers is in the
  // lead, so nothing is left to wait for actively.
  const Nanoseconds delivery = transit_.next_delivery() - (transit_.next_delivery() == Transit::never ? 0 : lead());
  const Nanoseconds turn = transit_.next_turn() + (transit_.next_turn() == Transit::never ? 0 : turn_slack_);
  const Nanoseconds wake = std::min({delivery, turn, transit_.snooping().next_query()});
  const timespec wait = to_timespec(wake > now ? wake - now : 0);
  port_.prepare_to_wait();
  pollfd watched[2] = {{port_.descriptor(), POLLIN, 0}, {control, POLLIN, 0}};
  if (ppoll(watched, 2, wake == Transit::never ? nullptr : &wait, &let_in_) < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "waiting for frames");
  }
  commanded_ = watched[1].revents != 0;
}

bool Engine::serve(int control) {
  pollfd watched{control, POLLIN, 0};
  const timespec at_once{};
  while (ppoll(&watched, 1, &at_once, &let_in_) > 0) {
    char bytes[256];
    const ssize_t got = read(control, bytes, sizeof bytes);
    if (got <= 0) {
      return got < 0 && errno == EINTR;
    }
    input_.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end = input_.find('\n'); end != std::string::npos; end = input_.find('\n')) {
      const std::string answer = command(input_.substr(0, end)) + "\n";
      input_.erase(0, end + 1);
      if (write(control, answer.data(), answer.size()) < 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace trunkline::fabric
