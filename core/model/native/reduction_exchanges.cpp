// SPDX-License-Identifier: Apache-2.0
#include "model/native/reduction_exchanges.hpp"

#include <bit>
#include <vector>

namespace trunkline {
namespace {

/// The exchanges of a power of two of the ranks, as MPICH and Open MPI make them: where there are more ranks, the first
/// ones go in pairs, and one of each pair stands for both.
class Folded {
 public:
  explicit Folded(Rank ranks) : active_(std::bit_floor(ranks)), pairs_(ranks - active_) {}

  [[nodiscard]] Rank active() const { return active_; }

  /// Everybody with whoever is that far away.
  [[nodiscard]] Exchange exchange(Rank distance, double part, bool reduces) const {
    Exchange one{.transfers = {}, .part = part, .reducing = reduces ? 1.0 : 0.0};
    for (Rank i = 0; i < active_; ++i) one.transfers.emplace_back(rank(i), rank(i ^ distance));
    return one;
  }

  /// In pairs first, then halves, quarters, ... of the vector, between the nearest first.
  [[nodiscard]] std::vector<Exchange> halving() const {
    std::vector<Exchange> all{fold(false)};
    double part = 1.0;
    for (Rank distance = 1; distance < active_; distance *= 2) all.push_back(exchange(distance, part /= 2.0, true));
    return all;
  }

  /// Up a binomial tree: those that are that far from their parent.
  [[nodiscard]] Exchange gather(Rank distance, double part) const {
    Exchange one{.part = part};
    for (Rank i = distance; i < 2 * distance; ++i) one.transfers.emplace_back(rank(i), rank(i - distance));
    return one;
  }

  [[nodiscard]] Exchange fold(bool back) const {
    Exchange one{.reducing = back ? 0.0 : 1.0};
    for (Rank i = 0; i < pairs_; ++i) {
      if (back) {
        one.transfers.emplace_back(2 * i + 1, 2 * i);
      } else {
        one.transfers.emplace_back(2 * i, 2 * i + 1);
      }
    }
    return one;
  }

 private:
  [[nodiscard]] Rank rank(Rank position) const { return position < pairs_ ? 2 * position + 1 : position + pairs_; }

  Rank active_;
  Rank pairs_;
};

}  // namespace

std::vector<Exchange> recursive_doubling(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all{folded.fold(false)};
  for (Rank distance = 1; distance < folded.active(); distance *= 2)
    all.push_back(folded.exchange(distance, 1.0, true));
  all.push_back(folded.fold(true));
  return all;
}

std::vector<Exchange> dissemination(Rank ranks) {
  std::vector<Exchange> all;
  for (std::uint64_t distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back();
    for (Rank from = 0; from < ranks; ++from) {
      one.transfers.emplace_back(from, static_cast<Rank>((from + distance) % ranks));
    }
  }
  return all;
}

std::vector<Exchange> halving_and_doubling(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all = folded.halving();
  double part = all.back().part;
  for (Rank distance = folded.active() / 2; distance > 0; distance /= 2, part *= 2.0) {
    all.push_back(folded.exchange(distance, part, false));
  }
  all.push_back(folded.fold(true));
  return all;
}

std::vector<Exchange> halving_of_blocks(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all{folded.fold(false)};
  double part = 1.0;
  for (Rank distance = folded.active() / 2; distance > 0; distance /= 2) {
    all.push_back(folded.exchange(distance, part /= 2.0, true));
  }
  all.push_back(folded.fold(true));
  all.back().part = 1.0 / ranks;
  return all;
}

std::vector<Exchange> halving_and_gather(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all = folded.halving();
  double part = all.back().part;
  for (Rank distance = folded.active() / 2; distance > 0; distance /= 2, part *= 2.0) {
    all.push_back(folded.gather(distance, part));
  }
  return all;
}

std::vector<Exchange> twice_round_a_ring(Rank ranks) {
  Exchange one{.transfers = {}, .part = 1.0 / ranks, .times = 2.0 * (ranks - 1), .reducing = 0.5};
  for (Rank rank = 0; rank < ranks; ++rank) one.transfers.emplace_back(rank, (rank + 1) % ranks);
  return {one};
}

std::vector<Exchange> up_binomial_tree(Rank ranks, Rank root) {
  std::vector<Exchange> all;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back(Exchange{.reducing = 1.0});
    for (Rank from = distance; from < ranks; from += 2 * distance) {
      one.transfers.emplace_back((from + root) % ranks, (from - distance + root) % ranks);
    }
  }
  return all;
}

Tree in_order_binary_tree(Rank ranks) {
  struct Part {
    Rank begin;
    Rank end;
  };
  Tree tree = root_alone(ranks, ranks - 1);
  std::vector<Part> parts{{.begin = 0, .end = ranks}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    const Rank half = begin + (end - begin) / 2;
    for (const Part& below : {Part{.begin = half, .end = end - 1}, Part{.begin = begin, .end = half}}) {
      if (below.begin >= below.end) continue;
      add_child(tree, end - 1, below.end - 1);
      parts.push_back(below);
    }
  }
  return tree;
}

}  // namespace trunkline
