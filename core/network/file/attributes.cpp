// SPDX-License-Identifier: Apache-2.0
#include "network/file/attributes.hpp"

#include <string_view>

#include "text/yaml_fields.hpp"

namespace trunkline {

namespace {

constexpr LinkRate any_rate{.bps = 1.0};  ///< stands in for a faulty one

template <typename Value>
std::optional<Value> quantity(const YamlNode& mapping, const char* key, Value (*parse)(std::string_view),
                              const char* example, Value stand_in, Faults& faults) {
  const YamlNode* node = mapping.find(key);
  if (node == nullptr) return std::nullopt;
  if (!check_kind(*node, YamlNode::Kind::scalar, key, example, faults)) return stand_in;
  try {
    return parse(node->text);
  } catch (const BadQuantity& bad) {
    faults.add(*node, bad.what());
    return stand_in;
  }
}

}  // namespace

Attributes read_attributes(const YamlNode& mapping, Faults& faults) {
  return {.rate = quantity(mapping, "rate", parse_link_rate, "100Mbit", any_rate, faults),
          .latency_s = quantity(mapping, "latency", parse_time, "20us", 0.0, faults)};
}

Attributes read_attributes(const YamlNode& mapping, const Attributes& defaults, Faults& faults) {
  Attributes found = read_attributes(mapping, faults);
  found.rate = found.rate ? found.rate : defaults.rate;
  found.latency_s = found.latency_s ? found.latency_s : defaults.latency_s.value_or(0.0);
  if (!found.rate) {
    faults.add(mapping, "no rate is given; write rate: 100Mbit here, or once for all under defaults");
    found.rate = any_rate;
  }
  return found;
}

}  // namespace trunkline
