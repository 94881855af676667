// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/pairs_by_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "algorithms/rounds/pair_phases.hpp"

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

RoundList pairs_by_hosts(const Cluster& cluster, const Placement& placement, std::span<const Rank> order,
                         std::uint64_t block_bytes) {
  const std::uint64_t ranks = order.size();
  std::vector<OfHost> hosts;
  Placement firsts;  // of the first rank of each
  Rank most = 0;
  for (Rank position = 0; position < ranks; ++position) {
    if (position == 0 || placement[order[position]] != firsts.back()) {
      hosts.push_back({.begin = position});
      firsts.push_back(placement[order[position]]);
    }
    most = std::max(most, ++hosts.back().count);
  }
  RoundList list{.blocks = ranks * ranks, .lead = pair_lead};
  Adder gathered(list, 0);
  for (const auto& [begin, count] : hosts) {
    for (Rank i = 1; i < count; ++i) {
      gathered.add(i - 1, {.from = order[begin + i], .to = order[begin], .first = (begin + i) * ranks, .count = ranks});
    }
  }
  std::vector<Rank> all_hosts(hosts.size());
  for (Rank host = 0; host < all_hosts.size(); ++host) all_hosts[host] = host;
  Adder exchanged(list, list.rounds.size());
  std::size_t round = 0;
  const std::uint64_t message_bytes = std::uint64_t{most} * most * block_bytes;
  for (const PairRound& pairs : pair_phases(cluster, firsts, all_hosts, message_bytes, queue_bytes_of(cluster))) {
    for (const auto& [from, to, then] : pairs) {
      const OfHost& sender = hosts[from];
      const OfHost& receiver = hosts[to];
      Transfer transfer{.from = order[sender.begin], .to = order[receiver.begin]};
      if (then) {
        transfer.first = receiver.begin * ranks + hosts[*then].begin;
        transfer.count = 0;
      } else {
        transfer.first = sender.begin * ranks + receiver.begin;
        transfer.count = receiver.count;
        transfer.rows = sender.count;
        transfer.stride = sender.count > 1 ? ranks : 0;
      }
      exchanged.add(round, transfer);
    }
    ++round;
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
