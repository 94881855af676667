// SPDX-License-Identifier: Apache-2.0
#include "network/file/lab_script.hpp"

#include <array>
#include <optional>
#include <stdexcept>

#include "text/quantity.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {

namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view script_format = "lab-script/1";
constexpr double longest_script_s = 30.0 * 24 * 3600;
constexpr const char* step_example = "{at: 5s, down: s0-s1}";
constexpr const char* set_example = "{link: s0-s1, rate: 1Mbit}";

class ScriptReader {
 public:
  ScriptReader(const Cluster& cluster, Faults& faults) : cluster_(cluster), faults_(faults) {}

  std::vector<LabStep> read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 3> keys{"trunkline", "description", "steps"};
    check_keys(root, keys, faults_);
    static_cast<void>(optional_text(root, "description", "a link slows down", faults_));
    const std::string example = std::string("[") + step_example + "]";
    const YamlNode* list = required(root, "steps", "steps: " + example, faults_);
    if (list == nullptr || !check_kind(*list, Kind::sequence, "steps", example, faults_)) return {};
    std::vector<LabStep> steps;
    for (const YamlNode& entry : list->items) {
      if (check_kind(entry, Kind::mapping, "an entry of steps", step_example, faults_)) steps.push_back(step(entry));
    }
    if (list->items.empty()) faults_.add(*list, "there is no step; write one, such as " + std::string(step_example));
    return steps;
  }

 private:
  LabStep step(const YamlNode& entry) {
    static constexpr std::array<std::string_view, 4> keys{"at", "set", "down", "up"};
    check_keys(entry, keys, faults_);
    LabStep made{.at_s = time_of(entry), .changes = {}};
    for (std::size_t i = 0; i < entry.keys.size(); ++i) {
      const YamlNode& value = entry.items[i];
      if (entry.keys[i].text == "set") add_sets(value, made.changes);
      if (entry.keys[i].text == "down") made.changes.push_back(turned(value, "down", false));
      if (entry.keys[i].text == "up") made.changes.push_back(turned(value, "up", true));
    }
    if (entry.find("set") == nullptr && entry.find("down") == nullptr && entry.find("up") == nullptr) {
      faults_.add(entry, "nothing happens in this step; write set: " + std::string(set_example) + ", down or up");
    }
    return made;
  }

  double time_of(const YamlNode& entry) {
    const YamlNode* at = required(entry, "at", "at: 5s", faults_);
    if (at == nullptr || !check_kind(*at, Kind::scalar, "at", "5s", faults_)) return latest_s_;
    try {
      const double at_s = parse_time(at->text);
      if (at_s > longest_script_s) {
        faults_.add(*at, "at: the time " + at->text + " is later than a month after the start");
      } else if (at_s < latest_s_) {
        faults_.add(*at, "at: " + at->text + " is before the step above, at " + format_time(latest_s_) +
                             "; steps are in the order of time");
      } else {
        latest_s_ = at_s;
      }
    } catch (const BadQuantity& bad) {
      faults_.add(*at, std::string("at: ") + bad.what());
    }
    return latest_s_;
  }

  void add_sets(const YamlNode& value, std::vector<LinkChange>& changes) {
    if (!value.is_sequence()) {
      if (check_kind(value, Kind::mapping, "set", set_example, faults_)) changes.push_back(setting(value));
      return;
    }
    if (value.items.empty()) faults_.add(value, "set is empty; write " + std::string(set_example));
    for (const YamlNode& one : value.items) {
      if (check_kind(one, Kind::mapping, "an entry of set", set_example, faults_)) changes.push_back(setting(one));
    }
  }

  LinkChange setting(const YamlNode& mapping) {
    LinkChange change;
    std::vector<std::string_view> keys = changeable_keys();
    keys.insert(keys.begin(), "link");
    const std::size_t before = faults_.size();
    check_keys(mapping, keys, faults_);
    if (const YamlNode* link = required(mapping, "link", "link: s0-s1", faults_)) add_places(*link, "link", change);
    if (faults_.size() == before && mapping.keys.size() == 1) {
      faults_.add(mapping, "it does not say what changes; write " + std::string(set_example));
    }
    for (const std::string_view key : changeable_keys()) {
      const YamlNode* value = mapping.find(key);
      if (value == nullptr || !check_kind(*value, Kind::scalar, key, "1Mbit, 20ms or 1%", faults_)) continue;
      told(*value, [&] { add_setting(change, key, value->text); });
    }
    return change;
  }

  LinkChange turned(const YamlNode& value, std::string_view word, bool up) {
    LinkChange change;
    change.up = up;
    add_places(value, word, change);
    return change;
  }

  /// A text, or a list of them.
  void add_places(const YamlNode& value, std::string_view what, LinkChange& change) {
    const std::span<const YamlNode> places = value.is_sequence() ? std::span(value.items) : std::span(&value, 1);
    if (places.empty()) faults_.add(value, std::string(what) + " names no link; write s0-s1, or a list of such");
    for (const YamlNode& place : places) {
      if (check_kind(place, Kind::scalar, what, "s0-s1", faults_)) {
        told(place, [&] { add_place(change, cluster_, place.text); });
      }
    }
  }

  template <typename Read>
  void told(const YamlNode& node, Read&& read) {
    try {
      std::forward<Read>(read)();
    } catch (const std::invalid_argument& bad) {
      faults_.add(node, bad.what());
    }
  }

  const Cluster& cluster_;
  Faults& faults_;
  double latest_s_ = 0.0;
};

}  // namespace

std::string LabStep::text() const {
  std::string all;
  for (const LinkChange& change : changes) all += (all.empty() ? "" : " ; ") + change.text();
  return all;
}

std::vector<LabStep> parse_lab_script(std::string_view yaml, const std::string& file, const Cluster& cluster) {
  return read_document(yaml, script_format, file,
                       [&](const YamlNode& root, Faults& faults) { return ScriptReader(cluster, faults).read(root); });
}

std::vector<LabStep> read_lab_script(const std::string& path, const Cluster& cluster) {
  return parse_lab_script(read_text_file(path), path, cluster);
}

}  // namespace trunkline
