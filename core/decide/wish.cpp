// SPDX-License-Identifier: Apache-2.0
#include "decide/wish.hpp"

#include <stdexcept>
#include <string>

#include "algorithms/registry.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

std::uint64_t wished_segment(std::string_view text) {
  const bool bare = text.find_first_not_of("0123456789") == std::string_view::npos && !text.empty();
  try {
    const std::uint64_t bytes = parse_bytes(bare ? std::string(text) + "B" : std::string(text));
    if (bytes <= longest_segment) return bytes;
  } catch (const BadQuantity& wrong) {
    throw std::invalid_argument(std::string("segment: ") + wrong.what());
  }
  throw std::invalid_argument("segment: " + std::string(text) + " is more than 1GiB");
}

}  // namespace

Wish parse_wish(Collective collective, std::string_view text) {
  if (text == "auto") return {};
  if (text == "native") return {.kind = Wish::Kind::native};
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto algorithm = find_algorithm(collective, name);
  if (!algorithm) {
    throw std::invalid_argument(no_such_algorithm(collective, name));
  }
  if (algorithm->is_native()) throw std::invalid_argument("native takes no segment");
  const CollectiveFacts& facts = facts_of(collective);
  return {.kind = Wish::Kind::forced,
          .algorithm = algorithm->name,
          .needs_cluster = algorithm->needs_cluster,
          .has_one_order = !facts.has_operand_order() || (algorithm->has_one_order && !algorithm->by_size),
          .segment_bytes = colon == std::string_view::npos ? 0 : wished_segment(text.substr(colon + 1))};
}

}  // namespace trunkline
