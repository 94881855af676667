// SPDX-License-Identifier: Apache-2.0
// What has been read of a cluster file so far, and what its sections have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/cluster.hpp"
#include "network/file/attributes.hpp"
#include "network/file/parts_builder.hpp"
#include "text/fault.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

struct PartsRead {
  static constexpr std::size_t most_nodes = 1'000'000;

  Faults& faults;
  PartsBuilder parts{};
  Attributes defaults{};
  SwitchSettings switch_defaults{};
  std::vector<std::string> switch_names{};  ///< the first of them, for "did you mean"
  bool switches_known = false;
  bool complete = true;  ///< no link is missing because of a fault already reported

  /// The names of a host list as far as there may be that many nodes; marks the structure incomplete on a fault.
  [[nodiscard]] std::optional<std::vector<std::string>> names(const YamlNode& node, std::string_view what);

  /// Marks the structure incomplete where there is none, and says so where the switches are known.
  [[nodiscard]] std::optional<NodeId> find_switch(const std::string& name, Position at);
};

}  // namespace trunkline
