// SPDX-License-Identifier: Apache-2.0
// What datagrams are to a communicator: the multicast group of its ranks, or of those that this one is among where they
// are in groups. Nothing until a call asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "communicator/members.hpp"
#include "mpi_api.hpp"
#include "network/placement.hpp"
#include "transport/datagram/group.hpp"
#include "transport/mpi/private_communicator.hpp"

namespace trunkline::runtime {

struct Grouped {
  int code = MPI_SUCCESS;
  bool are_open = false;  ///< on all members: every group was, when they were opened
  /// Of this rank; null on all ranks of a group that datagrams do not reach all of.
  std::shared_ptr<DatagramGroup> group{};
  bool have_met = false;  ///< all ranks of the group, just now
};

/// Used by one thread at a time, as its communicator is.
///
/// Functions that make MPI calls on the program's communicator return MPI's code: its error handler has heard of an
/// error, and may have left by an exception of its own.
class Grouping {
 public:
  /// `members`: of the communicator; `group_of`: by rank of it, empty where all are one group.
  Grouping(MPI_Comm user, const PrivateCommunicator& ours, std::shared_ptr<Members> members,
           std::span<const Rank> group_of, GroupWay way, bool explain);
  ~Grouping();
  Grouping(const Grouping&) = delete;
  Grouping& operator=(const Grouping&) = delete;

  /// For calls that use datagrams: once for each. The first call is collective, and others now and then: datagrams may
  /// stop to reach all members. `before_they_meet`: as of DatagramGroup::hears().
  [[nodiscard]] Grouped use(const std::function<int()>& before_they_meet);

  /// The same for calls that need not use datagrams, and save `saved_s` each where they do: closed on all members until
  /// they would have saved `opening_s`, what the groups cost; and where another communicator of the same processes was
  /// seen to have none.
  [[nodiscard]] Grouped use_where_it_pays(double saved_s, double opening_s,
                                          const std::function<int()>& before_they_meet);

  /// The group for a call that does not block, where it is open; null on all members: it goes by messages. What such
  /// calls would have saved counts for the ones above. `opening_s`: 0 where the call must use datagrams.
  [[nodiscard]] std::shared_ptr<DatagramGroup> to_start(double saved_s, double opening_s) noexcept;

  /// Whether such calls would have saved what the group costs.
  [[nodiscard]] bool is_due() const noexcept { return !has_asked_ && would_have_saved_s_ >= opening_s_; }
  /// Collective, where it is due.
  [[nodiscard]] Grouped open_for_started() { return opening_s_ > 0.0 ? open_where_all_are_reached() : use({}); }

  /// What datagrams are to it, for people; null: not asked yet. Lives as long as the process.
  [[nodiscard]] const char* words() const noexcept { return words_; }

 private:
  [[nodiscard]] Grouped open();
  [[nodiscard]] Grouped open_where_all_are_reached();
  [[nodiscard]] int split();
  [[nodiscard]] int agree_whether_all_are_open(bool is_open);
  [[nodiscard]] Grouped that_hears(const std::function<int()>& before_they_meet);
  [[nodiscard]] bool is_first() const { return rank_ == 0; }
  [[nodiscard]] bool has_groups() const { return !group_of_.empty(); }
  [[nodiscard]] std::string name_for_people() const;
  void has_none(std::string_view why);
  void warn_of_none();
  void tell_what_it_heard() const;

  MPI_Comm user_;
  const PrivateCommunicator& ours_;
  MPI_Comm ranks_;  ///< of the group's ranks alone: the program's own, or made from it
  std::shared_ptr<Members> members_;
  std::vector<Rank> group_of_;
  std::vector<int> world_ranks_{};  ///< of the group
  Rank rank_ = 0;                   ///< in the group
  GroupWay way_;
  bool explain_;
  bool has_asked_ = false;
  bool are_open_ = false;
  bool has_warned_ = false;
  double would_have_saved_s_ = 0.0;                             ///< calls before it was open
  double opening_s_ = std::numeric_limits<double>::infinity();  ///< the least that it costs by any call so far
  std::string none_{};                                          ///< why there is no group
  const char* words_ = nullptr;
  std::shared_ptr<DatagramGroup> group_{};  ///< its last call may be over later
};

}  // namespace trunkline::runtime
