// SPDX-License-Identifier: Apache-2.0
// runtime-steps ALGORITHM...: for each, two broadcasts by that algorithm under way at once on every rank, from the
// first and from the last one, moved on by steps alone. Rank 0 first makes steps of the one that it only receives from,
// when nobody has begun it: one that waits for anybody would wait for ever. Each rank checks bytes and events; exit
// status 0 or 1. Linked with the library's executors: no interface of it offers steps yet.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/registry.hpp"
#include "datatype/message.hpp"
#include "execute/local_part.hpp"
#include "kinds/trees/trees.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::uint64_t message_bytes = 20000;
constexpr std::uint64_t segment_bytes = 700;

class Counted final : public EventSink {
 public:
  void take(const Event& event) noexcept override { ++counts_[static_cast<std::size_t>(event.kind)]; }
  [[nodiscard]] int count(Event::Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  int counts_[static_cast<std::size_t>(Event::Kind::heard) + 1] = {};
};

/// One of the broadcasts, on one rank.
class Broadcasting {
 public:
  Broadcasting(PrivateCommunicator& ours, std::span<const int> members, int rank, const Plan& plan,
               std::uint64_t number)
      : is_root_(static_cast<Rank>(rank) == plan.root()),
        is_by_segments_(find_trees(plan) != nullptr),
        ranks_(static_cast<int>(members.size())),
        data_(message_bytes),
        transport_(ours, members, Ids::of_world, number, number, plan.steps().streams()),
        message_(data_.data(), static_cast<MPI_Count>(data_.size()), MPI_BYTE, ours.communicator()) {
    for (std::size_t i = 0; i < data_.size() && is_root_; ++i) data_[i] = right(i);
    part_ = local_part(plan, static_cast<Rank>(rank), members);
    execution_ = part_->broadcast(transport_, message_, {.segment_bytes = segment_bytes, .in_flight = {}});
    execution_->tell(&events_);
  }

  /// Whether it is over.
  bool step() { return is_over_ || (is_over_ = execution_->step()); }

  /// What is wrong now that it is over; empty: nothing.
  [[nodiscard]] std::string fault() const {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (data_[i] != right(i)) return "wrong byte at " + std::to_string(i);
    }
    if (execution_->code() != MPI_SUCCESS) return "code " + std::to_string(execution_->code());
    if (events_.count(Event::Kind::over) != 1) return "not over once";
    const int arrived = events_.count(Event::Kind::arrived);
    if ((arrived == 0) != is_root_) return std::to_string(arrived) + " parts have arrived";
    int sums[2] = {arrived, events_.count(Event::Kind::handed_on)};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const auto segments = static_cast<int>((message_bytes + segment_bytes - 1) / segment_bytes);
    if (sums[0] != sums[1]) return "not all that is handed on arrives";
    if (is_by_segments_ && sums[0] != segments * (ranks_ - 1)) return "not as many parts as segments";
    return "";
  }

 private:
  static unsigned char right(std::size_t i) { return static_cast<unsigned char>(i * 31 + i / 256); }

  bool is_root_;
  bool is_by_segments_;  ///< and not by blocks
  int ranks_;
  std::vector<unsigned char> data_;
  MpiTransport transport_;
  Message message_;
  std::unique_ptr<const LocalPart> part_;
  Running execution_;
  Counted events_;
  bool is_over_ = false;
};

/// What is wrong; empty: nothing.
std::string run(const char* algorithm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto ours = PrivateCommunicator::open();
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  const Placement placement(members.size(), 0);
  const auto plan_from = [&](int root) {
    return lay(Collective::bcast, algorithm, nullptr, placement, static_cast<Rank>(root));
  };
  Broadcasting from_first(*ours, members, rank, plan_from(0), 0);
  Broadcasting from_last(*ours, members, rank, plan_from(ranks - 1), 1);

  if (rank == 0) {
    for (int i = 0; i < 1000; ++i) {
      if (from_last.step()) return "over before anybody has begun";
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (bool over = false; !over;) {
    const bool first = rank % 2 == 0 ? from_first.step() : from_last.step();
    const bool second = rank % 2 == 0 ? from_last.step() : from_first.step();
    over = first && second;
  }
  const std::string fault = from_first.fault();
  const std::string other = from_last.fault();
  return fault.empty() ? other : fault;
}

}  // namespace
}  // namespace trunkline::runtime

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = argc > 1;
  for (int i = 1; i < argc; ++i) {
    const std::string fault = trunkline::runtime::run(argv[i]);
    if (fault.empty()) continue;
    is_right = false;
    std::fprintf(stderr, "%s: %s\n", argv[i], fault.c_str());
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
