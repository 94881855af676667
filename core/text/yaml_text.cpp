// SPDX-License-Identifier: Apache-2.0
#include "text/yaml_text.hpp"

#include <array>
#include <charconv>

namespace trunkline {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

bool is_plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') {
    return false;
  }
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`<=~").find(text.front()) != std::string_view::npos) {
    return false;
  }
  if (text.substr(0, 3) == "..." || text.find(": ") != text.npos || text.find(" #") != text.npos) {
    return false;
  }
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || std::string_view("[]{},").find(c) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

/// Length of the UTF-8 sequence at the start of `text` that YAML takes for a line break or does not allow; else 0.
std::size_t unprintable(std::string_view text) {
  if (text.size() >= 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) {
    return 2;  // U+0080 to U+009F
  }
  const std::string_view three = text.substr(0, 3);
  return three == "\xE2\x80\xA8" || three == "\xE2\x80\xA9" || three == "\xEF\xBB\xBF" || three == "\xEF\xBF\xBE" ||
                 three == "\xEF\xBF\xBF"
             ? 3
             : 0;
}

std::string escaped(unsigned code_point) {
  std::string out = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    out += hex_digits[(code_point >> shift) & 0xFU];
  }
  return out;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t offset) {
      return static_cast<unsigned>(static_cast<unsigned char>(text[i + offset]));
    };
    if (text[i] == '"' || text[i] == '\\') {
      out += '\\';
      out += text[i];
    } else if (text[i] == '\n') {
      out += "\\n";
    } else if (text[i] == '\t') {
      out += "\\t";
    } else if (byte(0) < 0x20 || byte(0) == 0x7F) {
      out += escaped(byte(0));
    } else if (const std::size_t length = unprintable(text.substr(i)); length == 2) {
      out += escaped((byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU));
      i += 1;
    } else if (length == 3) {
      out += escaped((byte(0) & 0xFU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out + '"';
}

std::string yaml_scalar(std::string_view text) { return is_plain(text) ? std::string(text) : quoted(text); }

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16);
  const std::string digits(buffer.data(), end.ptr);
  return std::string(buffer.size() - digits.size(), '0') + digits;
}

}  // namespace trunkline
