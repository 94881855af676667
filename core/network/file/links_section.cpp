// SPDX-License-Identifier: Apache-2.0
#include "network/file/links_section.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "network/file/attributes.hpp"
#include "network/impair/keys.hpp"
#include "text/spelling.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {
namespace {

using Kind = YamlNode::Kind;

class LinksReader {
 public:
  explicit LinksReader(PartsRead& read) : read_(read) {}

  void section(const YamlNode& root) {
    const YamlNode* list = root.find("links");
    if (list == nullptr) return;
    if (!check_kind(*list, Kind::sequence, "links", "[{between: [s0, s1]}]", read_.faults)) {
      read_.complete = false;
      return;
    }
    for (const YamlNode& entry : list->items) {
      if (!check_kind(entry, Kind::mapping, "an entry of links", "{between: [s0, s1]}", read_.faults)) {
        read_.complete = false;
      } else if (entry.find("from") != nullptr || entry.find("to") != nullptr) {
        one_way(entry);
      } else {
        both_ways(entry);
      }
    }
    for (const OneWayLink& link : open_) {
      const std::string from = read_.parts.node(link.from).name;
      const std::string to = read_.parts.node(link.to).name;
      std::string said = "this link leads from ";
      said.append(from).append(" to ").append(to).append(", and no other one leads back; messages need an answer, ");
      said.append("so add {from: ").append(to).append(", to: ").append(from).append("}, or write between: [");
      read_.faults.add(link.at, said.append(from).append(", ").append(to).append("]"));
      read_.complete = false;
    }
  }

 private:
  /// That no other one leads back from yet.
  struct OneWayLink {
    NodeId from;
    NodeId to;
    Attributes given;
    Position at;
  };

  void both_ways(const YamlNode& entry) {
    check_link_keys(entry, {"between", "rate", "latency", "back"});
    const Attributes given = read_attributes(entry, read_.defaults, read_.faults);
    const YamlNode* between = required(entry, "between", "between: [s0, s1]", read_.faults);
    const auto a = between != nullptr ? link_end(*between, 0) : std::nullopt;
    const auto b = between != nullptr ? link_end(*between, 1) : std::nullopt;
    if (a && b) {
      read_.parts.add_link(*a, *b, given, between->at);
    } else {
      read_.complete = false;
    }
  }

  /// The first of a direction and the first of the other become one.
  void one_way(const YamlNode& entry) {
    check_link_keys(entry, {"from", "to", "rate", "latency"});
    const Attributes given = read_attributes(entry, read_.defaults, read_.faults);
    const YamlNode* const from_node = required(entry, "from", "from: s0", read_.faults);
    const YamlNode* const to_node = required(entry, "to", "to: s1", read_.faults);
    const auto from = from_node != nullptr ? node_called(*from_node) : std::nullopt;
    const auto to = to_node != nullptr ? node_called(*to_node) : std::nullopt;
    if (!from || !to) {
      read_.complete = false;
      return;
    }
    if (*from == *to) {  // the checker of parts says so
      read_.parts.add_link(*from, *to, given, entry.at);
      return;
    }
    const auto other =
        std::ranges::find_if(open_, [&](const OneWayLink& one) { return one.from == *to && one.to == *from; });
    if (other == open_.end()) {
      open_.push_back({*from, *to, given, entry.at});
      return;
    }
    if (other->given.rate->width != given.rate->width || !(other->given.impairments == given.impairments)) {
      read_.faults.add(entry, "this link and the one that leads back (line " + std::to_string(other->at.line) +
                                  ") may differ in rate and latency alone; give both the same links side by side, loss "
                                  "and the like");
    }
    Attributes both = other->given;
    both.back = OneWay{given.rate->bps, *given.latency_s};
    read_.parts.add_link(*to, *from, both, other->at);
    open_.erase(other);
  }

  /// As check_keys; what is said of hosts gets its own advice.
  void check_link_keys(const YamlNode& entry, std::vector<std::string_view> own) {
    struct OfHosts {
      std::string_view key;
      const char* advice;
    };
    static constexpr std::array<OfHosts, 2> of_hosts{
        OfHosts{
            "injection",
            "injection is a time of hosts that send, not of links: give it in an entry of hosts, or under defaults; "
            "what a link takes is its latency"},
        OfHosts{"tcp_window",
                "tcp_window is of hosts, whose buffers it is a part of, not of links: give it in an entry of hosts, or "
                "under defaults"}};
    std::vector<std::string_view> keys = with_keys(std::move(own), link_keys());
    for (const auto& [key, advice] : of_hosts) {
      const YamlNode* const given = entry.find(key);
      if (given == nullptr) continue;
      keys.push_back(key);
      read_.faults.add(*given, advice);
    }
    check_keys(entry, keys, read_.faults);
  }

  std::optional<NodeId> link_end(const YamlNode& between, std::size_t which) {
    if (!between.is_sequence() || between.items.size() != 2) {
      if (which == 0) {
        read_.faults.add(between, "between must be a list of two names, such as [s0, s1]");
      }
      return std::nullopt;
    }
    return node_called(between.items[which]);
  }

  std::optional<NodeId> node_called(const YamlNode& end) {
    if (!check_kind(end, Kind::scalar, "an end of a link", "s0", read_.faults)) return std::nullopt;
    const auto found = read_.parts.find(end.text);
    if (!found && read_.switches_known) {
      const std::vector<std::string_view> known(read_.switch_names.begin(), read_.switch_names.end());
      read_.faults.add(end, end.text + " is neither a switch nor a host" + did_you_mean(end.text, known));
    }
    return found;
  }

  PartsRead& read_;
  std::vector<OneWayLink> open_;
};

}  // namespace

void read_links(const YamlNode& root, PartsRead& read) { LinksReader(read).section(root); }

}  // namespace trunkline
