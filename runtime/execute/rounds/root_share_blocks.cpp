// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/root_share_blocks.hpp"

#include <algorithm>

#include "datatype/operands.hpp"

namespace trunkline::runtime {

RootShareBlocks::RootShareBlocks(const RootShares& shares, const LocalBlocks& local)
    : shares_(shares), members_(local.members), position_(local.position), first_(local.position) {
  const std::uint64_t bytes = shares.share_bytes;
  if (shares.own != nullptr && shares.own->bytes() != bytes) throw MpiError{MPI_ERR_TRUNCATE};
  if (shares.all != nullptr) {
    const std::uint64_t place = members_[position_] * bytes;
    if (shares.all->bytes() != members_.size() * bytes) throw MpiError{MPI_ERR_TRUNCATE};
    if (shares.own == nullptr) return;
    if (shares.gathers) {
      copy_stream(*shares.own, 0, *shares.all, place, bytes);
    } else {
      copy_stream(*shares.all, place, *shares.own, 0, bytes);
    }
    return;
  }
  std::uint64_t end = first_ + 1;
  for (std::uint64_t round = 0; round < local.schedule->rounds(members_.size()); ++round) {
    for (const auto& transfer :
         {local.schedule->send(round, members_.size()), local.schedule->receive(round, members_.size())}) {
      if (!transfer) continue;
      first_ = std::min(first_, transfer->first);
      end = std::max(end, transfer->first + transfer->count);
    }
  }
  if (end - first_ == 1) return;
  held_.resize((end - first_) * bytes);
  holding_.emplace(held_.data(), static_cast<MPI_Count>(held_.size()), MPI_BYTE, MPI_COMM_NULL);
  if (shares.gathers) copy_stream(*shares.own, 0, *holding_, offset(position_ - first_), bytes);
}

RootShareBlocks::Place RootShareBlocks::place(const BlockPiece& piece) {
  const std::uint64_t bytes = piece.end - piece.begin;
  if (holding_) return {.message = *holding_, .offset = piece.begin - offset(first_), .bytes = bytes};
  const std::uint64_t block = piece.begin / shares_.share_bytes;
  const std::uint64_t before = piece.begin % shares_.share_bytes;
  if (shares_.all == nullptr) return {.message = *shares_.own, .offset = before, .bytes = bytes};
  return {.message = *shares_.all,
          .offset = offset(members_[block]) + before,
          .bytes = std::min(bytes, shares_.share_bytes - before)};
}

void RootShareBlocks::settle() {
  if (holding_ && !shares_.gathers) {
    copy_stream(*holding_, offset(position_ - first_), *shares_.own, 0, shares_.share_bytes);
  }
}

}  // namespace trunkline::runtime
