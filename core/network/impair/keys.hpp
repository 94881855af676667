// SPDX-License-Identifier: Apache-2.0
// The keys of impairments, the same in cluster files and on the command: how each is read and written.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/impair/impairments.hpp"

namespace trunkline {

template <typename Target>
struct ImpairKey {
  std::string_view name;
  const char* example;
  void (*set)(Target&, std::string_view);  ///< throws BadQuantity
  std::string (*text)(const Target&);      ///< equal values, and only they, have equal texts
};

[[nodiscard]] std::span<const ImpairKey<Impairments>> link_keys();
[[nodiscard]] std::span<const ImpairKey<SwitchSettings>> switch_keys();

/// The names that a mapping may have: these, and those of the keys.
template <typename Target>
[[nodiscard]] std::vector<std::string_view> with_keys(std::vector<std::string_view> names,
                                                      std::span<const ImpairKey<Target>> keys) {
  for (const ImpairKey<Target>& key : keys) names.push_back(key.name);
  return names;
}

}  // namespace trunkline
