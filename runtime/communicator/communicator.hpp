// SPDX-License-Identifier: Apache-2.0
// State that is kept for a communicator of the program: none until a collective on it is considered for a plan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "communicator/agreed_lengths.hpp"
#include "communicator/grouping.hpp"
#include "communicator/members.hpp"
#include "communicator/number_in_use.hpp"
#include "mpi_api.hpp"
#include "startup/world.hpp"
#include "transport/mpi/private_communicator.hpp"

namespace trunkline::runtime {

struct Following;
class Learning;

/// Belongs to one communicator, as an attribute of it that no callback of the user sees and no duplicate inherits.
/// Used by one thread at a time, as MPI asks of collective calls on one communicator.
///
/// Functions that make MPI calls on the program's communicator return MPI's code: its error handler has heard of an
/// error, and may have left by an exception of its own.
class Communicator {
 public:
  struct Found {
    int code = MPI_SUCCESS;
    Communicator* state = nullptr;
  };

  /// The state kept for an intra-communicator, made where there is none yet. `world` and `ours` must outlive it.
  [[nodiscard]] static Found of(MPI_Comm communicator, const World& world, PrivateCommunicator& ours, int rank,
                                int ranks);

  /// The state where it has one, else null.
  [[nodiscard]] static Found known(MPI_Comm communicator);

  /// In MPI_Finalize: frees the state of every communicator that still has one. Waits for the ranks that may still ask
  /// this one for messages.
  static void free_all(const PrivateCommunicator& ours);

  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Null where a process is outside MPI_COMM_WORLD, so that its host is not known: native for ever.
  [[nodiscard]] const std::shared_ptr<Members>& members() const noexcept { return members_; }

  /// Begins a call of a job that follows its cluster file: once for each, by all ranks, before anything else.
  /// Collective now and then. Returns MPI's code.
  [[nodiscard]] int follow(const World& first, std::uint64_t bytes);

  /// Of a job whose calls try out what is fastest.
  [[nodiscard]] Learning& learning();

  /// Of alltoalls whose blocks' lengths differ.
  [[nodiscard]] AgreedLengths& lengths();

  /// MPI's, of our attribute.
  static int free_state(MPI_Comm user, int key, void* state, void* extra);

  /// Before the program frees a communicator, in a job that follows its cluster file or learns. MPICH tells attributes
  /// only once nothing is under way on it, and what was said at a meeting may be.
  static void forget(MPI_Comm communicator);

  struct Numbered {
    int code = MPI_SUCCESS;
    std::shared_ptr<NumberInUse>
        number{};          ///< null: there are more communicators than numbers, or threads were in the way
    bool is_last = false;  ///< there will be none
  };

  /// The number by which our messages know it. The first call is collective.
  [[nodiscard]] Numbered number();

  /// Another one, for a persistent call: ranks may start several, and calls of other kinds, in orders of their own.
  /// Collective.
  [[nodiscard]] Numbered number_apart();

  /// Whether a call shall run its plan: where it may wait, once the calls so far and this one would have saved what
  /// agreeing on the number costs. Most communicators of programs that make many live for a call or two.
  [[nodiscard]] bool pays_for_its_number(const LocalDecision& decision);

  /// The number, where it is there: nothing is agreed on.
  [[nodiscard]] const std::shared_ptr<NumberInUse>& known_number() const noexcept { return number_; }

  /// A call that may not wait runs natively for want of a number; where that would have paid, it misses it.
  void runs_without_number(bool would_have_paid, bool is_exact) noexcept {
    misses_number_ = misses_number_ || would_have_paid;
    has_left_sums_ = has_left_sums_ || !is_exact;
  }
  /// One of these combined operands in the library's order, which those to come keep.
  [[nodiscard]] bool has_left_sums() const noexcept { return has_left_sums_; }

  /// Whether calls that may not wait have left anything to one that may: the number, a group of datagrams, blocks'
  /// lengths. All members count alike.
  [[nodiscard]] bool owes() const noexcept;
  /// That. Collective, where it owes anything. Returns MPI's code.
  [[nodiscard]] int settle();

  /// What datagrams are to it, in these groups (LocalPart::datagram_groups); the same on all members.
  [[nodiscard]] Grouping& grouping(std::span<const Rank> group_of);

 private:
  Communicator(MPI_Comm user, PrivateCommunicator& ours, std::shared_ptr<Members> members, const World& world);

  [[nodiscard]] Numbered agree_on_number();
  [[nodiscard]] int meet(const World& first, std::uint64_t bytes);
  [[nodiscard]] int hear(const World& first);
  [[nodiscard]] int take_changed(const World& first);
  void end_meetings();
  [[nodiscard]] std::string name_for_people() const;
  MPI_Comm user_;
  PrivateCommunicator& ours_;
  std::shared_ptr<Members> members_;
  std::unique_ptr<Following> following_{};  ///< once it has met
  std::unique_ptr<Learning> learning_{};    ///< once it was asked for
  std::optional<AgreedLengths> lengths_{};  ///< the same
  std::shared_ptr<NumberInUse> number_{};
  std::vector<std::weak_ptr<NumberInUse>> numbers_apart_{};
  bool no_number_ = false;      ///< there was none left
  bool misses_number_ = false;  ///< a call could not wait for it
  bool has_left_sums_ = false;
  double lost_s_ = 0.0;  ///< what native calls would have saved, before there was a number
  bool explain_;
  GroupWay way_;                                                        ///< of its group's datagrams
  std::map<std::vector<Rank>, std::unique_ptr<Grouping>> groupings_{};  ///< by groups of ranks
};

/// Marks a communicator that this thread is freeing. The program's attribute callbacks may still broadcast on it, when
/// our state may be gone already: such broadcasts are native on all ranks.
class Dying {
 public:
  explicit Dying(MPI_Comm communicator);
  ~Dying();
  Dying(const Dying&) = delete;
  Dying& operator=(const Dying&) = delete;

  [[nodiscard]] static bool is(MPI_Comm communicator);

 private:
  MPI_Comm outer_;  ///< callbacks may free other communicators
};

}  // namespace trunkline::runtime
