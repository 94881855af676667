// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/pairs_by_hosts.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "algorithms/rounds/dealt.hpp"
#include "algorithms/rounds/pair_ring.hpp"

namespace trunkline {
namespace {

/// The ranks of a host, by position.
struct OfHost {
  Rank begin = 0;
  Rank count = 0;
};

/// Adds what is sent in the rounds from `first` on: one transfer of each host in each.
class Adder {
 public:
  Adder(RoundList& list, std::size_t first) : list_(list), first_(first) {}

  void add(std::size_t at, const Transfer& transfer) {
    if (list_.rounds.size() <= first_ + at) list_.rounds.resize(first_ + at + 1);
    list_.rounds[first_ + at].push_back(transfer);
  }

 private:
  RoundList& list_;
  std::size_t first_;
};

}  // namespace

RoundList pairs_by_hosts(const Placement& placement, std::span<const Rank> order) {
  const std::uint64_t ranks = order.size();
  std::vector<OfHost> hosts;
  for (Rank position = 0; position < ranks; ++position) {
    if (position == 0 || placement[order[position]] != placement[order[position - 1]]) {
      hosts.push_back({.begin = position});
    }
    ++hosts.back().count;
  }
  RoundList list{.blocks = ranks * ranks, .lead = pair_lead};
  Adder gathered(list, 0);
  for (const auto& [begin, count] : hosts) {
    for (Rank i = 1; i < count; ++i) {
      gathered.add(i - 1, {.from = order[begin + i], .to = order[begin], .first = (begin + i) * ranks, .count = ranks});
    }
  }
  std::vector<Rank> in_rows(hosts.size());
  std::iota(in_rows.begin(), in_rows.end(), Rank{0});
  const std::vector<Rank> ring = dealt(in_rows);
  Adder exchanged(list, list.rounds.size());
  for (std::size_t distance = 1; distance < ring.size(); ++distance) {
    for (std::size_t at = 0; at < ring.size(); ++at) {
      const OfHost& sender = hosts[ring[at]];
      const OfHost& receiver = hosts[ring[(at + distance) % ring.size()]];
      exchanged.add(distance - 1, {.from = order[sender.begin],
                                   .to = order[receiver.begin],
                                   .first = sender.begin * ranks + receiver.begin,
                                   .count = receiver.count,
                                   .rows = sender.count,
                                   .stride = sender.count > 1 ? ranks : 0});
    }
  }
  Adder handed_out(list, list.rounds.size());
  for (const OfHost& host : hosts) {
    const Rank first = order[host.begin];
    for (Rank i = 1; i < host.count; ++i) {
      const Rank position = host.begin + i;
      const auto column = [&](Rank from, Rank rows) {
        return Transfer{.from = first,
                        .to = order[position],
                        .first = from * ranks + position,
                        .rows = rows,
                        .stride = rows > 1 ? ranks : 0};
      };
      // Its own block it has.
      handed_out.add(std::size_t{2} * (i - 1), column(0, position));
      const auto behind = static_cast<Rank>(ranks - position - 1);
      if (behind > 0) handed_out.add(std::size_t{2} * i - 1, column(position + 1, behind));
    }
  }
  return list;
}

}  // namespace trunkline
