// SPDX-License-Identifier: Apache-2.0
// The processes of a communicator with the plans laid over them. Programs make many communicators of the same
// processes: all of them share these.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "communicator/local_plans.hpp"
#include "mpi_api.hpp"
#include "startup/world.hpp"

namespace trunkline::runtime {

/// Used by any number of threads.
class Members {
 public:
  /// The known facts of a communicator's processes; null where one of them is outside MPI_COMM_WORLD, so that its host
  /// is not known. `code` is MPI's; the communicator's error handler has heard of an error.
  struct Found {
    int code = MPI_SUCCESS;
    std::shared_ptr<Members> members{};
  };

  /// Of an intra-communicator, in which this process is `rank`. Nothing is communicated.
  [[nodiscard]] static Found of(MPI_Comm communicator, std::shared_ptr<const World> world, int rank, int ranks);

  /// The same processes in another world.
  [[nodiscard]] static std::shared_ptr<Members> in(std::shared_ptr<const World> world, const Members& same);

  /// Forgets the facts that are kept for communicators to come.
  static void forget();

  Members(std::shared_ptr<const World> world, Processes processes)
      : world_(std::move(world)), processes_(std::move(processes)) {}
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  [[nodiscard]] const World& world() const noexcept { return *world_; }
  [[nodiscard]] const Processes& processes() const noexcept { return processes_; }

  /// Whether datagrams have failed to reach them, as far as this process knows: another one may know more.
  [[nodiscard]] bool are_out_of_reach() const noexcept { return are_out_of_reach_; }
  void have_been_out_of_reach() noexcept { are_out_of_reach_ = true; }

  /// The same on all members. Lays missing plans: throws std::exception where that fails, on all members alike.
  [[nodiscard]] std::shared_ptr<const LocalDecision> decide(Collective collective, Rank root, std::uint64_t bytes,
                                                            OperandOrder order, const Wish& wish);
  /// What may be tried beside what such calls run (Decider::arms).
  [[nodiscard]] std::vector<Arm> arms(Collective collective, Rank root, std::uint64_t bytes, OperandOrder order,
                                      const Arm& runs);
  /// placement_digest() of them. There is a cluster.
  [[nodiscard]] std::uint64_t placement_digest();
  /// Seconds in which they tell each other `bytes` bytes (Decider::telling_s).
  [[nodiscard]] double telling_s(std::uint64_t bytes);

 private:
  [[nodiscard]] static std::shared_ptr<Members> kept_ones(std::shared_ptr<const World> world,
                                                          const std::vector<int>& world_ranks, Rank rank);

  std::shared_ptr<const World> world_;
  Processes processes_;
  std::atomic<bool> are_out_of_reach_ = false;
  std::mutex mutex_;
  std::optional<std::uint64_t> placement_digest_{};  ///< once it was asked for
  using Key = std::pair<Collective, Rank>;           ///< and root
  struct Plans {
    Key key;
    LocalPlans plans;
  };
  void bring_to_front(const Key& key);  ///< of the list below; makes it where it is missing
  [[nodiscard]] LocalPlans& plans_of(Collective collective, Rank root);

  std::list<Plans> plans_;  ///< those asked for last come first
  std::map<Key, std::list<Plans>::iterator> by_key_;
};

}  // namespace trunkline::runtime
