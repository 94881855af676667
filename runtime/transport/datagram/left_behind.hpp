// SPDX-License-Identifier: Apache-2.0
// Messages that may still be asked for on communicators that the program has freed: MPI_Comm_free waits for no rank, so
// the copies of eager messages stay until all ranks have freed them, too. docs/multicast.md, "The end".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "transport/datagram/repairs.hpp"

namespace trunkline::runtime {

/// Of the groups of one set of ranks, in the order of their communicator. Any thread may use it.
class LeftBehind {
 public:
  /// More in one process are too many: then new groups have no eager messages.
  static constexpr std::size_t most = 64;

  /// Of the ranks with these places in MPI_COMM_WORLD. It lives as long as the process.
  [[nodiscard]] static LeftBehind& of(std::span<const int> ranks);

  /// In this process, of all sets of ranks.
  [[nodiscard]] static std::size_t count();

  /// For a new group of this process: greater than those before.
  [[nodiscard]] static std::int64_t new_number();

  /// The sets of ranks with a group that has had a service, the same on all of a set's ranks; in one order on all of
  /// them.
  [[nodiscard]] static std::vector<std::vector<int>> sets_with_services();

  /// No rank asks any more: all have said farewell.
  static void forget_all();

  LeftBehind() = default;

  /// A group begins to exist. `number`: drawn by the first of its ranks. Throws std::bad_alloc.
  void opened(std::int64_t number);
  void has_service() noexcept;

  /// It has ended here; `repairs`: what others may still ask for, or null.
  void freed(std::int64_t number, std::unique_ptr<Repairs> repairs) noexcept;

  /// This process has freed all groups with lower numbers.
  [[nodiscard]] std::int64_t freed_before() const;

  /// All ranks have.
  void forget_before(std::int64_t number) noexcept;

 private:
  struct Group {
    bool is_live = true;
    std::unique_ptr<Repairs> repairs{};
  };
  std::map<std::int64_t, Group> groups_{};
  bool has_service_ = false;
};

}  // namespace trunkline::runtime
