// SPDX-License-Identifier: Apache-2.0
// The engine's answers on the control channel.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine.hpp"
#include "network/file/link_change.hpp"

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

/// Between double quotes. Texts hold what somebody wrote, and may be cut in the middle of a letter: what is not ASCII
/// is shown as ?.
std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    const bool shown = letter >= ' ' && letter <= '~';
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += shown ? letter : '?';
  }
  return quoted + '"';
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
  if (line.starts_with("set ")) {
    return change(line.substr(4));
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

std::string Engine::change(const std::string& line) {
  std::vector<LinkChange> changes;
  try {
    changes = parse_link_changes(cluster_, line);
  } catch (const std::invalid_argument& refused) {
    return "{\"error\": " + json_text(refused.what()) + "}";
  }
  // All is read, so all is done, at one instant: what was sent before finds the links as they were.
  take_in();
  const double since_s = now_s(CLOCK_MONOTONIC) - static_cast<double>(counters_.since) * 1e-9;
  const auto now = static_cast<Nanoseconds>(since_s * 1e9) + counters_.since;
  transit_.advance(now, due_);
  std::string text;
  for (const LinkChange& change : changes) {
    for (const ChannelId id : change.channels) {
      const Network::Channel before = network_.channel(id);
      network_.set_state(id, change.applied_to(network_.state(id)));
      transit_.change(id, before, now);
    }
    text += (text.empty() ? "" : " ; ") + change.text();
  }
  set_pace();
  ++changes_made_;
  if (changes_.size() < most_kept) changes_.push_back({since_s, text});
  return "{\"ok\": true" + field("seconds", since_s) + ", \"text\": " + json_text(text) + "}";
}

std::string Engine::changes_json() const {
  std::string all;
  for (const Change& change : changes_) {
    all += std::string(all.empty() ? "" : ", ") + "{\"text\": " + json_text(change.text) +
           field("seconds", change.seconds) + "}";
  }
  return field("changes_made", changes_made_) + ", \"changes\": [" + all + "]";
}

std::string Engine::stats_json() {
  counters_.overruns += port_.take_overruns();
  counters_.oversized += port_.take_oversized();
  const double seconds = now_s(CLOCK_MONOTONIC) - static_cast<double>(counters_.since) * 1e-9;
  const double busy = now_s(CLOCK_THREAD_CPUTIME_ID) - static_cast<double>(counters_.busy_before) * 1e-9;
  const Lateness::Summary late = counters_.lateness.summary();
  std::uint64_t dropped = 0;
  std::uint64_t down_lost = 0;
  FateCounters fates;
  std::uint64_t storm_dropped = 0;
  std::string channels;
  for (ChannelId id = 0; id < transit_.counters().size(); ++id) {
    const ChannelCounters& channel = transit_.counters()[id];
    dropped += channel.dropped_frames;
    down_lost += channel.down_lost;
    add(fates, transit_.fates(id));
    storm_dropped += transit_.storm_control().dropped(id);
    if (channel.frames + channel.dropped_frames + channel.down_lost > 0) {
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
         fields(fates) + field("down_lost", down_lost) + field("storm_dropped", storm_dropped) +
         field("pruned", snooped.pruned) + field("unregistered", snooped.unregistered) +
         field("overruns", counters_.overruns) + field("oversized", counters_.oversized) +
         field("truncated", counters_.truncated) + field("bad_offload_header", counters_.bad_offload_header) +
         field("unknown_destination", counters_.unknown_destination) + field("undeliverable", counters_.undeliverable) +
         field("wakes", counters_.wakes) + field("late_mean_s", late.mean_s) +
         field("late_mean_off_s", late.mean_off_s) + field("late_p99_s", late.p99_s) + field("late_max_s", late.max_s) +
         changes_json() + ", \"channels\": {" + channels + "}, \"switches\": {" + switches_json() + "}}";
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
         (network_.channel(id).impaired ? fields(transit_.fates(id)) + field("down_lost", channel.down_lost) : "") +
         (network_.settings(network_.channel(id).to).storm_control > 0.0
              ? field("storm_dropped", transit_.storm_control().dropped(id))
              : "") +
         "}";
}

}  // namespace trunkline::fabric
