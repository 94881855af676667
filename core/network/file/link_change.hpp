// SPDX-License-Identifier: Apache-2.0
// Changes of links while their network runs, as words of a command: "s0-s1 rate=1Mbit loss=1%", "s0->h3 down".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

/// What one direction of a link is like.
struct LinkState {
  double rate_bps = 0.0;     ///< of one link where there are several
  double started_bps = 0.0;  ///< the same when the network started: shares of a rate are of this
  double latency_s = 0.0;
  bool up = true;
  Impairments impairments{};
};

struct LinkChange {
  struct Setting {
    std::string key;
    std::string value;
  };

  std::vector<std::string> places;  ///< as named
  std::vector<ChannelId> channels;  ///< of the spanning tree, in order, each once
  std::vector<Setting> settings;    ///< which can all be read
  std::optional<bool> up;

  /// The state with what changes.
  [[nodiscard]] LinkState applied_to(LinkState state) const;

  /// Whether frames are harmed or held up each by itself from then on.
  [[nodiscard]] bool impairs() const;

  /// Words that read back as an equal change.
  [[nodiscard]] std::string text() const;
};

/// Keys that a change may set: rate, latency, and those of impairments of links.
[[nodiscard]] std::vector<std::string_view> changeable_keys();

/// What somebody names, added to the channels that change. Throws std::invalid_argument where it is nothing of the
/// cluster, or no frame crosses it.
void add_place(LinkChange& change, const Cluster& cluster, std::string_view where);

/// Throws std::invalid_argument where the key or the value is none, or the key is set already.
void add_setting(LinkChange& change, std::string_view key, std::string_view value);

/// KEY=VALUE, `down` and `up` are what changes; other words are places. Throws std::invalid_argument with what would be
/// right.
[[nodiscard]] LinkChange parse_link_change(const Cluster& cluster, std::span<const std::string> words);

/// Changes in one line, their words between spaces and a ; between one change and the next. Throws as
/// parse_link_change().
[[nodiscard]] std::vector<LinkChange> parse_link_changes(const Cluster& cluster, std::string_view line);

}  // namespace trunkline
