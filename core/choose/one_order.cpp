// SPDX-License-Identifier: Apache-2.0
#include "choose/one_order.hpp"

#include <algorithm>
#include <limits>

namespace trunkline {
namespace {

constexpr std::uint64_t shortest = 8;
constexpr std::uint64_t longest = std::uint64_t{16} << 20;

double seconds(const Alternative& one, std::uint64_t bytes) {
  return one.costs->fastest_segment(bytes, cuts_of(bytes)).seconds;
}

/// The greatest multiple of the fastest candidate's time, over the sizes.
double worst(const Alternatives& alternatives, const Alternative& one) {
  double most = 1.0;
  for (std::uint64_t bytes = shortest; bytes <= longest; bytes *= 4) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& other : alternatives.laid) {
      if (!other.by_datagrams) fastest = std::min(fastest, seconds(other, bytes));
    }
    most = std::max(most, seconds(one, bytes) / fastest);
  }
  return most;
}

}  // namespace

std::string_view algorithm_of_one_order(const Alternatives* alternatives, Collective collective, OperandOrder order,
                                        Rank root) {
  std::string_view steadiest;
  double least = std::numeric_limits<double>::infinity();
  if (alternatives != nullptr) {
    for (const auto& one : alternatives->laid) {
      if (!one.one_order || one.by_datagrams || (order == OperandOrder::by_rank && !one.by_rank)) continue;
      const double most = worst(*alternatives, one);
      if (most >= least) continue;
      least = most;
      steadiest = one.candidate->name;
    }
  }
  if (!steadiest.empty()) return steadiest;
  if (facts_of(collective).goes_by_shares()) return order == OperandOrder::any ? "unaware-ring" : "";
  if (order == OperandOrder::any) return "unaware-binary";
  return root == 0 ? "unaware-linear" : "";
}

}  // namespace trunkline
