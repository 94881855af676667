// SPDX-License-Identifier: Apache-2.0
// A short reduction whose operands go up trees, and whose result the root multicasts to all, each packet as soon as it
// holds all operands: docs/multicast.md, "Results".
//
// Cost, with N packets and T(m) the time of one transfer of m bytes: up as a reduction over the same trees, which the
// packets follow, and the way of the last one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datatype/message.hpp"
#include "execute/multicast/packets.hpp"
#include "execute/trees/tree_reduction.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

/// What both sides know.
struct ResultPlan {
  std::span<const LocalTree> trees;  ///< up which operands go
  std::span<const int> members;      ///< all ranks of the call
  int root = 0;
  double byte_s = 0.0;  ///< seconds for each byte on the wire of the slowest link; 0: not known
};

class EagerResultRoot final : public TreeReduction {
 public:
  /// All that they refer to must outlive the object. Throws MpiError.
  EagerResultRoot(Transport& transport, Datagrams& datagrams, const ResultPlan& plan, const Operands& operands,
                  std::uint64_t segment_bytes, const InFlight& in_flight, OperandOrder order);

 private:
  [[nodiscard]] bool advance() override;
  /// The pace tells when it may go on.
  [[nodiscard]] bool looks_itself() const override { return ready_ > next_; }
  [[nodiscard]] std::uint64_t progress() const override { return next_; }
  /// All ranks wait for it, and it tells them all where it gives up too.
  [[nodiscard]] std::vector<int> peers() const override { return {members_.begin(), members_.end()}; }
  void settle() override { datagrams_.all_have_come(); }

  void send_what_may_go();

  Datagrams& datagrams_;
  std::span<const int> members_;
  Message result_;
  std::uint64_t element_bytes_;
  double byte_s_;
  std::vector<std::byte> bytes_;  ///< of the result, as far as it is complete
  std::uint64_t read_ = 0;        ///< of them
  std::uint32_t packets_;
  std::uint32_t ready_ = 0;  ///< packets that are complete
  std::uint32_t next_ = 0;   ///< the first that has not been sent
};

class EagerResultReceiver final : public TreeReduction {
 public:
  /// As of EagerResultRoot.
  EagerResultReceiver(Transport& transport, Datagrams& datagrams, const ResultPlan& plan, const Operands& operands,
                      std::uint64_t segment_bytes, const InFlight& in_flight, OperandOrder order);

  [[nodiscard]] int code() const override { return delivered_; }

 private:
  [[nodiscard]] bool advance() override;
  /// Its operands have left.
  [[nodiscard]] bool looks_itself() const override { return is_up_; }
  [[nodiscard]] std::uint64_t progress() const override { return ~missing_; }
  [[nodiscard]] bool is_receiving() const override { return !is_whole() || TreeReduction::is_receiving(); }
  [[nodiscard]] bool needs(int rank) const override;
  [[nodiscard]] std::vector<int> peers() const override;
  void settle() override;

  [[nodiscard]] bool is_whole() const { return missing_ == 0; }
  void hear_one(const Datagram& datagram);
  void ask_where_quiet();

  Datagrams& datagrams_;
  int root_;
  Message result_;
  std::vector<std::byte> bytes_;  ///< of the result: its place may hold what is on its way up
  std::uint64_t missing_;         ///< packets, a bit each
  bool is_up_ = false;
  bool is_heard_ = false;  ///< by a datagram to all
  bool is_lost_ = false;   ///< what is missing was sent
  int delivered_ = MPI_SUCCESS;
  double quiet_since_ = 0.0;  ///< the last packet, or ask
  double between_packets_s_;
  double patience_;
};

}  // namespace trunkline::runtime
