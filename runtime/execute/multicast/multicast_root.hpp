// SPDX-License-Identifier: Apache-2.0
// The rank that sends a multicast message to all others, and parity for what they lack: docs/multicast.md, "The root".
//
// Cost, with N packets, T(m) the time of one transfer of m bytes and a confirm tree of height H:
//   N T(packet) + H T(word), whatever the number of receivers.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "execute/arriving.hpp"
#include "execute/execution.hpp"
#include "execute/multicast/below.hpp"
#include "execute/multicast/packets.hpp"
#include "execute/multicast/seldom_look.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

class MulticastRoot final : public Execution {
 public:
  /// All must outlive the object. `byte_s`: seconds for each byte on the wire of the slowest link; 0: not known.
  /// `source`: what comes of the message, which it sends as soon as it can; null: all of it is here.
  MulticastRoot(Transport& transport, Datagrams& datagrams, std::span<const int> children, Message& message,
                double byte_s, const Arriving* source = nullptr);

 private:
  /// What is sent of a block besides its packets.
  struct Repair {
    std::uint32_t owed = 0;             ///< so many more parity packets
    std::vector<std::uint32_t> sent{};  ///< by parity packet that was sent: polls before it
  };

  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override { return true; }
  [[nodiscard]] bool puts_off_messages() override { return seldom_.puts_off(gets_on_); }
  [[nodiscard]] std::uint64_t progress() const override {
    return std::uint64_t{next_} + packets_.base() + below_.progress();
  }
  void await(std::vector<Pending*>& requests) override { below_.await(requests); }
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override { return false; }
  [[nodiscard]] bool needs(int /*rank*/) const override { return false; }
  void leave_out(int rank) override { below_.leave_out(rank); }
  [[nodiscard]] std::vector<int> peers() const override { return {below_.ranks().begin(), below_.ranks().end()}; }
  [[nodiscard]] std::vector<std::span<Pending>> sends() override { return {below_.answers()}; }
  void settle() override;

  bool hear();
  void learn();
  bool repair(const Report& report);
  void owe(std::uint32_t block, std::uint32_t packets);
  [[nodiscard]] double may_lack(std::uint32_t block) const;
  bool send_what_may_go();
  std::size_t send_data();
  std::size_t send_parity();
  [[nodiscard]] std::uint32_t poll_if_due();
  [[nodiscard]] std::uint32_t between_polls() const;
  void poll_where_quiet();
  void send_polls();
  [[nodiscard]] std::uint32_t limit() const;
  [[nodiscard]] bool may_repair() const { return !again_.empty() && (all_ready_ || sent_ < datagrams_.burst()); }
  [[nodiscard]] bool has_something_to_send() const { return may_repair() || next_ < limit(); }
  void new_poll(double now);
  void takes_the_wire(double now, std::size_t bytes);
  [[nodiscard]] double lost() const;

  Datagrams& datagrams_;
  Packets packets_;
  Below below_;
  double byte_s_;
  const Arriving* source_;
  double& free_at_;  ///< when the link has sent what it was given
  bool has_begun_ = false;
  bool gets_on_ = false;  ///< it has just heard or sent something
  SeldomLook seldom_{};

  std::uint32_t next_ = 0;           ///< the first packet that was never sent
  std::uint32_t sent_ = 0;           ///< of all packets, parity too
  std::vector<Repair> repairs_;      ///< by block
  std::deque<std::uint32_t> again_;  ///< blocks of which parity is owed
  std::uint32_t sent_since_poll_ = 0;
  std::uint32_t polls_ = 0;  ///< so many have been sent
  std::vector<std::byte> parity_{};

  bool all_ready_ = false;
  std::uint32_t base_ = 0;          ///< everybody has all before it
  std::uint32_t learned_poll_ = 0;  ///< the last that all have answered
  bool is_lossy_ = false;           ///< something was lacking since then
  double lost_ = 0.0;               ///< as ranks report it
  std::uint32_t window_;

  double polled_at_ = 0.0;
  double patience_;
  double& answer_s_;  ///< from a poll to what all say of it
};

}  // namespace trunkline::runtime
