// SPDX-License-Identifier: Apache-2.0
// The fabric's loop: takes in what hosts send, lets the transit carry it, passes on what is due.
//
// What it costs is decided by how rarely it wakes. While many frames come in it is not woken by each frame (arrivals
// carry the kernel's time stamp) but looks once every quantum, an eighth of a full frame's time, in which hardly a
// frame can cross the network, and makes all deliveries around that moment together: some early, some late, in balance,
// so that times are not biased.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "lateness.hpp"
#include "network.hpp"
#include "packet_port.hpp"
#include "transit.hpp"

namespace trunkline::fabric {

class Engine {
 public:
  Engine(const Cluster& cluster, double rate_bps, QueueLimits limits, PacketPort& port, std::uint64_t seed);

  /// Runs until `stop` is set or the control channel closes. `control`: a descriptor on which commands come in, one a
  /// line, and are answered with one line of JSON; -1: none. The signal that sets `stop` must be blocked: it is let in
  /// where it cannot be missed.
  void run(const volatile std::sig_atomic_t& stop, int control);

  /// Answers "stats", "reset", "rate BPS", "impair on|off" and "set CHANGES" (core/network/file/link_change.hpp) with
  /// one line of JSON.
  std::string command(const std::string& line);

  /// Counters since the start or the last reset, as JSON.
  [[nodiscard]] std::string stats_json();

 private:
  [[nodiscard]] std::string change(const std::string& line);
  [[nodiscard]] std::string changes_json() const;
  [[nodiscard]] std::string channel_json(ChannelId id) const;
  [[nodiscard]] std::string switches_json() const;
  void set_pace();
  void take_in();
  void send_queries();
  void pass_on();
  void rest(int control);
  [[nodiscard]] Nanoseconds lead() const { return static_cast<Nanoseconds>(lead_ns_[looking_ ? 1 : 0]); }
  bool serve(int control);
  void reset();

  const Cluster& cluster_;
  Network network_;
  QueueLimits limits_;
  Transit transit_;
  PacketPort& port_;

  Nanoseconds quantum_ = 0;     ///< between two looks while many frames come in
  Nanoseconds turn_slack_ = 0;  ///< a turn at a switch may be computed this late without effect
  Nanoseconds last_look_ = 0;
  double arrivals_per_quantum_ = 0.0;
  bool looking_ = false;  ///< many frames come in: not woken by them
  /// Deliveries due this soon are made now; steered to a mean lateness of zero. One for waiting, where it learns how
  /// late this machine wakes sleepers, and one for looking.
  double lead_ns_[2] = {};
  bool commanded_ = false;  ///< a command is waiting
  sigset_t let_in_{};
  std::vector<Delivery> due_;
  std::string input_;

  struct Counters {
    Nanoseconds since = 0;
    Nanoseconds busy_before = 0;
    std::uint64_t frames = 0;
    std::uint64_t deliveries = 0;
    std::uint64_t truncated = 0;
    std::uint64_t bad_offload_header = 0;
    std::uint64_t unknown_destination = 0;
    std::uint64_t undeliverable = 0;
    std::uint64_t overruns = 0;
    std::uint64_t oversized = 0;
    std::uint64_t wakes = 0;
    Lateness lateness;
  };
  Counters counters_;

  /// What was changed since the start or the last reset.
  struct Change {
    double seconds = 0.0;
    std::string text;
  };
  static constexpr std::size_t most_kept = 10'000;
  std::vector<Change> changes_;
  std::uint64_t changes_made_ = 0;
};

}  // namespace trunkline::fabric
