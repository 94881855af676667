// SPDX-License-Identifier: Apache-2.0
// The shares of an allgather, as one rank has them in its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "datatype/gathered.hpp"
#include "datatype/message.hpp"
#include "network/placement.hpp"

namespace trunkline::runtime {

class GatheredShares {
 public:
  /// `members`: ranks of the communicator by position. Throws MpiError.
  GatheredShares(const Gathered& gathered, std::span<const Rank> members);

  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  /// Where the share of a position goes; null: it is empty.
  [[nodiscard]] Message* message(Rank position) const { return messages_[position].get(); }
  [[nodiscard]] std::uint64_t bytes(Rank position) const {
    return messages_[position] != nullptr ? messages_[position]->bytes() : 0;
  }

  /// Puts a rank's own share where it belongs; null: it is empty. Throws MpiError, MPI_ERR_TRUNCATE where it is of
  /// another length.
  void put(Message* share, Rank position);

 private:
  std::vector<std::unique_ptr<Message>> messages_;  ///< by position; null: empty
};

}  // namespace trunkline::runtime
