// SPDX-License-Identifier: Apache-2.0
#include "execute/gathered_shares.hpp"

#include "datatype/operands.hpp"

namespace trunkline::runtime {

GatheredShares::GatheredShares(const Gathered& gathered, std::span<const Rank> members) {
  MPI_Count low = 0;
  MPI_Count extent = 0;
  check(PMPI_Type_get_extent_x(gathered.type, &low, &extent));
  messages_.reserve(members.size());
  for (const Rank rank : members) {
    const auto [count, start] = gathered.shares[rank];
    if (count == 0) {
      messages_.emplace_back();
      continue;
    }
    std::byte* const at =
        moved(gathered.buffer, static_cast<std::ptrdiff_t>(start) * static_cast<std::ptrdiff_t>(extent));
    messages_.emplace_back(std::make_unique<Message>(at, count, gathered.type, gathered.communicator));
  }
}

void GatheredShares::put(Message* share, Rank position) {
  Message* const to = messages_[position].get();
  if ((share != nullptr ? share->bytes() : 0) != (to != nullptr ? to->bytes() : 0)) throw MpiError{MPI_ERR_TRUNCATE};
  if (share != nullptr && to != nullptr) copy_stream(*share, 0, *to, 0, to->bytes());
}

}  // namespace trunkline::runtime
