// SPDX-License-Identifier: Apache-2.0
#include "text/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace trunkline {

namespace {

// Longer words are no misspellings of anything here, and comparing them would cost the product of their lengths.
constexpr std::size_t longest_word = 64;

constexpr std::size_t most_parts_meant = 3;

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

/// Whether a part of the text between hyphens is the word, but for `edits` of its letters.
bool has_part_like(std::string_view text, std::string_view word, std::size_t edits) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('-', at), text.size());
    if (edit_distance(word, text.substr(at, end - at)) <= edits) return true;
    at = end + 1;
  }
  return false;
}

/// Of words with several parts; the shortest first, which says least besides.
std::vector<std::string_view> with_a_part_like(std::string_view word, std::size_t edits,
                                               std::span<const std::string_view> candidates) {
  std::vector<std::string_view> found;
  if (word.empty() || word.size() > longest_word) return found;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() <= longest_word && has_part_like(candidate, word, edits)) found.push_back(candidate);
  }
  std::ranges::stable_sort(found, {}, &std::string_view::size);
  found.resize(std::min(found.size(), most_parts_meant));
  return found;
}

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
  constexpr std::size_t letters_an_edit = 4;
  std::vector<std::string_view> meant = with_a_part_like(word, 0, candidates);
  if (meant.empty()) meant = {nearest(word, candidates)};
  if (meant.front().empty()) meant = with_a_part_like(word, word.size() / letters_an_edit, candidates);
  std::string text;
  for (std::size_t i = 0; i < meant.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 == meant.size() ? " or " : ", ").append(meant[i]);
  }
  return text.empty() ? text : " (did you mean " + text + "?)";
}

}  // namespace trunkline
