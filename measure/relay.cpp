// SPDX-License-Identifier: Apache-2.0
#include "relay.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "again.hpp"

namespace trunkline::measure {
namespace {

constexpr int relay_tag = 9;
/// Long enough that its start is forgotten; every hop of a line of 30 has been at work for as long.
constexpr std::uint64_t stream = 64;
/// Until every rank has left the barrier and waits for the first segment.
constexpr std::chrono::milliseconds settled{2};

}  // namespace

Relay::Relay(const Tree& line, const Limits& limits)
    : ours_(runtime::PrivateCommunicator::open()), members_(line.size()), last_(0), limits_(limits) {
  std::iota(members_.begin(), members_.end(), 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  while (!line.children[static_cast<Rank>(last_)].empty()) {
    last_ = static_cast<int>(line.children[static_cast<Rank>(last_)].front());
  }
  local_.push_back(runtime::local_tree(line, static_cast<Rank>(rank_), members_));
}

Samples Relay::through(std::uint64_t segment_bytes, std::uint64_t segments) {
  std::vector<unsigned char> buffer(segment_bytes * segments, 1);
  Samples samples;
  const double since = MPI_Wtime();
  while (again(MPI_COMM_WORLD, samples, limits_, since)) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) std::this_thread::sleep_for(settled);
    const double start = MPI_Wtime();
    runtime::Message message(buffer.data(), static_cast<MPI_Count>(buffer.size()), MPI_BYTE, ours_->communicator());
    runtime::MpiTransport transport(*ours_, members_, runtime::Ids::of_world, turns_++, segment_bytes, local_.size());
    runtime::check(runtime::PipelinedTrees(transport, local_, message, segment_bytes, least_in_flight_bytes).run());
    if (rank_ == last_) MPI_Send(nullptr, 0, MPI_BYTE, 0, relay_tag, MPI_COMM_WORLD);
    if (rank_ == 0) MPI_Recv(nullptr, 0, MPI_BYTE, last_, relay_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    samples.add(MPI_Wtime() - start);
  }
  return samples;
}

RelayPoint Relay::point(std::uint64_t segment_bytes) {
  const Samples one = through(segment_bytes, 1);
  const Samples all = through(segment_bytes, stream);
  const double between = all.median() - one.median();
  const double off = all.spread() * all.median() + one.spread() * one.median();
  return {.bytes = segment_bytes,
          .gap_s = std::max(0.0, between) / static_cast<double>(stream - 1),
          .spread = between > 0.0 ? std::min(1.0, off / between) : 1.0};
}

}  // namespace trunkline::measure
