// SPDX-License-Identifier: Apache-2.0
// What a call may run on one communicator, from one root: the candidates laid over it, and native, with their costs
// from the cluster's stated rates. What was measured on the user's own network overrides it by way of a tuning file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/laid_on.hpp"
#include "collective/collective.hpp"
#include "model/native/native_times.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/cluster.hpp"
#include "plan/costs.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// A candidate where it would run.
struct Alternative {
  const Candidate* candidate;
  Plan plan{};                     ///< laid for its costs; without steps once it was asked for, or forgotten
  const Uncertainty* uncertainty;  ///< the candidate's, or of what its plan comes down to on so few ranks
  Costs costs;
  /// It takes no less in all, nor for each byte on the wire; 0: nobody asks, since it is laid. Else it is laid once its
  /// costs are asked for.
  double least_s = 0.0;
  double least_byte_s = 0.0;
  double lost_byte_s = 0.0;   ///< of the links' time, for each byte of the message on the wire: may be added
  bool by_rank = false;       ///< of a reduction: keeps operands in the order of ranks
  bool one_order = false;     ///< of a reduction: combines them in one order, whatever their number
  bool by_datagrams = false;  ///< runs only where datagrams reach all ranks
};

struct Alternatives {
  Collective collective = Collective::bcast;
  std::vector<Alternative> laid{};              ///< none: native runs, and `why_none` says why
  std::shared_ptr<const LaidOn> on{};           ///< whose paths native's times come from; null: nothing is laid
  std::shared_ptr<const NativeTimes> native{};  ///< null as well
  double least_byte_s = 0.0;                    ///< see least_byte_s(); 0 where native is predicted as it is
  std::vector<std::uint64_t> jumps{};           ///< ascending: from here on times are others than just below
  std::uint64_t floor_bytes = least_bytes;      ///< shorter messages stay native, but for candidates that take those
  double queues = 0.0;                          ///< queues_that_pass() of the library; 0 where replays tell
  bool takes_short = false;                     ///< one of them does
  bool shares_processors = false;               ///< all hosts do, those of one machine
  std::string_view why_none{};

  /// Whether there is anything to decide for a message of so many bytes.
  [[nodiscard]] bool decide(std::uint64_t bytes) const {
    return !laid.empty() && (takes_short || bytes >= floor_bytes);
  }
};

/// Lays every plan that the rule compares. What the library would run is laid once a size is asked for that it runs:
/// `cluster` must outlive the result, which one thread uses at a time. `multicasts`: with those by datagrams.
[[nodiscard]] Alternatives alternatives_of(Collective collective, const Cluster& cluster, const Placement& placement,
                                           Rank root, NativeLibrary native, const HostCosts& hosts = usual_host_costs(),
                                           bool multicasts = true);

/// The same with those alone that take messages below least_bytes.
[[nodiscard]] Alternatives short_alternatives_of(Collective collective, const Cluster& cluster,
                                                 const Placement& placement, Rank root, NativeLibrary native,
                                                 const HostCosts& hosts = usual_host_costs(), bool multicasts = true);

/// By collective: whether one of those may be faster than native among some ranks of a job; else nobody needs to look
/// at short calls. `job`: its ranks' hosts.
[[nodiscard]] std::array<bool, most_collectives> short_calls_may_pay(const Cluster& cluster, const Placement& job,
                                                                     const HostCosts& hosts, bool multicasts);

/// What the MPI library's own algorithm would take.
[[nodiscard]] double native_seconds(const Alternatives& alternatives, std::uint64_t message_bytes);

}  // namespace trunkline
