// SPDX-License-Identifier: Apache-2.0
// The engine's answers on the control channel.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine.hpp"

namespace trunkline::fabric {

namespace {

double now_s(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string field(const char* name, double value) {
  char text[96];
  std::snprintf(text, sizeof text, ", \"%s\": %.9g", name, value);
  return text;
}

std::string field(const char* name, std::uint64_t value) {
  return std::string(", \"") + name + "\": " + std::to_string(value);
}

std::string fields(const FateCounters& fates) {
  return field("lost", fates.lost) + field("corrupted", fates.corrupted) + field("garbled", fates.garbled) +
         field("duplicated", fates.duplicated) + field("reordered", fates.reordered);
}

void add(FateCounters& sum, const FateCounters& more) {
  sum.lost += more.lost;
  sum.corrupted += more.corrupted;
  sum.garbled += more.garbled;
  sum.duplicated += more.duplicated;
  sum.reordered += more.reordered;
}

}  // namespace

std::string Engine::command(const std::string& line) {
  if (line == "stats") {
    return stats_json();
  }
  if (line == "reset") {
    reset();
    return "{\"ok\": true}";
  }
  if (line == "impair on" || line == "impair off") {
    transit_.impair(line == "impair on");
    return "{\"ok\": true}";
  }
  if (line.starts_with("rate ")) {
    const char* const text = line.c_str() + 5;
    char* end = nullptr;
    const double rate_bps = std::strtod(text, &end);
    if (end != text && *end == '\0' && rate_bps >= 0.0 && rate_bps < 1e15) {
      network_.set_rate(rate_bps);
      set_pace();
      return "{\"ok\": true}";
    }
  }
  return "{\"error\": \"unknown command\"}";
}

std::string Engine::stats_json() {
  counters_.overruns += port_.take_overruns();
  counters_.oversized += port_.take_oversized();
  const double seconds = now_s(CLOCK_MONOTONIC) - static_cast<double>(counters_.since) * 1e-9;
  const double busy = now_s(CLOCK_THREAD_CPUTIME_ID) - static_cast<double>(counters_.busy_before) * 1e-9;
  const Lateness::Summary late = counters_.lateness.summary();
  std::uint64_t dropped = 0;
  FateCounters fates;
  std::uint64_t storm_dropped = 0;
  std::string channels;
  for (ChannelId id = 0; id < transit_.counters().size(); ++id) {
    const ChannelCounters& channel = transit_.counters()[id];
    dropped += channel.dropped_frames;
    add(fates, transit_.fates(id));
    storm_dropped += transit_.storm_control().dropped(id);
    if (channel.frames + channel.dropped_frames > 0) {
      channels += (channels.empty() ? "" : ", ") + channel_json(id);
    }
  }
  SnoopingCounters snooped;
  for (NodeId node = 0; node < network_.node_count(); ++node) {
    snooped.pruned += transit_.snooping().counters(node).pruned;
    snooped.unregistered += transit_.snooping().counters(node).unregistered;
  }
  return "{\"rate_bps\": " + std::to_string(static_cast<std::uint64_t>(network_.rate_bps())) +
         field("seconds", seconds) + field("busy", seconds > 0 ? busy / seconds : 0.0) +
         field("frames", counters_.frames) + field("deliveries", counters_.deliveries) + field("dropped", dropped) +
         fields(fates) + field("storm_dropped", storm_dropped) + field("pruned", snooped.pruned) +
         field("unregistered", snooped.unregistered) + field("overruns", counters_.overruns) +
         field("oversized", counters_.oversized) + field("truncated", counters_.truncated) +
         field("bad_offload_header", counters_.bad_offload_header) +
         field("unknown_destination", counters_.unknown_destination) + field("undeliverable", counters_.undeliverable) +
         field("wakes", counters_.wakes) + field("late_mean_s", late.mean_s) +
         field("late_mean_off_s", late.mean_off_s) + field("late_p99_s", late.p99_s) + field("late_max_s", late.max_s) +
         ", \"channels\": {" + channels + "}, \"switches\": {" + switches_json() + "}}";
}

std::string Engine::switches_json() const {
  std::string switches;
  for (NodeId node = 0; node < network_.node_count(); ++node) {
    if (!network_.controls(node)) continue;
    std::uint64_t storm_dropped = 0;
    for (const ChannelId leaving : network_.leaving(node)) {
      storm_dropped += transit_.storm_control().dropped(leaving ^ 1U);
    }
    const SnoopingCounters& snooped = transit_.snooping().counters(node);
    switches += (switches.empty() ? "\"" : ", \"") + cluster_.nodes()[node].name +
                "\": {\"storm_dropped\": " + std::to_string(storm_dropped) + field("pruned", snooped.pruned) +
                field("unregistered", snooped.unregistered) + "}";
  }
  return switches;
}

std::string Engine::channel_json(ChannelId id) const {
  const ChannelCounters& channel = transit_.counters()[id];
  // Names of nodes are checked when a cluster is read and need no escaping in JSON.
  return "\"" + cluster_.channel_name(id) + "\": {\"frames\": " + std::to_string(channel.frames) +
         field("bytes", channel.bytes) + field("dropped", channel.dropped_frames) +
         field("most_queued_bytes", channel.most_queued_bytes) +
         (network_.channel(id).impaired ? fields(transit_.fates(id)) : "") +
         (network_.settings(network_.channel(id).to).storm_control > 0.0
              ? field("storm_dropped", transit_.storm_control().dropped(id))
              : "") +
         "}";
}

}  // namespace trunkline::fabric
