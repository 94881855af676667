// SPDX-License-Identifier: Apache-2.0
// A rank that hears a multicast message: docs/multicast.md, "A receiver".
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "execute/execution.hpp"
#include "execute/multicast/below.hpp"
#include "execute/multicast/packets.hpp"
#include "execute/multicast/seldom_look.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

class MulticastReceiver final : public Execution {
 public:
  /// All must outlive the object. `parent`, `children`: in the confirm tree.
  MulticastReceiver(Transport& transport, Datagrams& datagrams, int root, int parent, std::span<const int> children,
                    Message& message);
  ~MulticastReceiver() override;
  MulticastReceiver(const MulticastReceiver&) = delete;
  MulticastReceiver& operator=(const MulticastReceiver&) = delete;

  [[nodiscard]] int code() const override { return delivered_; }

 private:
  /// What it waits for from its parent.
  enum class Asked : std::uint8_t { nothing, whether_heard, data };

  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override { return true; }
  [[nodiscard]] bool puts_off_messages() override { return seldom_.puts_off(hears_now_); }
  [[nodiscard]] std::uint64_t progress() const override { return came_ + below_.progress(); }
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override { return !packets_.is_whole() || asked_ != Asked::nothing; }
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override;
  void settle() override;

  void hear();
  void hear_one(const Datagram& datagram);
  void hear_root(const Datagram& datagram);
  void got_packet();
  void report_where_due();
  void report();
  [[nodiscard]] Report own_report() const;
  [[nodiscard]] std::uint32_t sent() const { return std::max(end_, heard_end_); }
  [[nodiscard]] std::uint32_t missed() const { return sent() - std::min(sent(), heard_); }
  void leave();
  [[nodiscard]] unsigned copies() const;
  [[nodiscard]] double lost() const;
  void ask_where_quiet();
  [[nodiscard]] bool may_say();
  void say(Word::Kind kind);

  Datagrams& datagrams_;
  Packets packets_;
  Below below_;
  int root_;
  int parent_;
  int delivered_ = MPI_SUCCESS;
  bool has_begun_ = false;

  std::uint32_t end_ = 0;        ///< of the last poll
  std::uint64_t came_ = 0;       ///< packets that it lacked, and parity packets of use
  std::uint32_t heard_ = 0;      ///< packets of the message that came from the root
  std::uint32_t heard_end_ = 0;  ///< after the last of these
  bool has_fetched_ = false;     ///< so that what it missed says nothing about the network
  std::uint32_t poll_ = 0;       ///< the last that was heard
  bool is_alone_ = false;        ///< it came by itself
  std::uint32_t answered_ = 0;   ///< the last that was answered for all below
  bool is_due_ = false;          ///< at once, with what is known
  bool hears_now_ = false;       ///< something came at the last look
  double now_ = 0.0;             ///< when what came at the last look was looked at
  SeldomLook seldom_{};

  Asked asked_ = Asked::nothing;
  bool is_deaf_ = false;  ///< its parent has heard something, and it has not
  bool fetches_ = false;  ///< the last thing that came was fetched
  bool has_heard_ = false;
  bool is_done_ = false;
  double heard_at_ = 0.0;   ///< the last packet, or poll that says that it lacks none
  double packet_at_ = 0.0;  ///< the last packet that it lacked
  double quiet_s_;
  Word word_{};    ///< under way to the parent
  Word answer_{};  ///< from there
  Pending saying_{};
  Pending answering_{};
  std::uint32_t fetched_from_ = 0;
  std::vector<std::byte> fetched_{};
  Watchdog watchdog_;  ///< over words that have not left
};

}  // namespace trunkline::runtime
