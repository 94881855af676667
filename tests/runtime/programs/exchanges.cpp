// SPDX-License-Identifier: Apache-2.0
// runtime-exchanges CALLS SEED: so many allreduces over random trees in which two roots exchange what has come up to
// them, on 2 to 13 ranks that are threads of this process. Lengths, segments, windows and late ranks are random, and so
// is who has its operand where the result goes. Sums of floating numbers must have the same bits on all ranks, and in
// the second of two calls that must be reproducible, whoever has its operand where then; an operation that does not
// commute must give what it gives by rank. Prints what went wrong; exit status 0 or 1.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allreduces.hpp"
#include "checked_calls.hpp"
#include "kinds/trees/trees.hpp"
#include "random_rounds.hpp"

namespace trunkline::runtime {
namespace {

using testing::below;
using testing::Bytes;
using testing::Call;
using testing::Elements;

constexpr unsigned longest_run_s = 540;

/// x -> times * x + plus, modulo 2^32; one after the other is another one, and which comes first matters.
struct Affine {
  std::uint32_t times;
  std::uint32_t plus;
  bool operator==(const Affine&) const = default;
};

Affine then(const Affine& first, const Affine& second) {
  return {first.times * second.times, first.plus * second.times + second.plus};
}

void compose(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const std::span first(static_cast<const Affine*>(in), static_cast<std::size_t>(*count));
  const std::span both(static_cast<Affine*>(inout), static_cast<std::size_t>(*count));
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = then(first[i], both[i]);
}

/// Ranks below one, with its own at any place among its children's parts; the exchange's is left out.
std::vector<Rank> below_in_order(const Tree& tree, Rank rank, std::mt19937& random) {
  std::vector<std::vector<Rank>> parts{{rank}};
  for (const Rank child : tree.children[rank]) {
    if (child != tree.exchange) parts.push_back(below_in_order(tree, child, random));
  }
  std::swap(parts[0], parts[below(random, parts.size())]);
  std::vector<Rank> all;
  for (const std::vector<Rank>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Tree random_tree(Rank ranks, Rank root, std::mt19937& random) {
  std::vector<Rank> order;
  for (Rank rank = 0; rank < ranks; ++rank) {
    order.push_back(rank);
    std::swap(order.back(), order[below(random, order.size())]);
  }
  std::swap(order.front(), *std::ranges::find(order, root));
  Tree tree = root_alone(ranks, root);
  const std::uint64_t near = 1 + below(random, ranks);  // long lines, wide trees, and what is between
  for (Rank i = 1; i < ranks; ++i) {
    const auto first = i > near ? i - near : 0;
    add_child(tree, order[first + below(random, i - first)], order[i]);
  }
  const std::vector<Rank>& children = tree.children[root];
  if (below(random, 6) > 0) tree.exchange = children[below(random, children.size())];
  return tree;
}

/// The same tree over ranks that are numbered so that operands can be combined by rank.
Tree numbered(const Tree& tree, std::mt19937& random) {
  std::vector<Rank> order = below_in_order(tree, tree.root, random);
  if (tree.exchange != no_rank) {
    const std::vector<Rank> other = below_in_order(tree, tree.exchange, random);
    order.insert(below(random, 2) == 0 ? order.begin() : order.end(), other.begin(), other.end());
  }
  std::vector<Rank> number(order.size());
  for (Rank place = 0; place < order.size(); ++place) number[order[place]] = place;
  Tree named = root_alone(static_cast<Rank>(tree.size()), number[tree.root]);
  for (const Rank rank : parents_first(tree)) {
    for (const Rank child : tree.children[rank]) add_child(named, number[rank], number[child]);
  }
  if (tree.exchange != no_rank) named.exchange = number[tree.exchange];
  return named;
}

class Trials {
 public:
  explicit Trials(unsigned seed) : random_(seed) {
    PMPI_Type_contiguous(2, MPI_UNSIGNED, &affine_);
    PMPI_Type_commit(&affine_);
    PMPI_Op_create(compose, 0, &composition_);
  }
  ~Trials() {
    PMPI_Op_free(&composition_);
    PMPI_Type_free(&affine_);
  }
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  /// What went wrong; empty: nothing.
  std::string next() {
    const auto ranks = static_cast<Rank>(2 + below(random_, 12));
    const bool by_rank = below(random_, 2) == 0;
    const auto root = static_cast<Rank>(below(random_, ranks));
    Trees trees;
    for (std::uint64_t more = by_rank ? 1 : 1 + below(random_, 3); more > 0; --more) {
      trees.push_back(random_tree(ranks, root, random_));
    }
    if (by_rank) trees.front() = numbered(trees.front(), random_);
    constexpr std::size_t counts[] = {1, 2, 7, 100, 3000};
    const Elements floats{.type = MPI_FLOAT, .operation = MPI_SUM, .bytes = sizeof(float), .order = OperandOrder::any};
    const Elements maps{
        .type = affine_, .operation = composition_, .bytes = sizeof(Affine), .order = OperandOrder::by_rank};
    Call call{.plan = plan_of(trees),
              .elements = by_rank ? maps : floats,
              .count = counts[below(random_, std::size(counts))],
              .pace = {},
              .late = below(random_, 3) == 0 ? static_cast<int>(below(random_, ranks)) : -1};
    call.pace.segment_bytes = std::max(std::uint64_t{8} << below(random_, 9), call.count / 8);
    const std::uint64_t in_flight = std::uint64_t{1} << below(random_, 15);
    call.pace.in_flight = {.bytes = in_flight, .delay_bytes = in_flight, .hops_for_each_lead = 1.0};
    call.plan.steps().check(Collective::allreduce);
    if (by_rank && !call.plan.steps().keeps_rank_order()) return "a plan does not keep the order it was made for";
    const std::string wrong = by_rank ? wrong_by_rank(call, ranks) : wrong_bits(call, ranks);
    if (wrong.empty()) return wrong;
    std::string text = wrong + ": " + std::to_string(call.count) + " elements on " + std::to_string(ranks) +
                       " ranks in segments of " + std::to_string(call.pace.segment_bytes) + "\n";
    call.plan.steps().write(text);
    return text;
  }

 private:
  std::vector<bool> random_places(Rank ranks) {
    std::vector<bool> in_place;
    for (Rank rank = 0; rank < ranks; ++rank) in_place.push_back(below(random_, 2) == 0);
    return in_place;
  }

  template <class Element>
  static Bytes bytes_of(const std::vector<Element>& elements) {
    Bytes bytes(elements.size() * sizeof(Element));
    std::memcpy(bytes.data(), elements.data(), bytes.size());
    return bytes;
  }

  /// Sums of numbers that are so different that each order of them gives other bits.
  std::string wrong_bits(const Call& call, Rank ranks) {
    std::vector<Bytes> own;
    std::vector<double> sums(call.count, 0.0);
    std::vector<double> sizes(call.count, 0.0);
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<float> mine;
      for (std::size_t i = 0; i < call.count; ++i) {
        mine.push_back(
            std::ldexp(static_cast<float>(below(random_, 1U << 20)) - 5e5F, static_cast<int>(below(random_, 20))));
        sums[i] += mine[i];
        sizes[i] += std::abs(mine[i]);
      }
      own.push_back(bytes_of(mine));
    }
    const std::vector<Bytes> results = testing::results_of(call, own, random_places(ranks));
    if (results.empty()) return "a rank failed";
    std::vector<float> sum(call.count);
    std::memcpy(sum.data(), results.front().data(), results.front().size());
    for (std::size_t i = 0; i < call.count; ++i) {
      if (std::abs(sum[i] - sums[i]) > 1e-5 * sizes[i]) return "a sum is wrong";
    }
    for (const Bytes& one : results) {
      if (one != results.front()) return "ranks have other bits";
    }
    return testing::results_of(call, own, random_places(ranks)) == results ? "" : "a second call has other bits";
  }

  std::string wrong_by_rank(const Call& call, Rank ranks) {
    std::vector<Bytes> own;
    std::vector<Affine> all(call.count, {1, 0});
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<Affine> mine;
      for (std::size_t i = 0; i < call.count; ++i) {
        mine.push_back({static_cast<std::uint32_t>(random_()) | 1U, static_cast<std::uint32_t>(random_())});
        all[i] = then(all[i], mine[i]);
      }
      own.push_back(bytes_of(mine));
    }
    const std::vector<Bytes> results = testing::results_of(call, own, random_places(ranks));
    if (results.empty()) return "a rank failed";
    const Bytes expected = bytes_of(all);
    for (const Bytes& one : results) {
      if (one != expected) return "the order by rank is wrong";
    }
    return "";
  }

  std::mt19937 random_;
  MPI_Datatype affine_ = MPI_DATATYPE_NULL;
  MPI_Op composition_ = MPI_OP_NULL;
};

/// How many calls went wrong.
int run(int calls, unsigned seed) {
  Trials trials(seed);
  int wrong = 0;
  for (int call = 0; call < calls; ++call) {
    const std::string found = trials.next();
    if (found.empty()) continue;
    ++wrong;
    std::fprintf(stderr, "call %d: %s\n", call, found.c_str());
  }
  return wrong;
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  return trunkline::testing::checked_calls(argc, argv, 3, [argv] {
    alarm(trunkline::runtime::longest_run_s);  // a call that hangs ends the program
    const int calls = std::atoi(argv[1]);
    return std::pair(trunkline::runtime::run(calls, static_cast<unsigned>(std::atoi(argv[2]))), calls);
  });
}
