// SPDX-License-Identifier: Apache-2.0
// Which algorithm and which segment for a call, from the cluster's stated rates alone. What was measured on the
// user's own network overrides it by way of a tuning file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/costs.hpp"
#include "model/host_costs.hpp"
#include "model/least_time.hpp"
#include "model/native_bcast.hpp"
#include "model/native_reduction.hpp"
#include "model/native_shares.hpp"
#include "model/wire.hpp"
#include "network/cluster.hpp"
#include "plan/collective.hpp"
#include "plan/operand_order.hpp"
#include "plan/tree.hpp"

namespace trunkline {

/// One algorithm with the segment that suits it, for one message.
struct Prediction {
  std::string_view algorithm;       ///< the registry's own text
  std::uint64_t segment_bytes = 0;  ///< 0: native
  double seconds = 0.0;
};

/// Below that the way counts and not the bytes; what a call costs besides, predictions do not know: native.
inline constexpr std::uint64_t least_bytes = 512;
inline constexpr const char* below_least_bytes = "less than 512 bytes: left to the MPI library";

/// What runs, without a word about it.
struct Pick {
  std::string_view algorithm = "native";  ///< or one of the registry's own names
  std::uint64_t segment_bytes = 0;        ///< 0: native
};

struct Choice {
  std::string_view algorithm;       ///< "native" or one of the predictions'
  std::uint64_t segment_bytes = 0;  ///< 0: native
  std::vector<Prediction>
      predictions{};   ///< fastest first, native among them; empty: there is no network between ranks
  std::string reason;  ///< one line, for people
};

/// What the rule needs to know of one communicator and root, taken once and kept.
struct Prospects {
  struct Candidate {
    std::string_view algorithm;
    Costs costs;
    double handicap = 1.0;         ///< that its predicted times are multiplied by before they are compared
    double handicap_byte_s = 0.0;  ///< for each byte of the message on the wire: added to them, too
    bool by_rank = false;          ///< of a reduction: keeps operands in the order of ranks
    bool one_order = false;        ///< of a reduction: combines them in one order, whatever their number
  };
  std::vector<Candidate> candidates;      ///< none where all ranks share one host
  NativeCosts native;                     ///< of a broadcast
  NativeReductionCosts native_reduction;  ///< of a reduction
  NativeShareCosts native_shares;         ///< of what goes by shares
  Collective collective = Collective::bcast;
  double least_byte_s = 0.0;  ///< see least_byte_s(); 0 where native is predicted as it is
};

/// Lays every plan that the rule considers, and what the library would run.
[[nodiscard]] Prospects prospects_of(Collective collective, const Cluster& cluster, const Placement& placement,
                                     Rank root, NativeLibrary native, const HostCosts& hosts = usual_host_costs());

/// What the MPI library's own algorithm would take.
[[nodiscard]] double native_seconds(const Prospects& prospects, std::uint64_t message_bytes);

/// Native below least_bytes, and unless a plan is predicted to be faster by a margin, or nearly as fast as the links
/// allow where native exchanges are less fast than predicted. The same answer on every rank:
/// depends on nothing but its arguments. Allocates nothing: about a quarter of a microsecond.
[[nodiscard]] Pick pick(const Prospects& prospects, std::uint64_t message_bytes,
                        OperandOrder order = OperandOrder::any);

/// The same choice, with what it follows from: for people.
[[nodiscard]] Choice choose(const Prospects& prospects, std::uint64_t message_bytes,
                            OperandOrder order = OperandOrder::any);

}  // namespace trunkline
