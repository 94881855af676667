// SPDX-License-Identifier: Apache-2.0
// runtime-rounds COLLECTIVE PLANS SEED: runs so many random plans by rounds that the checker accepts, one after another
// in one job, each from a random root with random lengths, segments, windows and datatypes (some have gaps), in place
// or not, ranks late now and then; checks every byte, and those between. Prints the number of a plan that went wrong,
// with its rounds; exit status 0 or 1. Linked with the library's executors: a job has one plan file alone.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "datatype/message.hpp"
#include "execute/rounds/block_exchange.hpp"
#include "execute/rounds/gathered_blocks.hpp"
#include "execute/rounds/message_blocks.hpp"
#include "execute/rounds/operand_blocks.hpp"
#include "execute/rounds/relayed_blocks.hpp"
#include "plan/checker.hpp"
#include "random_rounds.hpp"
#include "transport/mpi/turn.hpp"

namespace trunkline::runtime {
namespace {

using testing::below;

/// What an element is: two integers of a row of four, the others gaps that nobody may touch; or one integer.
struct Kind {
  MPI_Datatype type = MPI_INT;
  MPI_Op operation = MPI_SUM;
  std::uint64_t values = 1;  ///< of an element
  std::uint64_t stride = 1;  ///< integers from element to element
  [[nodiscard]] std::uint64_t at(std::uint64_t value) const { return value / values * stride + value % values * 2; }
};

void add_pairs(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < 4 * *count; i += 2) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

Kind pairs() {
  Kind kind{.values = 2, .stride = 4};
  MPI_Datatype row = MPI_DATATYPE_NULL;
  PMPI_Type_vector(2, 1, 2, MPI_INT, &row);
  PMPI_Type_create_resized(row, 0, 4 * sizeof(int), &kind.type);
  PMPI_Type_commit(&kind.type);
  PMPI_Type_free(&row);
  PMPI_Op_create(add_pairs, 1, &kind.operation);
  return kind;
}

constexpr int gap = -77;

/// So many elements, the gaps among them marked.
class Buffer {
 public:
  Buffer(const Kind& kind, std::uint64_t elements)
      : kind_(kind), values_(elements * kind.values), memory_(elements * kind.stride + 1, gap) {}
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
  const Kind& kind_;
  std::uint64_t values_;
  std::vector<int> memory_;
};

/// One plan, everywhere the same, and how it is run.
struct Trial {
  Collective collective;
  Rank ranks;
  Rank root;
  RoundList list;
  bool in_place;
  bool has_gaps;
  std::vector<MPI_Count> shares;  ///< elements of each rank; the first one's where all have one message
  std::uint64_t segment;
  std::uint64_t in_flight;
  int late;  ///< a rank, or none
  int number;

  [[nodiscard]] int given(Rank rank, std::uint64_t value) const {
    return static_cast<int>((value * 31 + rank * 1009 + static_cast<std::uint64_t>(number) * 7) % 65521);
  }
  [[nodiscard]] int sum(std::uint64_t value) const {
    int all = 0;
    for (Rank rank = 0; rank < ranks; ++rank) all += given(rank, value);
    return all;
  }
};

Trial random_trial(Collective collective, Rank ranks, int number, unsigned seed) {
  std::mt19937 random(seed * 100003U + static_cast<unsigned>(number));
  const CollectiveFacts& facts = facts_of(collective);
  const bool barrier = collective == Collective::barrier;
  Trial trial{.collective = collective,
              .ranks = ranks,
              .root = facts.has_root ? static_cast<Rank>(below(random, ranks)) : 0,
              .list = {},
              .in_place = below(random, 2) == 0 && !barrier,
              .has_gaps = below(random, 3) == 0 && !barrier,
              .shares = {},
              .segment = std::uint64_t{8} << below(random, 12),
              .in_flight = std::uint64_t{1} << below(random, 18),
              .late = below(random, 4) == 0 ? static_cast<int>(below(random, ranks)) : -1,
              .number = number};
  constexpr std::uint64_t lengths[] = {1, 3, 25, 200, 600, 3000, 20000};
  const std::uint64_t longest = lengths[below(random, std::size(lengths))];
  trial.segment = std::max(trial.segment, longest / 16);
  for (Rank rank = 0; rank < ranks; ++rank) {
    const bool empty = below(random, 5) == 0 && rank + 1 < ranks;
    trial.shares.push_back(static_cast<MPI_Count>(empty ? 0 : 1 + below(random, longest)));
  }
  if (!facts.goes_by_shares()) trial.shares = {static_cast<MPI_Count>(barrier ? 1 : longest)};
  if (collective == Collective::reduce_scatter_block || collective == Collective::allgather) {
    trial.shares.assign(ranks, trial.shares.back());
  }
  const std::uint64_t blocks = facts.goes_by_shares() ? ranks : 1 + below(random, 6);
  trial.list = testing::RandomRounds(facts, ranks, trial.root, blocks, random).make();
  return trial;
}

/// One rank's part of it.
class Runner {
 public:
  Runner(Conduit& conduit, const Trial& trial, const Kind& kind, Rank rank)
      : conduit_(conduit), trial_(trial), kind_(kind), rank_(rank), members_(trial.ranks) {
    std::iota(members_.begin(), members_.end(), 0);
    const Rounds rounds = listed_rounds(trial.ranks, trial.root, trial.list);
    check_rounds(rounds, trial.collective);
    local_.members = rounds.order;
    local_.order.assign(rounds.order.begin(), rounds.order.end());
    local_.position = (rank + trial.ranks - trial.root) % trial.ranks;
    local_.schedule = rounds.schedule_of(local_.position);
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
    }
    return false;
  }

 private:
  bool exchange(Blocks& blocks) {
    const auto number = static_cast<std::uint64_t>(trial_.number);
    Turn turn(conduit_, members_, Ids::of_world, number, number, 1);
    BlockExchange execution(turn, local_, blocks, trial_.segment, trial_.in_flight);
    if (trial_.late != static_cast<int>(rank_)) return execution.run() == MPI_SUCCESS;
    // Late at first, then a few steps at a time.
    usleep(1000);
    for (int steps = 1; steps <= 20; ++steps) {
      if (execution.step()) return execution.code() == MPI_SUCCESS;
      if (steps % 4 == 0) usleep(200);
    }
    return execution.run() == MPI_SUCCESS;
  }

  bool bcast() {
    Buffer data(kind_, starts_.back());
    for (std::uint64_t i = 0; i < data.values(); ++i) data[i] = rank_ == trial_.root ? trial_.given(0, i) : -1;
    Message message(data.data(), trial_.shares.front(), kind_.type, conduit_.communicator());
    MessageBlocks blocks(message, trial_.list.blocks);
    bool right = exchange(blocks);
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
                     .communicator = conduit_.communicator()});
  }

  /// This rank's operand, in both buffers.
  void fill(Buffer& own, Buffer& result) const {
    for (std::uint64_t i = 0; i < own.values(); ++i) own[i] = trial_.given(rank_, i);
    for (std::uint64_t i = 0; i < own.values() && trial_.in_place; ++i) result[i] = own[i];
  }

  bool reduction() {
    const bool has_result = trial_.collective != Collective::reduce || rank_ == trial_.root;
    Buffer own(kind_, starts_.back());
    Buffer result(kind_, starts_.back());
    fill(own, result);
    const Operands data = operands(own, result, has_result);
    OperandBlocks blocks(data, *local_.schedule, local_.position);
    bool right = exchange(blocks);
    for (std::uint64_t i = 0; i < own.values(); ++i) {
      right = right && own[i] == trial_.given(rank_, i) && (!has_result || result[i] == trial_.sum(i));
    }
    return right && own.has_gaps() && result.has_gaps();
  }

  bool reduce_shares() {
    const auto share = static_cast<std::uint64_t>(trial_.shares[rank_]);
    Buffer own(kind_, starts_.back());
    Buffer result(kind_, trial_.in_place ? starts_.back() : share);
    fill(own, result);
    const Operands data = operands(own, result, true);
    RelayedBlocks blocks(data, trial_.shares, local_.members, *local_.schedule, local_.position);
    bool right = exchange(blocks);
    for (std::uint64_t i = 0; i < share * kind_.values; ++i) {
      right = right && result[i] == trial_.sum(starts_[rank_] * kind_.values + i);
    }
    return right && own.has_gaps() && result.has_gaps();
  }

  bool gather() {
    Buffer result(kind_, starts_.back());
    Gathered gathered{
        .buffer = result.data(), .type = kind_.type, .communicator = conduit_.communicator(), .shares = {}};
    for (Rank rank = 0; rank < trial_.ranks; ++rank) {
      gathered.shares.push_back({trial_.shares[rank], static_cast<MPI_Count>(starts_[rank])});
    }
    for (std::uint64_t i = 0; i < result.values(); ++i) {
      const bool is_own = i >= starts_[rank_] * kind_.values && i < starts_[rank_ + 1] * kind_.values;
      result[i] = is_own ? trial_.given(0, i) : -1;
    }
    GatheredBlocks blocks(gathered, local_.members);
    bool right = exchange(blocks);
    for (std::uint64_t i = 0; i < result.values(); ++i) right = right && result[i] == trial_.given(0, i);
    return right && result.has_gaps();
  }

  Conduit& conduit_;
  const Trial& trial_;
  const Kind& kind_;
  Rank rank_;
  std::vector<int> members_;
  LocalBlocks local_;
  std::vector<std::uint64_t> starts_{0};
};

std::string text_of(const Trial& trial) {
  std::string text = "plan " + std::to_string(trial.number) + ", blocks " + std::to_string(trial.list.blocks) +
                     ", segment " + std::to_string(trial.segment) + ", root " + std::to_string(trial.root) + ":";
  for (const auto& round : trial.list.rounds) {
    for (const Transfer& one : round) {
      text += " " + std::to_string(one.from) + ">" + std::to_string(one.to) + " " + std::to_string(one.first) + "-" +
              std::to_string(one.first + one.count - 1) + (one.reduces ? " add," : ",");
    }
    text += " |";
  }
  return text;
}

/// How many plans went wrong on any rank.
int run(Collective collective, int plans, unsigned seed) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto conduit = Conduit::open();
  const Kind integers;
  Kind apart = pairs();
  int wrong = 0;
  for (int number = 0; number < plans; ++number) {
    // The tags of turns that are far apart are the same.
    if (number % 16 == 0) MPI_Barrier(MPI_COMM_WORLD);
    const Trial trial = random_trial(collective, static_cast<Rank>(ranks), number, seed);
    if (Runner(*conduit, trial, trial.has_gaps ? apart : integers, static_cast<Rank>(rank)).run()) continue;
    ++wrong;
    std::fprintf(stderr, "rank %d: wrong result, %s\n", rank, text_of(trial).c_str());
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Type_free(&apart.type);
  PMPI_Op_free(&apart.operation);
  return wrong;
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const auto seed = static_cast<unsigned>(std::atoi(argv[3]));
  const int wrong = trunkline::runtime::run(trunkline::collective_named(argv[1]), std::atoi(argv[2]), seed);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
