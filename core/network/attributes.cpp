// SPDX-License-Identifier: Apache-2.0
#include "network/attributes.hpp"

#include "text/quantity.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {

namespace {

constexpr double any_rate = 1.0;  ///< stands in for a faulty one

}  // namespace

Attributes read_attributes(const YamlNode& mapping, Faults& faults) {
  const auto quantity = [&](const char* key, double (*parse)(std::string_view), const char* example, double stand_in) {
    const YamlNode* node = mapping.find(key);
    if (node == nullptr) {
      return std::optional<double>();
    }
    if (!check_kind(*node, YamlNode::Kind::scalar, key, example, faults)) {
      return std::optional(stand_in);
    }
    try {
      return std::optional(parse(node->text));
    } catch (const BadQuantity& bad) {
      faults.add(*node, bad.what());
      return std::optional(stand_in);
    }
  };
  return {.rate_bps = quantity("rate", parse_rate, "100Mbit", any_rate),
          .latency_s = quantity("latency", parse_time, "20us", 0.0)};
}

Attributes read_attributes(const YamlNode& mapping, const Attributes& defaults, Faults& faults) {
  Attributes found = read_attributes(mapping, faults);
  found.rate_bps = found.rate_bps ? found.rate_bps : defaults.rate_bps;
  found.latency_s = found.latency_s ? found.latency_s : defaults.latency_s.value_or(0.0);
  if (!found.rate_bps) {
    faults.add(mapping, "no rate is given; write rate: 100Mbit here, or once for all under defaults");
    found.rate_bps = any_rate;
  }
  return found;
}

}  // namespace trunkline
