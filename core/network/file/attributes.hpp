// SPDX-License-Identifier: Apache-2.0
// Rate, latency, the way back, injection time, TCP's window and impairments as far as a part of a cluster file gives
// them.
#pragma once

#include <cstdint>
#include <optional>

#include "network/cluster.hpp"
#include "network/impair/impairments.hpp"
#include "text/quantity.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

struct Attributes {
  std::optional<LinkRate> rate;
  std::optional<double> latency_s;
  std::optional<double> injection_s{};              ///< of hosts alone
  std::optional<std::uint64_t> tcp_window_bytes{};  ///< of hosts alone
  Impairments impairments{};
  std::optional<OneWay> back{};  ///< of an entry that has `back`, where all else that it says is there
};

/// What the mapping says; a faulty value is reported, and a sound one stands in for it.
[[nodiscard]] Attributes read_attributes(const YamlNode& mapping, Faults& faults);

/// What the mapping says, else the defaults, else no latency; both are there. No rate at all is a fault. What its
/// `back` does not say is as on the way there.
[[nodiscard]] Attributes read_attributes(const YamlNode& mapping, const Attributes& defaults, Faults& faults);

/// What the mapping says of a switch, else what the defaults say.
[[nodiscard]] SwitchSettings read_settings(const YamlNode& mapping, const SwitchSettings& defaults, Faults& faults);

}  // namespace trunkline
