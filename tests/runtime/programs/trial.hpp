// SPDX-License-Identifier: Apache-2.0
// One call of any collective by any plan, run and checked on one rank, over whatever transport: what the programs that
// run many plans have in common.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collective/collective.hpp"
#include "datatype/message.hpp"
#include "execute/local_part.hpp"
#include "plan/plan.hpp"
#include "random_rounds.hpp"
#include "transport/transport.hpp"

namespace trunkline::testing {

using runtime::Gathered;
using runtime::Message;
using runtime::Operands;
using runtime::Pace;
using runtime::Running;
using runtime::Transport;

/// What an element is: integers at some places of a row, in the order of the signature. The others are gaps that
/// nobody may touch.
struct ElementKind {
  MPI_Datatype type = MPI_INT;
  MPI_Op operation = MPI_SUM;
  std::vector<std::uint64_t> places{0};
  std::uint64_t stride = 1;  ///< integers from element to element
  bool is_ordered = false;   ///< the operation does not commute
  [[nodiscard]] std::uint64_t values() const { return places.size(); }
  [[nodiscard]] std::uint64_t at(std::uint64_t value) const {
    return value / values() * stride + places[value % values()];
  }
};

/// Two blocks alike, equally far apart.
struct Pairs {
  static constexpr std::uint64_t stride = 4;
  static constexpr std::array<std::uint64_t, 2> places{0, 2};
};
/// Out of the memory's order, and two of them touch.
struct Turned {
  static constexpr std::uint64_t stride = 7;
  static constexpr std::array<std::uint64_t, 4> places{5, 0, 2, 3};
};
/// Many blocks alike, not equally far apart; longer than short segments.
struct Long {
  static constexpr std::uint64_t stride = 83;
  static constexpr auto places = [] {
    std::array<std::uint64_t, 20> at{};
    for (std::uint64_t i = 0; i < at.size(); ++i) at[i] = 4 * i + i % 3;
    return at;
  }();
};

template <class Row>
void add_rows(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) {
    for (const std::uint64_t place : Row::places) {
      const std::uint64_t at = static_cast<std::uint64_t>(i) * Row::stride + place;
      static_cast<int*>(inout)[at] += static_cast<int*>(in)[at];
    }
  }
}

template <class Row>
ElementKind kind_of() {
  ElementKind kind{.places = {Row::places.begin(), Row::places.end()}, .stride = Row::stride};
  const std::vector<int> places(Row::places.begin(), Row::places.end());
  MPI_Datatype row = MPI_DATATYPE_NULL;
  PMPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), MPI_INT, &row);
  PMPI_Type_create_resized(row, 0, Row::stride * sizeof(int), &kind.type);
  PMPI_Type_commit(&kind.type);
  PMPI_Type_free(&row);
  PMPI_Op_create(add_rows<Row>, 1, &kind.operation);
  return kind;
}

/// x -> (2a + 1) x + b, each of two integers: one after the other is another one than the other way round.
struct Maps {
  static void follow(const int* first, const int* second, int* both) {
    const auto factor = static_cast<unsigned>(first[0]) | 1U;
    const unsigned shift = factor * static_cast<unsigned>(second[1]) + static_cast<unsigned>(first[1]);
    both[0] = static_cast<int>(factor * (static_cast<unsigned>(second[0]) | 1U));
    both[1] = static_cast<int>(shift);
  }
  static void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    for (int i = 0; i < 2 * *count; i += 2) {
      int* const to = static_cast<int*>(inout) + i;
      follow(static_cast<int*>(in) + i, to, to);
    }
  }
};

/// `combine`: Maps::combine, or what does it wrongly.
inline ElementKind kind_of_maps(MPI_User_function* combine) {
  ElementKind kind{.places = {0, 1}, .stride = 2, .is_ordered = true};
  PMPI_Type_contiguous(2, MPI_INT, &kind.type);
  PMPI_Type_commit(&kind.type);
  PMPI_Op_create(combine, 0, &kind.operation);
  return kind;
}

/// Plain integers first.
inline std::vector<ElementKind> element_kinds() { return {{}, kind_of<Pairs>(), kind_of<Turned>(), kind_of<Long>()}; }

inline void release(std::vector<ElementKind>& kinds) {
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    PMPI_Type_free(&kinds[i].type);
    PMPI_Op_free(&kinds[i].operation);
  }
}

inline constexpr int gap = -77;

/// So many elements, the gaps among them marked.
class Buffer {
 public:
  Buffer(const ElementKind& kind, std::uint64_t elements)
      : kind_(kind), values_(elements * kind.values()), memory_(elements * kind.stride + 1, gap) {}
  [[nodiscard]] int* data() { return memory_.data(); }
  [[nodiscard]] std::uint64_t values() const { return values_; }
  int& operator[](std::uint64_t value) { return memory_[kind_.at(value)]; }
  /// All gaps, and what lies behind the last element.
  [[nodiscard]] bool has_gaps() {
    std::vector<int> left = memory_;
    for (std::uint64_t value = 0; value < values_; ++value) left[kind_.at(value)] = gap;
    return left == std::vector<int>(left.size(), gap);
  }

 private:
  const ElementKind& kind_;
  std::uint64_t values_;
  std::vector<int> memory_;
};

/// One plan, everywhere the same, and how it is run.
struct Trial {
  Collective collective;
  Rank ranks;
  Rank root;
  Plan plan;
  bool in_place;
  std::size_t kind;               ///< of elements: which of element_kinds()
  std::vector<MPI_Count> shares;  ///< elements of each rank; the first one's where all have one message
  std::uint64_t segment;
  std::uint64_t in_flight;
  int late;                ///< a rank, or none
  std::vector<int> far{};  ///< from all others; ascending
  int number;

  [[nodiscard]] int given(Rank rank, std::uint64_t value) const {
    return static_cast<int>((value * 31 + rank * 1009 + static_cast<std::uint64_t>(number) * 7) % 65521);
  }
  /// A value of what the operands of all ranks make.
  [[nodiscard]] int combined(const ElementKind& elements, std::uint64_t value) const {
    return combined(elements, value, ranks);
  }
  /// And those of the ranks below `end`, which is above 0.
  [[nodiscard]] int combined(const ElementKind& elements, std::uint64_t value, Rank end) const {
    if (!elements.is_ordered) {
      int sum = 0;
      for (Rank rank = 0; rank < end; ++rank) sum += given(rank, value);
      return sum;
    }
    const std::uint64_t first = value / 2 * 2;
    int all[2] = {given(0, first), given(0, first + 1)};
    for (Rank rank = 1; rank < end; ++rank) {
      const int next[2] = {given(rank, first), given(rank, first + 1)};
      Maps::follow(all, next, all);
    }
    return all[value % 2];
  }
};

/// All but its plan, from random numbers: lengths, shares (some may be empty), segment, window, elements, in place or
/// not, a late rank now and then.
inline constexpr std::array<std::uint64_t, 7> usual_lengths{1, 3, 25, 200, 600, 3000, 20000};
inline Trial random_trial(Collective collective, Rank ranks, int number, std::mt19937& random,
                          std::span<const std::uint64_t> lengths = usual_lengths) {
  const CollectiveFacts& facts = facts_of(collective);
  const bool barrier = collective == Collective::barrier;
  Trial trial{.collective = collective,
              .ranks = ranks,
              .root = facts.has_root ? static_cast<Rank>(below(random, ranks)) : 0,
              .plan = {},
              .in_place = below(random, 2) == 0 && !barrier,
              .kind = barrier ? 0 : std::max<std::uint64_t>(below(random, 7), 3) - 3,
              .shares = {},
              .segment = std::uint64_t{8} << below(random, 12),
              .in_flight = std::uint64_t{1} << below(random, 18),
              .late = below(random, 4) == 0 ? static_cast<int>(below(random, ranks)) : -1,
              .number = number};
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (below(random, 3) == 0) trial.far.push_back(static_cast<int>(rank));
  }
  constexpr std::uint64_t values[] = {1, Pairs::places.size(), Turned::places.size(), Long::places.size()};
  const std::uint64_t longest = std::max<std::uint64_t>(lengths[below(random, lengths.size())] / values[trial.kind], 1);
  trial.segment = std::max(trial.segment, longest / 16);
  for (Rank rank = 0; rank < ranks; ++rank) {
    const bool empty = below(random, 5) == 0 && rank + 1 < ranks;
    trial.shares.push_back(static_cast<MPI_Count>(empty ? 0 : 1 + below(random, longest)));
  }
  if (!facts.goes_by_shares()) trial.shares = {static_cast<MPI_Count>(barrier ? 1 : longest)};
  if (facts.goes_by_pairs()) trial.shares.front() = std::max<MPI_Count>(trial.shares.front() / ranks, 1);
  if (facts.even_shares && !facts.goes_by_pairs()) {
    trial.shares.assign(ranks, trial.shares.back());
  }
  return trial;
}

/// The same with 600 integers for all or for each, in one segment: so one rank may take it for a call that is shorter
/// by an element, and as many messages go, of other lengths.
inline Trial at_odds(Trial trial) {
  trial.kind = 0;
  trial.in_place = false;
  trial.shares.assign(trial.shares.size(), 600);
  trial.segment = std::uint64_t{1} << 20;
  trial.in_flight = trial.segment;
  trial.late = -1;
  return trial;
}

/// Of a trial that went wrong.
inline std::string text_of(const Trial& trial) {
  std::string text = "plan " + std::to_string(trial.number) + ", segment " + std::to_string(trial.segment) +
                     ", in flight " + std::to_string(trial.in_flight) + ", far " + std::to_string(trial.far.size()) +
                     ", root " + std::to_string(trial.root) + (trial.in_place ? ", in place" : "") +
                     ", elements of kind " + std::to_string(trial.kind) + ", shares";
  for (const MPI_Count share : trial.shares) text += " " + std::to_string(share);
  text += ":\n";
  trial.plan.steps().write(text);
  return text;
}

/// One rank's part of it.
class Runner {
 public:
  /// Runs an execution to its end, on one rank.
  using Drive = std::function<bool(const Running& execution)>;

  /// `by_arrival`: ranks of a host combine as they come, where they can. `drive`: none: as real time has it.
  Runner(Transport& transport, const Trial& trial, const ElementKind& kind, Rank rank, const runtime::LocalPart& part,
         bool by_arrival = false, Drive drive = {})
      : transport_(transport),
        trial_(trial),
        kind_(kind),
        rank_(rank),
        part_(part),
        by_arrival_(by_arrival),
        drive_(std::move(drive)) {
    for (const MPI_Count share : trial.shares) starts_.push_back(starts_.back() + static_cast<std::uint64_t>(share));
  }

  /// Whether all is right.
  bool run() {
    switch (trial_.collective) {
      case Collective::bcast:
        return bcast();
      case Collective::reduce:
      case Collective::allreduce:
      case Collective::barrier:
        return reduction();
      case Collective::reduce_scatter:
      case Collective::reduce_scatter_block:
        return reduce_shares();
      case Collective::allgather:
      case Collective::allgatherv:
        return gather();
      case Collective::alltoall:
      case Collective::alltoallv:
        return exchange();
      case Collective::gather:
      case Collective::scatter:
        return root_shares();
      case Collective::scan:
      case Collective::exscan:
        return scan();
    }
    return false;
  }

 private:
  [[nodiscard]] Pace pace() const {
    return {.segment_bytes = trial_.segment,
            .in_flight = {.bytes = trial_.in_flight,
                          .near_bytes = std::max(trial_.in_flight / 64, std::uint64_t{1}),
                          .far = trial_.far,
                          .delay_bytes = trial_.in_flight,
                          .hops_for_each_lead = 1.0},
            .by_arrival = by_arrival_};
  }

  bool drive(const Running& execution) const {
    if (drive_) return drive_(execution);
    if (trial_.late != static_cast<int>(rank_)) return execution->run() == MPI_SUCCESS;
    // Late at first, then a few steps at a time.
    usleep(1000);
    for (int steps = 1; steps <= 20; ++steps) {
      if (execution->step()) return execution->code() == MPI_SUCCESS;
      if (steps % 4 == 0) usleep(200);
    }
    return execution->run() == MPI_SUCCESS;
  }

  bool bcast() {
    Buffer data(kind_, starts_.back());
    for (std::uint64_t i = 0; i < data.values(); ++i) data[i] = rank_ == trial_.root ? trial_.given(0, i) : -1;
    Message message(data.data(), trial_.shares.front(), kind_.type, MPI_COMM_SELF);
    bool right = drive(part_.broadcast(transport_, message, pace()));
    for (std::uint64_t i = 0; i < data.values(); ++i) right = right && data[i] == trial_.given(0, i);
    return right && data.has_gaps();
  }

  [[nodiscard]] Operands operands(Buffer& own, Buffer& result, bool has_result) const {
    return Operands({.own = (trial_.in_place && has_result ? result : own).data(),
                     .result = has_result ? result.data() : nullptr,
                     .has_result = has_result,
                     .in_place = trial_.in_place && has_result,
                     .count = static_cast<MPI_Count>(starts_.back()),
                     .type = kind_.type,
                     .operation = kind_.operation,
                     .communicator = MPI_COMM_SELF});
  }

  /// This rank's operand, in both buffers.
  void fill(Buffer& own, Buffer& result) const {
    for (std::uint64_t i = 0; i < own.values(); ++i) own[i] = trial_.given(rank_, i);
    for (std::uint64_t i = 0; i < own.values() && trial_.in_place; ++i) result[i] = own[i];
  }

  bool reduction() {
    const bool everywhere = trial_.collective != Collective::reduce;
    const bool has_result = everywhere || rank_ == trial_.root;
    Buffer own(kind_, starts_.back());
    Buffer result(kind_, starts_.back());
    fill(own, result);
    const Operands data = operands(own, result, has_result);
    const OperandOrder order = kind_.is_ordered ? OperandOrder::by_rank : OperandOrder::any;
    bool right = drive(part_.reduce(transport_, data, pace(), everywhere, order));
    for (std::uint64_t i = 0; i < own.values(); ++i) {
      right = right && own[i] == trial_.given(rank_, i) && (!has_result || result[i] == trial_.combined(kind_, i));
    }
    return right && own.has_gaps() && result.has_gaps();
  }

  bool scan() {
    const bool excludes_own = facts_of(trial_.collective).after == Holding::before_own;
    const bool has_result = !excludes_own || rank_ > 0;
    Buffer own(kind_, starts_.back());
    Buffer result(kind_, starts_.back());
    fill(own, result);
    const Operands data = operands(own, result, has_result);
    bool right = drive(part_.scan(transport_, data, excludes_own, pace()));
    const Rank end = rank_ + (excludes_own ? 0 : 1);
    for (std::uint64_t i = 0; i < own.values(); ++i) {
      right = right && own[i] == trial_.given(rank_, i) && (!has_result || result[i] == trial_.combined(kind_, i, end));
    }
    return right && own.has_gaps() && result.has_gaps();
  }

  bool reduce_shares() {
    const auto share = static_cast<std::uint64_t>(trial_.shares[rank_]);
    Buffer own(kind_, starts_.back());
    Buffer result(kind_, trial_.in_place ? starts_.back() : share);
    fill(own, result);
    const Operands data = operands(own, result, true);
    bool right = drive(part_.reduce_shares(transport_, data, trial_.shares, pace()));
    for (std::uint64_t i = 0; i < share * kind_.values(); ++i) {
      right = right && result[i] == trial_.combined(kind_, starts_[rank_] * kind_.values() + i);
    }
    return right && own.has_gaps() && result.has_gaps();
  }

  bool gather() {
    Buffer result(kind_, starts_.back());
    Buffer own(kind_, static_cast<std::uint64_t>(trial_.shares[rank_]));
    Gathered gathered{.buffer = result.data(), .type = kind_.type, .communicator = MPI_COMM_SELF, .shares = {}};
    for (Rank rank = 0; rank < trial_.ranks; ++rank) {
      gathered.shares.push_back({trial_.shares[rank], static_cast<MPI_Count>(starts_[rank])});
    }
    const std::uint64_t first = starts_[rank_] * kind_.values();
    for (std::uint64_t i = 0; i < own.values(); ++i) own[i] = trial_.given(0, first + i);
    for (std::uint64_t i = 0; i < result.values(); ++i) {
      const bool is_own = trial_.in_place && i >= first && i < first + own.values();
      result[i] = is_own ? trial_.given(0, i) : -1;
    }
    std::optional<Message> share;
    if (!trial_.in_place && trial_.shares[rank_] > 0) {
      share.emplace(own.data(), trial_.shares[rank_], kind_.type, MPI_COMM_SELF);
    }
    bool right = drive(part_.gather(transport_, gathered, share ? &*share : nullptr, trial_.in_place, pace()));
    for (std::uint64_t i = 0; i < result.values(); ++i) right = right && result[i] == trial_.given(0, i);
    return right && result.has_gaps();
  }

  /// Of a block between two ranks, in place the same both ways; with lengths of their own some are empty.
  [[nodiscard]] std::uint64_t block_elements(Rank from, Rank to) const {
    const std::uint64_t elements = starts_.back();
    const std::uint64_t part = (from + (trial_.in_place ? 1 : 2) * to) % 4;
    return facts_of(trial_.collective).even_shares ? elements : elements * part / 2;
  }

  /// A rank's blocks for all, or from all, in a row.
  struct Row {
    Row(const Runner& on, bool is_sent) {
      for (Rank other = 0; other < on.trial_.ranks; ++other) {
        starts.push_back(elements * on.kind_.values());
        const std::uint64_t own = is_sent ? on.block_elements(on.rank_, other) : on.block_elements(other, on.rank_);
        values.push_back(own * on.kind_.values());
        elements += own;
      }
    }
    [[nodiscard]] std::vector<runtime::PairBlock> blocks_of(Message& message) const {
      std::vector<runtime::PairBlock> blocks;
      for (std::size_t i = 0; i < starts.size(); ++i) {
        blocks.push_back({.message = &message, .offset = starts[i] * sizeof(int), .bytes = values[i] * sizeof(int)});
      }
      return blocks;
    }
    std::uint64_t elements = 0;
    std::vector<std::uint64_t> starts{};  ///< values
    std::vector<std::uint64_t> values{};  ///< of each
  };

  /// Blocks as the others have them: each rank's is for each other one another one.
  bool exchange() {
    const Row to_send(*this, true);
    const Row to_receive(*this, false);
    const auto block_value = [&](Rank from, Rank to, std::uint64_t i) {
      return trial_.given(from, to * starts_.back() * kind_.values() + i);
    };
    const auto each_value = [&](const Row& row, const auto& use) {
      for (Rank other = 0; other < trial_.ranks; ++other) {
        for (std::uint64_t i = 0; i < row.values[other]; ++i) use(other, row.starts[other] + i, i);
      }
    };
    Buffer own(kind_, to_send.elements);
    Buffer result(kind_, to_receive.elements);
    each_value(to_send, [&](Rank other, std::uint64_t at, std::uint64_t i) { own[at] = block_value(rank_, other, i); });
    each_value(to_receive, [&](Rank other, std::uint64_t at, std::uint64_t i) {
      result[at] = trial_.in_place ? block_value(rank_, other, i) : -1;
    });
    Message sent(own.data(), static_cast<MPI_Count>(to_send.elements), kind_.type, MPI_COMM_SELF);
    Message received(result.data(), static_cast<MPI_Count>(to_receive.elements), kind_.type, MPI_COMM_SELF);
    const runtime::Exchanged exchanged{.sent = to_send.blocks_of(sent),
                                       .received = to_receive.blocks_of(received),
                                       .is_even = facts_of(trial_.collective).even_shares,
                                       .in_place = trial_.in_place};
    bool right = drive(part_.exchange(transport_, exchanged, pace()));
    each_value(to_receive, [&](Rank other, std::uint64_t at, std::uint64_t i) {
      right = right && result[at] == block_value(other, rank_, i);
    });
    each_value(to_send, [&](Rank other, std::uint64_t at, std::uint64_t i) {
      right = right && own[at] == block_value(rank_, other, i);
    });
    return right && own.has_gaps() && result.has_gaps();
  }

  /// Of a gather and of a scatter: a rank's share is in one place before, and in another one after.
  bool root_shares() {
    const bool gathers = trial_.collective == Collective::gather;
    const bool is_root = rank_ == trial_.root;
    const std::uint64_t first = starts_[rank_] * kind_.values();
    Buffer all(kind_, starts_.back());
    Buffer own(kind_, static_cast<std::uint64_t>(trial_.shares[rank_]));
    const bool in_place = trial_.in_place && is_root;
    for (std::uint64_t i = 0; i < all.values(); ++i) {
      const bool is_there = !gathers || (in_place && i >= first && i < first + own.values());
      all[i] = is_there ? trial_.given(0, i) : -1;
    }
    for (std::uint64_t i = 0; i < own.values(); ++i) own[i] = gathers ? trial_.given(0, first + i) : -1;
    Message all_shares(all.data(), static_cast<MPI_Count>(starts_.back()), kind_.type, MPI_COMM_SELF);
    Message share(own.data(), trial_.shares[rank_], kind_.type, MPI_COMM_SELF);
    bool right = drive(part_.share(transport_,
                                   {.all = is_root ? &all_shares : nullptr,
                                    .own = in_place ? nullptr : &share,
                                    .share_bytes = share.bytes(),
                                    .gathers = gathers},
                                   pace()));
    for (std::uint64_t i = 0; i < all.values() && is_root; ++i) right = right && all[i] == trial_.given(0, i);
    for (std::uint64_t i = 0; i < own.values() && !in_place; ++i) right = right && own[i] == trial_.given(0, first + i);
    return right && all.has_gaps() && own.has_gaps();
  }

  Transport& transport_;
  const Trial& trial_;
  const ElementKind& kind_;
  Rank rank_;
  const runtime::LocalPart& part_;
  bool by_arrival_;
  Drive drive_;
  std::vector<std::uint64_t> starts_{0};
};

}  // namespace trunkline::testing
