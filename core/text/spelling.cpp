// SPDX-License-Identifier: Apache-2.0
#include "text/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace trunkline {

namespace {

// Longer words are no misspellings of anything here, and comparing them would cost the product of their lengths.
constexpr std::size_t longest_word = 64;

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > longest_word) {
    return {};
  }
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_word) {
      continue;
    }
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view meant = nearest(word, candidates);
  return meant.empty() ? std::string() : " (did you mean " + std::string(meant) + "?)";
}

}  // namespace trunkline
