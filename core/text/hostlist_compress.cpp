// SPDX-License-Identifier: Apache-2.0
#include "text/hostlist.hpp"

namespace trunkline {

namespace {

/// A name as "prefix" and a number at its end, where there is one that a range can give back.
struct Split {
  std::string_view prefix;
  std::string_view digits;
};

Split split(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1]) && name.size() - begin < most_digits) {
    --begin;
  }
  return {name.substr(0, begin), name.substr(begin)};
}

}  // namespace

std::string compress_hostlist(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const Split first = split(names[i]);
    std::string ranges;
    std::size_t runs = 0;
    std::size_t next = i;
    // Runs of consecutive numbers under one prefix and width share one pair of brackets.
    while (next < names.size() && !first.digits.empty()) {
      const Split begin = split(names[next]);
      if (begin.prefix != first.prefix || begin.digits.empty()) {
        break;
      }
      std::size_t end = next + 1;
      while (end < names.size()) {
        const Split candidate = split(names[end]);
        if (candidate.prefix != first.prefix || candidate.digits.empty() ||
            candidate.digits != padded(number(begin.digits) + (end - next), begin.digits.size())) {
          break;
        }
        ++end;
      }
      ranges += (ranges.empty() ? "" : ",") + std::string(begin.digits);
      if (end - next > 1) {
        ranges += "-" + std::string(split(names[end - 1]).digits);
      }
      ++runs;
      next = end;
    }
    out += out.empty() ? "" : ",";
    if (next <= i + 1) {
      out += names[i];
      next = i + 1;
    } else {
      out += std::string(first.prefix) + "[" + ranges + "]";
    }
    i = next;
  }
  return out;
}

}  // namespace trunkline
