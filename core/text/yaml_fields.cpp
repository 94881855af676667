// SPDX-License-Identifier: Apache-2.0
#include "text/yaml_fields.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "text/hostlist.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

void check_keys(const YamlNode& mapping, std::span<const std::string_view> known, Faults& faults) {
  std::unordered_map<std::string_view, Position> seen;
  for (const YamlNode& key : mapping.keys) {
    const auto [first, is_new] = seen.emplace(key.text, key.at);
    if (!is_new) {
      faults.add(key, "the key " + quoted(key.text) + " is here a second time (first at line " +
                          std::to_string(first->second.line) + "); keep one");
    } else if (key.text == "<<") {
      faults.add(key, "merge keys (<<) are not supported; write the values out");
    } else if (std::find(known.begin(), known.end(), key.text) == known.end()) {
      std::string all;
      for (const std::string_view name : known) {
        all += (all.empty() ? "" : ", ") + std::string(name);
      }
      faults.add(key, "unknown key " + quoted(key.text) + did_you_mean(key.text, known) + "; known here are " + all);
    }
  }
}

void check_format(const YamlNode& root, std::string_view format, Faults& faults) {
  const std::string right = "\"trunkline: " + std::string(format) + "\"";
  const YamlNode* node = root.find("trunkline");
  if (node == nullptr) {
    faults.add(root, "the key trunkline is missing; the first line should be " + right);
    return;
  }
  const std::string_view text = node->text;
  if (text == format) {
    return;
  }
  const std::string kind(format.substr(0, format.find('/')));
  if (text.starts_with(kind + "/")) {
    faults.add(*node, quoted(text) + " is a version that this Trunkline cannot read; it reads " + std::string(format));
  } else if (text.find('/') != std::string_view::npos) {
    faults.add_alone(*node, "a " + kind + " file is wanted, and this file says it is " + quoted(text) +
                                "; the first line should be " + right);
  } else {
    faults.add(*node, "the file's format is not given; the first line should be " + right);
  }
}

const YamlNode* required(const YamlNode& mapping, std::string_view key, const std::string& example, Faults& faults) {
  const YamlNode* node = mapping.find(key);
  if (node == nullptr) {
    faults.add(mapping, "the key " + std::string(key) + " is missing; give it, such as " + example);
  }
  return node;
}

bool check_kind(const YamlNode& node, YamlNode::Kind kind, std::string_view what, std::string_view example,
                Faults& faults) {
  const YamlNode wanted{.kind = kind, .at = {}, .inside = {}};
  if (node.kind != kind || (node.is_scalar() && node.text.empty())) {
    const bool nothing = node.is_scalar() && node.text.empty();
    faults.add(node, std::string(what) + " must be " + wanted.kind_name() + ", such as " + std::string(example) +
                         "; here is " + (nothing ? "nothing" : node.kind_name()));
    return false;
  }
  return true;
}

std::optional<std::uint32_t> whole_number(const YamlNode& node, std::string_view what, std::uint32_t least,
                                          Faults& faults) {
  std::uint32_t value = 0;
  const char* last = node.text.data() + node.text.size();
  const auto [end, error] = std::from_chars(node.text.data(), last, value);
  if (!node.is_scalar() || node.text.empty() || error != std::errc() || end != last || value < least ||
      value == std::numeric_limits<std::uint32_t>::max()) {
    const std::string shown = node.is_scalar() ? quoted(node.text) : node.kind_name();
    faults.add(node, std::string(what) + " must be a whole number from " + std::to_string(least) + ", not " + shown);
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<std::string>> names_of(const YamlNode& node, std::string_view what, std::string_view example,
                                                 std::size_t limit, Faults& faults) {
  if (node.is_sequence()) {
    std::vector<std::string> all;
    bool good = true;
    for (const YamlNode& item : node.items) {
      auto names = check_kind(item, YamlNode::Kind::scalar, what, example, faults)
                       ? names_of(item, what, example, limit - all.size(), faults)
                       : std::nullopt;
      good = good && names;
      if (names) {
        all.insert(all.end(), std::make_move_iterator(names->begin()), std::make_move_iterator(names->end()));
      }
    }
    if (good && all.empty()) {
      faults.add(node, std::string(what) + " must hold at least one name, such as " + std::string(example));
      good = false;
    }
    return good ? std::optional(std::move(all)) : std::nullopt;
  }
  if (!check_kind(node, YamlNode::Kind::scalar, what, example, faults)) {
    return std::nullopt;
  }
  try {
    return expand_hostlist(node.text, limit);
  } catch (const BadHostlist& bad) {
    faults.add(node.place(bad.offset()), std::string(what) + ": " + bad.what());
    return std::nullopt;
  }
}

std::string optional_text(const YamlNode& mapping, std::string_view key, std::string_view example, Faults& faults) {
  const YamlNode* value = mapping.find(key);
  return value != nullptr && check_kind(*value, YamlNode::Kind::scalar, key, example, faults) ? value->text : "";
}

std::string required_text(const YamlNode& mapping, std::string_view key, const std::string& example, Faults& faults) {
  const YamlNode* value = required(mapping, key, std::string(key) + ": " + example, faults);
  return value != nullptr && check_kind(*value, YamlNode::Kind::scalar, key, example, faults) ? value->text : "";
}

std::optional<std::uint64_t> bytes_or_zero(const YamlNode& node, std::string_view what, Faults& faults) {
  if (!check_kind(node, YamlNode::Kind::scalar, what, "8KiB", faults)) {
    return std::nullopt;
  }
  if (node.text == "0" || node.text == "0B") {
    return 0;
  }
  try {
    return parse_bytes(node.text);
  } catch (const BadQuantity& bad) {
    faults.add(node, bad.what());
    return std::nullopt;
  }
}

std::optional<std::uint64_t> hexadecimal(const YamlNode& node, std::string_view what, Faults& faults) {
  std::uint64_t value = 0;
  const char* last = node.text.data() + node.text.size();
  const auto [end, error] = std::from_chars(node.text.data(), last, value, 16);
  if (!node.is_scalar() || node.text.empty() || error != std::errc() || end != last) {
    faults.add(node, std::string(what) + " must be a text of up to 16 hexadecimal digits; leave it out if unknown");
    return std::nullopt;
  }
  return value;
}

}  // namespace trunkline
