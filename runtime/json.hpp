// SPDX-License-Identifier: Apache-2.0
// Members of one JSON object, in one line.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace trunkline::runtime {

class JsonFields {
 public:
  JsonFields& add(std::string_view name, std::string_view text) { return put(name, json_text(text)); }
  template <std::integral Number>
  JsonFields& add(std::string_view name, Number number) {
    if constexpr (std::same_as<Number, bool>) return put(name, number ? "true" : "false");
    return put(name, std::to_string(number));
  }
  /// JSON has no infinity: such a number is null.
  JsonFields& add(std::string_view name, double number) {
    if (!std::isfinite(number)) return put(name, "null");
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", number);
    return put(name, text.data());
  }
  /// A value that is JSON already.
  JsonFields& add_json(std::string_view name, std::string_view value) { return put(name, value); }
  JsonFields& add(const JsonFields& others) {
    if (!others.members_.empty()) members_ += (members_.empty() ? "" : ", ") + others.members_;
    return *this;
  }

  /// With its braces.
  [[nodiscard]] std::string object() const { return "{" + members_ + "}"; }

 private:
  JsonFields& put(std::string_view name, std::string_view value) {
    members_.append(members_.empty() ? "" : ", ").append(json_text(name)).append(": ").append(value);
    return *this;
  }

  std::string members_;
};

}  // namespace trunkline::runtime
