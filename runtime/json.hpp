// SPDX-License-Identifier: Apache-2.0
// Members of one JSON object, in one line.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace trunkline::runtime {

class JsonFields {
 public:
  JsonFields& add(std::string_view name, std::string_view text) { return put(name, quoted(text)); }
  template <std::integral Number>
  JsonFields& add(std::string_view name, Number number) {
    return put(name, std::to_string(number));
  }
  /// JSON has no infinity: such a number is null.
  JsonFields& add(std::string_view name, double number) {
    if (!std::isfinite(number)) return put(name, "null");
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", number);
    return put(name, text.data());
  }
  JsonFields& add(const JsonFields& others) {
    if (!others.members_.empty()) members_ += (members_.empty() ? "" : ", ") + others.members_;
    return *this;
  }

  /// With its braces.
  [[nodiscard]] std::string object() const { return "{" + members_ + "}"; }

 private:
  JsonFields& put(std::string_view name, std::string_view value) {
    members_.append(members_.empty() ? "" : ", ").append(quoted(name)).append(": ").append(value);
    return *this;
  }

  static std::string quoted(std::string_view text) {
    std::string all = "\"";
    for (const char one : text) {
      if (one == '"' || one == '\\') {
        all.append(1, '\\').append(1, one);
      } else if (const auto code = static_cast<unsigned char>(one); code < 0x20) {
        std::array<char, 8> escaped{};
        std::snprintf(escaped.data(), escaped.size(), "\\u%04x", code);
        all += escaped.data();
      } else {
        all += one;
      }
    }
    return all + "\"";
  }

  std::string members_;
};

}  // namespace trunkline::runtime
