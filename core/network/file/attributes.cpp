// SPDX-License-Identifier: Apache-2.0
#include "network/file/attributes.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "network/impair/keys.hpp"
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

template <typename Target>
Target by_keys(const YamlNode& mapping, std::span<const ImpairKey<Target>> keys, Target target, Faults& faults) {
  for (const ImpairKey<Target>& key : keys) {
    const YamlNode* const node = mapping.find(key.name);
    if (node == nullptr || !check_kind(*node, YamlNode::Kind::scalar, key.name, key.example, faults)) continue;
    try {
      key.set(target, node->text);
    } catch (const BadQuantity& bad) {
      faults.add(*node, std::string(key.name) + ": " + bad.what());
    }
  }
  return target;
}

constexpr const char* back_example = "{rate: 10Mbit, latency: 40ms}";

OneWay read_back(const YamlNode& back, const Attributes& there, Faults& faults) {
  OneWay way{there.rate->bps, *there.latency_s};
  if (!check_kind(back, YamlNode::Kind::mapping, "back", back_example, faults)) return way;
  static constexpr std::array<std::string_view, 2> keys{"rate", "latency"};
  check_keys(back, keys, faults);
  if (back.items.empty()) {
    faults.add(back, std::string("back says nothing; write what differs on the way back, such as ") + back_example);
  }
  way.rate_bps = quantity(back, "rate", parse_rate, "10Mbit", any_rate.bps, faults).value_or(way.rate_bps);
  way.latency_s = quantity(back, "latency", parse_time, "40ms", 0.0, faults).value_or(way.latency_s);
  return way;
}

Attributes stated(const YamlNode& mapping, const Impairments& defaults, Faults& faults) {
  return {.rate = quantity(mapping, "rate", parse_link_rate, "100Mbit", any_rate, faults),
          .latency_s = quantity(mapping, "latency", parse_time, "20us", 0.0, faults),
          .injection_s = quantity(mapping, "injection", parse_time, "50us", 0.0, faults),
          .tcp_window_bytes = quantity(mapping, "tcp_window", parse_bytes, "3MiB", std::uint64_t{1}, faults),
          .impairments = by_keys(mapping, link_keys(), defaults, faults)};
}

}  // namespace

Attributes read_attributes(const YamlNode& mapping, Faults& faults) { return stated(mapping, {}, faults); }

Attributes read_attributes(const YamlNode& mapping, const Attributes& defaults, Faults& faults) {
  Attributes found = stated(mapping, defaults.impairments, faults);
  found.rate = found.rate ? found.rate : defaults.rate;
  found.latency_s = found.latency_s ? found.latency_s : defaults.latency_s.value_or(0.0);
  found.injection_s = found.injection_s ? found.injection_s : defaults.injection_s.value_or(0.0);
  if (!found.tcp_window_bytes) found.tcp_window_bytes = defaults.tcp_window_bytes.value_or(0);
  if (!found.rate) {
    faults.add(mapping, "no rate is given; write rate: 100Mbit here, or once for all under defaults");
    found.rate = any_rate;
  }
  if (const YamlNode* const back = mapping.find("back")) found.back = read_back(*back, found, faults);
  return found;
}

SwitchSettings read_settings(const YamlNode& mapping, const SwitchSettings& defaults, Faults& faults) {
  return by_keys(mapping, switch_keys(), defaults, faults);
}

}  // namespace trunkline
