// SPDX-License-Identifier: Apache-2.0
// What somebody probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trunkline {

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other, letters compared without
/// case.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`; empty where none is near enough to be meant (a third of its letters changed).
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// " (did you mean X?)". Of up to three candidates that have the word as a part between hyphens, " (did you mean A-X or
/// B-X?)"; else of the nearest one; else of those that have a part like it. Nothing where there is none either.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace trunkline
