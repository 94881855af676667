// SPDX-License-Identifier: Apache-2.0
// Short multicasts, whose root leaves once it has sent: docs/multicast.md, "Eager messages".
//
// Cost, with N packets and T(m) the time of one transfer of m bytes: N T(packet), whatever the number of receivers.
#pragma once

#include <cstdint>
#include <vector>

#include "execute/arriving.hpp"
#include "execute/multicast/packets.hpp"
#include "execute/without_messages.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

class EagerRoot final : public WithoutMessages {
 public:
  /// All must outlive the object. `byte_s`: seconds for each byte on the wire of the slowest link; 0: not known.
  /// `source`: what comes of the message, which it sends as soon as it can; null: all of it is here.
  EagerRoot(Transport& transport, Datagrams& datagrams, Message& message, double byte_s,
            const Arriving* source = nullptr);

 private:
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override { return next_ < may_go(); }
  [[nodiscard]] std::uint64_t progress() const override { return std::uint64_t{next_} + packets_.base(); }

  void keep_what_has_come();
  /// Before which packets and parity may be sent.
  [[nodiscard]] std::uint32_t may_go() const { return packets_.is_whole() ? end_ : packets_.base(); }

  Datagrams& datagrams_;
  Packets packets_;
  double byte_s_;
  const Arriving* source_;
  std::uint32_t kept_ = 0;  ///< packets that others may ask for
  std::uint32_t next_ = 0;  ///< of its packets, and then of its parity
  std::uint32_t end_;       ///< of these
  std::vector<std::byte> parity_{};
};

class EagerReceiver final : public WithoutMessages {
 public:
  /// All must outlive the object. `byte_s`: as of EagerRoot.
  EagerReceiver(Transport& transport, Datagrams& datagrams, int root, Message& message, double byte_s);

  [[nodiscard]] int code() const override { return delivered_; }

 private:
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override { return true; }
  [[nodiscard]] std::uint64_t progress() const override { return heard_; }
  [[nodiscard]] bool is_receiving() const override { return !packets_.is_whole(); }
  [[nodiscard]] bool needs(int rank) const override { return is_receiving() && rank == root_; }
  [[nodiscard]] std::vector<int> peers() const override { return {root_}; }
  void settle() override;

  void hear_one(const Datagram& datagram);
  void heard(std::uint32_t place);
  void ask_where_quiet();
  [[nodiscard]] std::uint64_t wanted() const;

  Datagrams& datagrams_;
  Packets packets_;
  int root_;
  int delivered_ = MPI_SUCCESS;
  bool is_heard_ = false;    ///< by a datagram to all
  std::uint32_t sent_;       ///< packets, and parity after them
  std::uint32_t heard_ = 0;  ///< of these
  std::uint32_t end_ = 0;    ///< after the last of these that has come
  bool has_asked_ = false;
  bool is_lost_ = false;  ///< what is missing was sent
  double between_packets_s_;
  double quiet_since_ = 0.0;  ///< the last packet, or ask
  double patience_;
};

}  // namespace trunkline::runtime
