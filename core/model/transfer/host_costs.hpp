// SPDX-License-Identifier: Apache-2.0
// What a message costs the hosts that send and receive it: the one place that says so, for every prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "model/transfer/memory_speeds.hpp"

namespace trunkline {

/// Of one library over one transport, as functions of a message's size. Where each was measured, and how:
/// docs/results/message-cost.md.
struct HostCosts {
  std::string_view name;  ///< of the table below; lives as long as the process
  double send_s = 0.0;    ///< os(m) = send_s + send_byte_s * m: the sender's processor is busy
  double send_byte_s = 0.0;
  double receive_s = 0.0;  ///< or(m), the receiver's
  double receive_byte_s = 0.0;
  /// The same between ranks of one host, which hand messages on in its memory.
  double local_send_s = 0.0;
  double local_send_byte_s = 0.0;
  double local_receive_s = 0.0;
  double local_receive_byte_s = 0.0;
  /// Of the library's own sum of doubles, for each byte that is added to one's own.
  double combine_byte_s = 0.0;
  /// The same of a datagram that goes to a multicast group: sealed, sent, received and checked in batches.
  double datagram_send_s = 0.0;
  double datagram_send_byte_s = 0.0;
  double datagram_receive_s = 0.0;
  double datagram_receive_byte_s = 0.0;
  double datagram_rank_s = 0.0;  ///< of the receiving host, for each further rank there that hears it
  /// Longest message that leaves before its receiver has asked for it. A longer one is announced and asked for first.
  std::uint64_t eager_bytes = std::numeric_limits<std::uint64_t>::max();
  double rendezvous_s = 0.0;  ///< what that costs each of the two processors, besides the round trip
  /// Longer messages than that which are under way to one rank share the wire, so that they end together.
  bool shares_wire = false;
  /// Where all hosts share the processors of one machine, as on the lab: what each message takes of them while all
  /// hosts are at work, and each byte of it. 0: every host has processors of its own.
  double shared_s = 0.0;
  double shared_byte_s = 0.0;
  /// How fast its memory is, where all ranks are on it. Lives as long as the process.
  const MemorySpeeds* memory = &usual_memory_speeds;
  bool is_memory_named = false;  ///< by whoever uses the library
  /// The library is another one, which has this one's binary interface: what its own calls take was not measured.
  bool is_another_library = false;
  /// That messages go that way was said, or measured here; else the library has, perhaps, a network that needs no
  /// processor.
  bool is_known = false;

  [[nodiscard]] bool is_eager(std::uint64_t bytes) const { return bytes <= eager_bytes; }
  /// How often such a message goes a way: one that is announced first, there and back before.
  [[nodiscard]] double trips(std::uint64_t bytes) const { return is_eager(bytes) ? 1.0 : 3.0; }
  /// What the sender of a message of so many bytes spends on it.
  [[nodiscard]] double sending_s(std::uint64_t bytes) const {
    return send_s + send_byte_s * static_cast<double>(bytes) + (is_eager(bytes) ? 0.0 : rendezvous_s);
  }
  /// What one of the two hosts spends on a message of so many bytes, on average.
  [[nodiscard]] double handling_s(std::uint64_t bytes) const {
    return (send_s + receive_s) / 2.0 + handling_byte_s() * static_cast<double>(bytes) +
           (is_eager(bytes) ? 0.0 : rendezvous_s);
  }
  /// The same of a message between ranks of one host.
  [[nodiscard]] double local_handling_s(double bytes) const {
    return (local_send_s + local_receive_s + (local_send_byte_s + local_receive_byte_s) * bytes) / 2.0;
  }
  [[nodiscard]] bool share_processors() const { return shared_s > 0.0 || shared_byte_s > 0.0; }
  /// Of so many messages, with so many bytes in all, whoever sends them: no plan is faster than this. Besides, so many
  /// with so many bytes between ranks of one host.
  [[nodiscard]] double together_s(double messages, double bytes, double local_messages = 0.0,
                                  double local_bytes = 0.0) const {
    const double local_s =
        local_messages * (local_send_s + local_receive_s) + local_bytes * (local_send_byte_s + local_receive_byte_s);
    return messages * shared_s + bytes * shared_byte_s + (shared_s > 0.0 ? local_s : 0.0);
  }
  /// Whether a full datagram takes its hosts at most half of the time that it is on a wire of that many seconds a byte:
  /// drivers and interrupts come on top of what was measured without a network. So many ranks of a host hear it.
  [[nodiscard]] bool datagrams_keep_up(double byte_s, double ranks_a_host = 1.0) const;
  /// Whether a multicast may pay among so many hosts. To one other host a plain message goes as fast. Where hosts and
  /// not links would set the pace, it must be known what the library's own messages cost: it may have a network that
  /// needs no processor.
  [[nodiscard]] bool multicasts_may_pay(std::size_t hosts, double byte_s, double ranks_a_host = 1.0) const {
    constexpr std::size_t least_hosts = 3;
    return hosts >= least_hosts && (is_known || datagrams_keep_up(byte_s, ranks_a_host));
  }
  /// Whether it is known what short messages of the library cost, on links of that many seconds a byte: it is stated,
  /// or they are no network that needs no processor.
  [[nodiscard]] bool messages_are_known(double byte_s) const {
    return is_known || (datagrams_keep_up(byte_s) && !is_another_library);
  }
  [[nodiscard]] double handling_byte_s() const { return (send_byte_s + receive_byte_s) / 2.0; }
};

/// Open MPI's `btl_tcp_eager_limit`, less a header: what a rank sends without asking. Of longer messages it offers all
/// children theirs at once.
inline constexpr std::uint64_t openmpi_eager_bytes = 65536 - 64;

/// All that are known; "free", hosts that cost nothing, is the first.
[[nodiscard]] std::span<const HostCosts> known_host_costs();

/// Throws std::invalid_argument with the names there are.
[[nodiscard]] const HostCosts& host_costs_named(std::string_view name);

/// As TRUNKLINE_HOST_COSTS says it: "NAME", "shared=16us,shared-byte=4ns", or both: "NAME,shared=16us". Costs of a
/// message and of datagrams are said so, too: "send=70us,send-byte=16ns", "datagram-send=1us". What is not said is
/// `usual`. Throws std::invalid_argument with what would be right.
[[nodiscard]] HostCosts host_costs_from(std::string_view text, const HostCosts& usual);

/// What datagrams and combining cost, as host_costs_from() takes it behind a name.
[[nodiscard]] std::string datagram_costs_text(const HostCosts& hosts);

/// The defaults of a library over TCP: `mpi` is "mpich" or "openmpi", `version` such as "4.0.2", or empty.
[[nodiscard]] const HostCosts& host_costs_of(std::string_view mpi, std::string_view version);

/// Those of the first MPICH: where nothing is said.
[[nodiscard]] const HostCosts& usual_host_costs();

}  // namespace trunkline
