// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/codes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::runtime {
namespace {

constexpr std::array<Element, 256> inverses = [] {
  std::array<Element, 256> all{};
  for (unsigned a = 1; a < all.size(); ++a) all[a] = inverse(static_cast<Element>(a));
  return all;
}();

/// Square, row by row.
class Matrix {
 public:
  explicit Matrix(std::size_t size) : size_(size), elements_(size * size) {}
  Element& at(std::size_t row, std::size_t column) { return elements_[row * size_ + column]; }

  /// By Gauss and Jordan. Every square part of a Cauchy matrix is regular, and so is what elimination leaves of it: no
  /// pivot is zero.
  [[nodiscard]] Matrix inverted() && {
    Matrix result(size_);
    for (std::size_t i = 0; i < size_; ++i) result.at(i, i) = 1;
    for (std::size_t pivot = 0; pivot < size_; ++pivot) {
      const Element scale = inverses[at(pivot, pivot)];
      for (Matrix* const one : {this, &result}) {
        for (std::size_t c = 0; c < size_; ++c) one->at(pivot, c) = times(one->at(pivot, c), scale);
      }
      for (std::size_t row = 0; row < size_; ++row) {
        const Element factor = at(row, pivot);
        if (row == pivot || factor == 0) continue;
        for (Matrix* const one : {this, &result}) {
          for (std::size_t c = 0; c < size_; ++c) one->at(row, c) ^= times(one->at(pivot, c), factor);
        }
      }
    }
    return result;
  }

 private:
  std::size_t size_;
  std::vector<Element> elements_;
};

}  // namespace

Element coefficient(std::uint32_t parity, std::uint32_t packet) { return inverses[(most_in_block + parity) ^ packet]; }

void encode(std::uint32_t number, std::span<const std::span<std::byte>> block, std::span<std::byte> parity) {
  std::ranges::fill(parity, std::byte{0});
  for (std::uint32_t packet = 0; packet < block.size(); ++packet) {
    add_product(parity, coefficient(number, packet), block[packet]);
  }
}

/// What is there is taken out of each parity packet; what is left are sums of the missing ones alone.
void decode(std::span<const std::span<std::byte>> block, std::span<const std::uint32_t> missing,
            std::span<Parity> have) {
  Matrix sums(missing.size());
  for (std::size_t row = 0; row < have.size(); ++row) {
    auto wanted = missing.begin();
    for (std::uint32_t packet = 0; packet < block.size(); ++packet) {
      const Element factor = coefficient(have[row].number, packet);
      if (wanted != missing.end() && *wanted == packet) {
        sums.at(row, static_cast<std::size_t>(wanted++ - missing.begin())) = factor;
      } else {
        add_product(have[row].bytes, factor, block[packet]);
      }
    }
  }
  Matrix shares = std::move(sums).inverted();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const std::span<std::byte> packet = block[missing[i]];
    std::ranges::fill(packet, std::byte{0});
    for (std::size_t row = 0; row < have.size(); ++row) {
      add_product(packet, shares.at(i, row), std::span<const std::byte>(have[row].bytes).first(packet.size()));
    }
  }
}

}  // namespace trunkline::runtime
