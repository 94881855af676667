// SPDX-License-Identifier: Apache-2.0
// What the readers of our files share: known keys, required keys, values of one type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/yaml_document.hpp"

namespace trunkline {

/// Reports keys that are not known, with the nearest right spelling, and keys given twice.
void check_keys(const YamlNode& mapping, std::span<const std::string_view> known, Faults& faults);

/// Reports where the file is not of this format ("cluster/1"): the key missing, another format, another version.
void check_format(const YamlNode& root, std::string_view format, Faults& faults);

/// What `read(root, faults)` makes of a file of a format; `file` is for messages. Throws FaultyFile with all faults.
template <typename Read>
[[nodiscard]] auto read_document(std::string_view yaml, std::string_view format, const std::string& file, Read&& read) {
  Faults faults(file);
  const std::optional<YamlNode> root = parse_yaml(yaml, format, faults);
  faults.throw_if_any();
  check_format(*root, format, faults);
  auto made = std::forward<Read>(read)(*root, faults);
  faults.throw_if_any();
  return made;
}

/// The value of a key; null where there is none, which is a fault. `example` shows what would be right.
[[nodiscard]] const YamlNode* required(const YamlNode& mapping, std::string_view key, const std::string& example,
                                       Faults& faults);

/// False, and a fault, where the node is of another kind; `what` names the value, `example` shows what would be right.
bool check_kind(const YamlNode& node, YamlNode::Kind kind, std::string_view what, std::string_view example,
                Faults& faults);

/// A whole number from `least` to 2^32 - 2; empty, and a fault, where it is none.
[[nodiscard]] std::optional<std::uint32_t> whole_number(const YamlNode& node, std::string_view what,
                                                        std::uint32_t least, Faults& faults);

/// A scalar that may be left out; empty where it is, or, and a fault, where it is of another kind or empty.
[[nodiscard]] std::string optional_text(const YamlNode& mapping, std::string_view key, std::string_view example,
                                        Faults& faults);

/// A scalar that must be there and not be empty; empty, and a fault, where it is not.
[[nodiscard]] std::string required_text(const YamlNode& mapping, std::string_view key, const std::string& example,
                                        Faults& faults);

/// Bytes with their unit, "0" and "0B" too; empty, and a fault, where they cannot be read.
[[nodiscard]] std::optional<std::uint64_t> bytes_or_zero(const YamlNode& node, std::string_view what, Faults& faults);

/// A fingerprint, up to 16 hexadecimal digits; empty, and a fault, where it is none.
[[nodiscard]] std::optional<std::uint64_t> hexadecimal(const YamlNode& node, std::string_view what, Faults& faults);

/// The names of a host list, or of a list of them, `limit` at most; empty, and a fault, where it cannot be read.
[[nodiscard]] std::optional<std::vector<std::string>> names_of(const YamlNode& node, std::string_view what,
                                                               std::string_view example, std::size_t limit,
                                                               Faults& faults);

}  // namespace trunkline
