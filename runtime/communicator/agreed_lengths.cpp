// SPDX-License-Identifier: Apache-2.0
#include "communicator/agreed_lengths.hpp"

#include <algorithm>
#include <array>

#include "choose/size_class.hpp"

namespace trunkline::runtime {
namespace {

/// Calls after which adding up costs a hundredth of what they take. At most twice those before: a few calls say little
/// of those to come.
std::uint64_t next_interval(std::uint64_t calls, double took_s, double telling_s) {
  constexpr double most_cost = 0.01;
  const double wanted = telling_s / most_cost * static_cast<double>(calls) / std::max(took_s, 1e-9);
  return static_cast<std::uint64_t>(std::clamp(wanted, 1.0, std::max(2.0 * static_cast<double>(calls), 1.0)));
}

}  // namespace

bool AgreedLengths::is_due() {
  if (calls_ >= agreed_) return true;
  ++calls_;
  return false;
}

int AgreedLengths::add_up(MPI_Comm user, int ranks, const OwnLengths& own) {
  constexpr double nanosecond_s = 1e-9;
  const auto in_nanoseconds = [](double seconds) { return static_cast<std::uint64_t>(seconds / nanosecond_s); };
  const double start = PMPI_Wtime();
  if (owed_) took_s_ = start - added_up_at_s_;
  std::array<std::uint64_t, values> all{own.bytes, own.blocks, in_nanoseconds(took_s_), in_nanoseconds(told_s_)};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, all.data(), all.size(), MPI_UINT64_T, MPI_SUM, user);
  if (code != MPI_SUCCESS) return code;
  owed_.reset();
  added_up_at_s_ = PMPI_Wtime();
  told_s_ = added_up_at_s_ - start;
  const auto [bytes, blocks, took, told] = all;
  const auto mean_s = [&](std::uint64_t sum) { return static_cast<double>(sum) * nanosecond_s / ranks; };
  const auto pairs = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks - 1);
  block_bytes_ = size_class(std::max(bytes / pairs, std::uint64_t{1}), {}).least_bytes;
  are_sparse_ = blocks < pairs - blocks;
  // Ranks that are late make others wait there, which is no cost of adding up.
  if (calls_ > 0) telling_s_ = std::min(telling_s_, mean_s(told));
  agreed_ = next_interval(calls_, mean_s(took), telling_s_);
  calls_ = 1;
  took_s_ = 0.0;
  return code;
}

int AgreedLengths::settle(MPI_Comm user, int ranks) {
  const int code = add_up(user, ranks, *owed_);
  calls_ = 0;  // those to come
  return code;
}

}  // namespace trunkline::runtime
