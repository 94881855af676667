// SPDX-License-Identifier: Apache-2.0
#include "text/hostlist.hpp"

#include "text/names.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

/// One name or bracket expression after the other, from left to right.
class Expansion {
 public:
  Expansion(std::string_view text, std::size_t limit) : text_(text), limit_(limit) {}

  std::vector<std::string> run() {
    skip_blanks();
    if (at_ >= text_.size()) {
      throw BadHostlist(0, "an empty host list; write names such as node[01-16]");
    }
    while (true) {
      item();
      skip_blanks();
      if (at_ >= text_.size()) {
        return std::move(names_);
      }
      ++at_;  // the comma that ended the item
      skip_blanks();
      if (at_ >= text_.size()) {
        throw BadHostlist(text_.size() - 1, "a name is missing after the comma");
      }
    }
  }

 private:
  void item() {
    const std::size_t begin = at_;
    std::vector<std::string> made{""};
    while (at_ < text_.size() && text_[at_] != ',') {
      if (text_[at_] == '[') {
        const std::vector<std::string> numbers = bracket();
        if (numbers.size() * made.size() > limit_ - names_.size()) {
          throw too_many();
        }
        std::vector<std::string> longer;
        longer.reserve(made.size() * numbers.size());
        for (const std::string& prefix : made) {
          for (const std::string& digits : numbers) {
            longer.push_back(prefix + digits);
          }
        }
        made = std::move(longer);
      } else if (text_[at_] == ']') {
        throw BadHostlist(at_, "a ] without its [");
      } else if (text_[at_] == ' ' || text_[at_] == '\t') {
        skip_blanks();
        if (at_ < text_.size() && text_[at_] != ',') {
          throw BadHostlist(at_, "names are separated by commas, not by blanks");
        }
      } else {
        for (std::string& name : made) {
          name += text_[at_];
        }
        ++at_;
      }
      // Here, not at the end: a million names grow by each further letter.
      if (made.front().size() > longest_name) throw BadHostlist(begin, bad_name(made.front()));
    }
    if (made.size() > limit_ - names_.size()) {
      throw too_many();
    }
    for (std::string& name : made) {
      if (!is_valid_name(name)) {
        throw BadHostlist(begin, name.empty() ? "a name is missing before the comma" : bad_name(name));
      }
      names_.push_back(std::move(name));
    }
  }

  /// From [ to ]; what stands between them as digits with their padding.
  std::vector<std::string> bracket() {
    const std::size_t open = at_++;
    std::vector<std::string> numbers;
    while (true) {
      const std::size_t begin = at_;
      const std::string_view low = digits(open);
      std::string_view high = low;
      if (at_ < text_.size() && text_[at_] == '-') {
        ++at_;
        high = digits(open);
      }
      range(low, high, begin, numbers);
      if (at_ >= text_.size()) {
        throw BadHostlist(open, "a [ without its ]");
      }
      const char end = text_[at_++];
      if (end == ']') {
        return numbers;
      }
      if (end != ',') {
        throw BadHostlist(at_ - 1, "inside [ ] stand numbers and ranges, such as [01-16,20]");
      }
    }
  }

  std::string_view digits(std::size_t open) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      ++at_;
    }
    if (at_ == begin) {
      if (at_ >= text_.size()) {
        throw BadHostlist(open, "a [ without its ]");
      }
      throw BadHostlist(at_, "inside [ ] stand numbers and ranges, such as [01-16,20]");
    }
    if (at_ - begin > most_digits) {
      throw BadHostlist(begin, "a number of more than " + std::to_string(most_digits) + " digits");
    }
    return text_.substr(begin, at_ - begin);
  }

  void range(std::string_view low, std::string_view high, std::size_t begin, std::vector<std::string>& numbers) const {
    const std::string shown = std::string(low) + "-" + std::string(high);
    const std::uint64_t first = number(low);
    const std::uint64_t last = number(high);
    if (first > last) {
      throw BadHostlist(begin,
                        "the range " + shown + " runs backwards; write " + std::string(high) + "-" + std::string(low));
    }
    if ((high.front() == '0' && high.size() > low.size()) || high.size() < low.size()) {
      throw BadHostlist(begin, "the ends of the range " + shown + " are padded differently; write " +
                                   padded(first, high.size()) + "-" + std::string(high));
    }
    if (last - first + 1 > limit_ - names_.size() || last - first + 1 > limit_ - numbers.size()) {
      throw too_many();
    }
    for (std::uint64_t value = first; value <= last; ++value) {
      numbers.push_back(padded(value, low.size()));
    }
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  [[nodiscard]] BadHostlist too_many() const {
    return BadHostlist(0, "more than " + std::to_string(limit_) + " names; is a number mistyped?");
  }

  std::string_view text_;
  std::size_t limit_;
  std::size_t at_ = 0;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text, std::size_t limit) {
  return Expansion(text, limit).run();
}

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
