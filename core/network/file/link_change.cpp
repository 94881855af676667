// SPDX-License-Identifier: Apache-2.0
#include "network/file/link_change.hpp"

#include <algorithm>
#include <stdexcept>

#include "network/file/places.hpp"
#include "network/impair/keys.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

constexpr LinkState any_state{.started_bps = 1e6};
constexpr double longest_latency_s = 3600.0;  ///< frames on their way longer than this are a mistyped number

double lasting(std::string_view text) {
  const double seconds = parse_time(text);
  if (seconds > longest_latency_s) throw BadQuantity("the time " + std::string(text) + " is longer than an hour");
  return seconds;
}

double rate_of(std::string_view text, double started_bps) {
  constexpr double least_bps = 1.0;
  const bool is_share = text.ends_with('%');
  const double bps = is_share ? parse_share(text) * started_bps : parse_rate(text);
  if (bps < least_bps) throw BadQuantity("the rate " + std::string(text) + " is below 1bit; a link that fails is down");
  return bps;
}

/// False where there is no such key.
bool set(LinkState& state, std::string_view key, std::string_view value) {
  if (key == "rate") {
    state.rate_bps = rate_of(value, state.started_bps);
    return true;
  }
  if (key == "latency") {
    state.latency_s = lasting(value);
    return true;
  }
  for (const ImpairKey<Impairments>& one : link_keys()) {
    if (one.name != key) continue;
    one.set(state.impairments, value);
    if (key == "jitter" || key == "reorder_by") static_cast<void>(lasting(value));
    return true;
  }
  return false;
}

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

LinkState LinkChange::applied_to(LinkState state) const {
  for (const Setting& setting : settings) set(state, setting.key, setting.value);
  state.up = up.value_or(state.up);
  return state;
}

bool LinkChange::impairs() const { return applied_to(any_state).impairments.any(); }

std::string LinkChange::text() const {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  for (const std::string& place : places) add(place);
  for (const Setting& setting : settings) add(setting.key + "=" + setting.value);
  if (up) add(*up ? "up" : "down");
  return words;
}

std::vector<std::string_view> changeable_keys() { return with_keys({"rate", "latency"}, link_keys()); }

void add_place(LinkChange& change, const Cluster& cluster, std::string_view where) {
  if (where == "up" || where == "down") {
    throw std::invalid_argument(std::string(where) +
                                " is what happens to a link; write links of a node of that name "
                                "with both ends, such as s0-s1");
  }
  const std::vector<ChannelId> named = Places(cluster.nodes(), cluster.links(), cluster.name(), where).channels();
  const std::size_t before = change.channels.size();
  std::ranges::copy_if(named, std::back_inserter(change.channels),
                       [&](ChannelId id) { return cluster.is_used(id / 2); });
  if (change.channels.size() == before) {
    throw std::invalid_argument(
        "no frame crosses " + std::string(where) + ": " +
        (cluster.routes() != nullptr ? "no shortest path leads over it" : "the spanning tree leaves it unused") +
        ", so nothing would change");
  }
  std::ranges::sort(change.channels);
  change.channels.erase(std::unique(change.channels.begin(), change.channels.end()), change.channels.end());
  change.places.emplace_back(where);
}

void add_setting(LinkChange& change, std::string_view key, std::string_view value) {
  std::string whole(value);
  std::erase(whole, ' ');  // "1 Mbit" is one word of a change's text, too
  LinkState scratch = any_state;
  try {
    if (!set(scratch, key, whole)) {
      const std::vector<std::string_view> known = changeable_keys();
      throw std::invalid_argument("a link has no " + quoted(key) + did_you_mean(key, known) + "; what changes is " +
                                  listed(known) + ", or the word down or up");
    }
  } catch (const BadQuantity& bad) {
    throw std::invalid_argument(std::string(key) + ": " + bad.what());
  }
  if (std::ranges::find(change.settings, key, &LinkChange::Setting::key) != change.settings.end()) {
    throw std::invalid_argument(std::string(key) + " is set twice; keep one");
  }
  change.settings.push_back({std::string(key), std::move(whole)});
}

LinkChange parse_link_change(const Cluster& cluster, std::span<const std::string> words) {
  LinkChange change;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      add_setting(change, std::string_view(word).substr(0, equals), std::string_view(word).substr(equals + 1));
    } else if (word == "up" || word == "down") {
      if (change.up) throw std::invalid_argument("a link goes up or down once in a change");
      change.up = word == "up";
    } else {
      add_place(change, cluster, word);
    }
  }
  if (change.channels.empty()) {
    throw std::invalid_argument(
        "no link is named; write s0-s1 for the link between two, s0->s1 for one direction, h3 for all links of a node, "
        "* for all");
  }
  if (change.settings.empty() && !change.up) {
    throw std::invalid_argument("it does not say what changes; write KEY=VALUE (" + listed(changeable_keys()) +
                                "), down or up");
  }
  return change;
}

std::vector<LinkChange> parse_link_changes(const Cluster& cluster, std::string_view line) {
  std::vector<LinkChange> changes;
  std::vector<std::string> words = words_of(line);
  words.emplace_back(";");
  auto begin = words.begin();
  for (auto end = std::find(begin, words.end(), ";"); end != words.end(); end = std::find(begin, words.end(), ";")) {
    changes.push_back(parse_link_change(cluster, std::span(begin, end)));
    begin = end + 1;
  }
  return changes;
}

}  // namespace trunkline
