// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_part.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "execute/chained.hpp"
#include "execute/joined.hpp"
#include "execute/multicast/staged_sites.hpp"
#include "execute/multicast/turns.hpp"
#include "execute/rounds/rounds_part.hpp"
#include "execute/trees/local_tree.hpp"
#include "execute/trees/pipelined_trees.hpp"
#include "execute/without_messages.hpp"
#include "kinds/multicast/groups.hpp"
#include "kinds/rounds/rounds.hpp"

namespace trunkline::runtime {
namespace {

/// Neither sends nor receives: it is over once something is so.
class Until final : public WithoutMessages {
 public:
  using Condition = std::function<bool()>;
  Until(Transport& transport, Condition is_so, int code = MPI_SUCCESS)
      : WithoutMessages(transport), is_so_(std::move(is_so)), code_(code) {}

  [[nodiscard]] int code() const override { return code_; }

 private:
  [[nodiscard]] bool advance() override { return is_so_(); }
  [[nodiscard]] bool looks_itself() const override { return true; }

  Condition is_so_;
  int code_;
};

[[nodiscard]] bool always() { return true; }

/// What one call needs besides.
struct Call {
  Call(const Gathered& gathered, std::span<const Rank> order, std::span<const std::size_t> sizes)
      : staged(gathered, order, sizes) {}

  StagedSites staged;
  bool have_others_come = false;  ///< to the one of the group that has them first
};

class GroupedTurnsPart final : public LocalPart {
 public:
  GroupedTurnsPart(const Multicast& multicast, Rank rank, std::span<const int> members)
      : groups_(lowest_of_groups(multicast)) {
    const std::size_t count = multicast.groups.size();
    own_ = group_of_ranks(multicast)[rank];
    const MulticastGroup& own = multicast.groups[own_];
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<Rank>& ranks = multicast.groups[(own_ + i) % count].ranks;
      order_.insert(order_.end(), ranks.begin(), ranks.end());
      sizes_.push_back(ranks.size());
      firsts_.push_back(members[ranks.front()]);
      if (i > 0) other_firsts_.push_back(firsts_.back());
    }
    turns_ = {.ranks = {}, .members = own.ranks, .at_once = multicast.at_once, .byte_s = own.byte_s};
    turns_.at_once = std::min(turns_.at_once, static_cast<Rank>(own.ranks.size()));
    for (const Rank one : own.ranks) turns_.ranks.push_back(members[one]);
    turns_.own = static_cast<std::size_t>(std::ranges::find(own.ranks, rank) - own.ranks.begin());
    const auto size = static_cast<Rank>(own.ranks.size());
    within_ = rounds_part(plan_of(generate_rounds("allgather-ring", by_number(size, 0))), static_cast<Rank>(turns_.own),
                          turns_.ranks);
    if (is_first()) {
      between_ =
          rounds_part(plan_of(generate_rounds("allgather-direct", by_number(static_cast<Rank>(count), 0))), 0, firsts_);
    }
    if (turns_.own > 0) line_.parent = turns_.ranks[turns_.own - 1];
    if (turns_.own + 1 < turns_.ranks.size()) line_.children = {turns_.ranks[turns_.own + 1]};
    line_peers_ = line_.children;
    if (!is_first()) {
      sources_ = {line_.parent};
      line_peers_.push_back(line_.parent);
    }
  }

  [[nodiscard]] bool is_root() const override { return own_ == 0 && is_first(); }
  [[nodiscard]] std::size_t streams() const override { return 1; }
  [[nodiscard]] bool uses_datagrams() const override { return true; }
  [[nodiscard]] std::span<const Rank> datagram_groups() const override { return groups_; }

  /// The first rank of a group gets the shares of others for all of it. They go behind its own by turns; where no
  /// datagram reaches all of the group, nobody would repair, or most packets would be empty, its shares go round a ring
  /// and the others down a line, by messages. Other groups do not notice.
  [[nodiscard]] Running gather(Transport& transport, const Gathered& gathered, Message* own, bool in_place,
                               const Pace& pace) const override {
    auto call = std::make_shared<Call>(gathered, order_, sizes_);
    std::shared_ptr<Execution> all = by_turns(transport, call, gathered, own, in_place, pace);
    if (all == nullptr) all = by_messages(transport, call, gathered, own, in_place, pace);
    auto deliver = [&transport, call] {
      return std::make_shared<Until>(transport, always, call->staged.deliver_others());
    };
    return std::make_shared<Chained>(transport, std::move(all), std::move(deliver), nobody(), nobody());
  }

 private:
  [[nodiscard]] bool is_first() const { return turns_.own == 0; }
  [[nodiscard]] static std::span<const int> nobody() { return {}; }

  /// Null: they do not go so, on any rank of the group.
  [[nodiscard]] std::shared_ptr<Execution> by_turns(Transport& transport, const std::shared_ptr<Call>& call,
                                                    const Gathered& gathered, Message* own, bool in_place,
                                                    const Pace& pace) const {
    Datagrams* const datagrams = transport.datagrams();
    const std::uint32_t packets = datagrams != nullptr ? turns_.piece_packets(*datagrams) : 0;
    if (packets == 0) return nullptr;
    const Behind behind{.message = call->staged.others(), .has_come = is_first() ? &call->have_others_come : nullptr};
    auto gather =
        std::make_unique<GatherByTurns>(transport, *datagrams, turns_, packets, gathered, own, in_place, behind);
    if (!gather->is_worth_it()) return nullptr;
    datagrams->is_meeting();
    if (!is_first()) return gather;
    const GatherByTurns& own_group = *gather;
    auto site = std::make_unique<Until>(transport, [&own_group] { return own_group.have_shares_come(); });
    auto exchanged = chained_exchange(transport, call, std::move(site), pace);
    return std::make_shared<Joined>(transport, std::move(exchanged), std::move(gather), nobody());
  }

  [[nodiscard]] std::shared_ptr<Execution> by_messages(Transport& transport, const std::shared_ptr<Call>& call,
                                                       const Gathered& gathered, Message* own, bool in_place,
                                                       const Pace& pace) const {
    std::shared_ptr<Execution> all;
    if (turns_.ranks.size() == 1) {
      if (!in_place) call->staged.put_first(own);
      all = std::make_shared<Until>(transport, always);
    } else {
      Gathered shares = gathered;
      shares.shares.clear();
      for (const Rank one : turns_.members) shares.shares.push_back(gathered.shares[one]);
      all = within_->gather(transport, shares, own, in_place, pace);
    }
    if (is_first()) all = chained_exchange(transport, call, std::move(all), pace);
    Message* const others = call->staged.others();
    if (turns_.ranks.size() == 1 || others == nullptr) return all;
    auto down = [this, &transport, others, call, pace] {
      return std::make_shared<PipelinedTrees>(transport, std::span(&line_, 1), *others, pace.segment_bytes,
                                              pace.in_flight.bytes);
    };
    return std::make_shared<Chained>(transport, std::move(all), std::move(down), line_peers_, sources_);
  }

  /// Behind what brings the shares of its group: to the first of each other group, and theirs here.
  [[nodiscard]] std::unique_ptr<Execution> chained_exchange(Transport& transport, const std::shared_ptr<Call>& call,
                                                            std::shared_ptr<Execution> before, const Pace& pace) const {
    auto exchange = [this, &transport, call, pace] {
      call->staged.take_own();
      return between_->gather(transport, call->staged.of_groups(), nullptr, true, pace);
    };
    auto all =
        std::make_unique<Chained>(transport, std::move(before), std::move(exchange), other_firsts_, other_firsts_);
    auto have_come = [&transport, call] {
      return std::make_shared<Until>(transport, [call] { return call->have_others_come = true; });
    };
    return std::make_unique<Chained>(transport, std::move(all), std::move(have_come), nobody(), nobody());
  }

  std::vector<Rank> groups_;          ///< by rank of the communicator: the lowest of its group
  Rank own_ = 0;                      ///< the number of its group
  std::vector<Rank> order_{};         ///< of the communicator: its group's ranks, then those of one after another
  std::vector<std::size_t> sizes_{};  ///< of these groups
  std::vector<int> firsts_{};         ///< of these groups
  std::vector<int> other_firsts_{};   ///< but for the own one
  Turns turns_{};                     ///< of its group
  LocalTree line_{};                  ///< through its group
  std::vector<int> line_peers_{};     ///< of these
  std::vector<int> sources_{};        ///< whom it has others' shares from there
  std::unique_ptr<const LocalPart> within_{};
  std::unique_ptr<const LocalPart> between_{};  ///< of the first of a group
};

}  // namespace

std::unique_ptr<const LocalPart> grouped_turns_part(const Multicast& multicast, Rank rank,
                                                    std::span<const int> members) {
  return std::make_unique<const GroupedTurnsPart>(multicast, rank, members);
}

}  // namespace trunkline::runtime
