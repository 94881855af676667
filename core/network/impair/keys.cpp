// SPDX-License-Identifier: Apache-2.0
#include "network/impair/keys.hpp"

#include <array>
#include <cstddef>

#include "text/quantity.hpp"
#include "text/spelling.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

template <double Impairments::*time_s>
constexpr ImpairKey<Impairments> time_key(std::string_view name) {
  return {name, "2ms", [](Impairments& link, std::string_view text) { link.*time_s = parse_time(text); },
          [](const Impairments& link) { return format_time(link.*time_s); }};
}

template <double Impairments::*share>
constexpr ImpairKey<Impairments> share_key(std::string_view name) {
  return {name, "1%", [](Impairments& link, std::string_view text) { link.*share = parse_share(text); },
          [](const Impairments& link) { return format_share(link.*share); }};
}

constexpr std::array<ImpairKey<Impairments>, 7> of_links{
    share_key<&Impairments::loss>("loss"),       share_key<&Impairments::corrupt>("corrupt"),
    share_key<&Impairments::garble>("garble"),   share_key<&Impairments::duplicate>("duplicate"),
    share_key<&Impairments::reorder>("reorder"), time_key<&Impairments::reorder_by_s>("reorder_by"),
    time_key<&Impairments::jitter_s>("jitter"),
};

constexpr std::array<std::string_view, 3> igmp_names{"flood", "snooping", "querier"};

void set_igmp(SwitchSettings& settings, std::string_view text) {
  for (std::size_t i = 0; i < igmp_names.size(); ++i) {
    if (text == igmp_names[i]) {
      settings.igmp = static_cast<Igmp>(i);
      return;
    }
  }
  throw BadQuantity(quoted(text) + " is none" + did_you_mean(text, igmp_names) +
                    "; write flood, snooping, or querier for a switch that snoops and asks");
}

void set_ages(SwitchSettings& settings, std::string_view text) {
  constexpr double least_s = 1.0;  // hosts answer in tenths of a second
  const double seconds = parse_time(text);
  if (seconds < least_s) throw BadQuantity("the time " + std::string(text) + " is too short; write 1s or more");
  settings.igmp_ages_s = seconds;
}

void set_storm_control(SwitchSettings& settings, std::string_view text) {
  settings.storm_control = text == "none" ? 0.0 : parse_frame_rate(text);
  if (text != "none" && settings.storm_control < 1.0) {
    throw BadQuantity("the rate of frames " + std::string(text) + " is below 1/s; write none for no limit");
  }
}

void set_queue(SwitchSettings& settings, std::string_view text) {
  constexpr std::uint64_t least = 3000;  // two full frames
  const std::uint64_t bytes = text == "unknown" ? 0 : parse_bytes(text);
  if (text != "unknown" && bytes < least) {
    throw BadQuantity("the queue " + std::string(text) + " is too short; write 3kB or more, or unknown");
  }
  settings.queue_bytes = bytes;
}

constexpr std::array<ImpairKey<SwitchSettings>, 4> of_switches{
    ImpairKey<SwitchSettings>{"igmp", "snooping", set_igmp,
                              [](const SwitchSettings& settings) {
                                return std::string(igmp_names[static_cast<std::size_t>(settings.igmp)]);
                              }},
    ImpairKey<SwitchSettings>{"igmp_ages", "260s", set_ages,
                              [](const SwitchSettings& settings) { return format_time(settings.igmp_ages_s); }},
    ImpairKey<SwitchSettings>{"storm_control", "1000/s", set_storm_control,
                              [](const SwitchSettings& settings) {
                                return settings.storm_control == 0.0 ? std::string("none")
                                                                     : format_frame_rate(settings.storm_control);
                              }},
    ImpairKey<SwitchSettings>{"queue", "512KiB", set_queue,
                              [](const SwitchSettings& settings) {
                                return settings.queue_bytes == 0 ? std::string("unknown")
                                                                 : format_bytes(settings.queue_bytes);
                              }},
};

}  // namespace

std::span<const ImpairKey<Impairments>> link_keys() { return of_links; }

std::span<const ImpairKey<SwitchSettings>> switch_keys() { return of_switches; }

}  // namespace trunkline
