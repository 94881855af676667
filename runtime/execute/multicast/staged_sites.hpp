// SPDX-License-Identifier: Apache-2.0
// The shares of all groups of an allgather as one stream in memory of its own, those of this rank's group first: as
// they go from group to group, and to the ranks of a group that lack them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "datatype/gathered.hpp"
#include "datatype/message.hpp"
#include "execute/rounds/gathered_blocks.hpp"

namespace trunkline::runtime {

class StagedSites {
 public:
  /// `order`: ranks of the communicator, the own group's first, then one group after another; `sizes`: of these groups.
  /// Throws MpiError.
  StagedSites(const Gathered& gathered, std::span<const Rank> order, std::span<const std::size_t> sizes);
  /// Before all others were delivered the library may still use the memory, so it is given up, not freed.
  ~StagedSites();
  StagedSites(const StagedSites&) = delete;
  StagedSites& operator=(const StagedSites&) = delete;

  /// All shares but those of the own group; null: these are empty.
  [[nodiscard]] Message* others() const noexcept { return others_.get(); }

  /// Where each group's shares lie, in the order of the groups.
  [[nodiscard]] Gathered of_groups();

  /// A rank's own share to where it belongs, which is the first of the order; null: it is empty. Throws MpiError.
  void put_first(Message* share) { blocks_.put(share, 0); }

  /// The shares of the own group, which lie where they belong. Throws MpiError.
  void take_own();

  /// All others, to where they belong, once nothing is on its way any more. MPI_SUCCESS, or why one could not be put
  /// there.
  [[nodiscard]] int deliver_others();

 private:
  GatheredBlocks blocks_;
  std::vector<std::size_t> ends_{};  ///< of groups, in ranks
  std::unique_ptr<std::byte[]> bytes_;
  bool is_over_ = false;
  MPI_Comm communicator_;
  std::unique_ptr<Message> others_{};
};

}  // namespace trunkline::runtime
