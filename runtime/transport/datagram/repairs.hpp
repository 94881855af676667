// SPDX-License-Identifier: Apache-2.0
// Repairs of eager messages without their root: a thread of this process, asleep unless somebody asks, answers for it.
// An ask comes as a datagram, or over TCP where datagrams do not arrive. docs/multicast.md, "Eager messages".
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "transport/datagram/askers.hpp"
#include "transport/datagram/kept.hpp"
#include "transport/datagram/sockets.hpp"

namespace trunkline::runtime {

class RepairThread;

/// Of one group.
class Repairs {
 public:
  /// At the address `own`, with any port, of a member of `group`; this process is `rank`, and its host may have more of
  /// them. Null where the system gives no thread or socket.
  [[nodiscard]] static std::unique_ptr<Repairs> open(const Address& own, const Address& group, bool shares_host,
                                                     const Sealer& sealer, std::uint32_t rank);
  ~Repairs();
  Repairs(const Repairs&) = delete;
  Repairs& operator=(const Repairs&) = delete;

  /// Where it hears asks, as datagrams and over TCP.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Where members hear datagrams that are for them alone, by rank.
  void answer_to(std::span<const Address> members);

  // As KeptMessages has them.
  void keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes, std::span<const std::byte> message,
            std::uint32_t first = 0);
  void forget() noexcept;
  void forget_before(std::uint64_t turn) noexcept;
  void forget_of(std::uint64_t turn, std::uint32_t before) noexcept;

 private:
  friend class RepairThread;

  Repairs(std::shared_ptr<RepairThread> thread, Descriptor listener, Descriptor datagrams, std::uint16_t port,
          const Sealer& sealer, std::uint32_t rank);

  [[nodiscard]] bool listens();

  // Of the thread, which holds its lock. What others send takes its time there, and never that of a rank.
  void ready(int descriptor);
  void look_in(Askers::Clock::time_point now);
  void take_datagrams();
  void take_askers();
  [[nodiscard]] std::optional<PacketBytes> answer_over_tcp(std::span<const std::byte> bytes);

  std::shared_ptr<RepairThread> thread_;
  Descriptor listener_;
  Descriptor datagrams_;
  std::uint16_t port_;
  Sealer sealer_;
  std::mutex over_kept_{};  ///< and over the members; held for as long as one ask takes
  KeptMessages kept_;
  std::vector<Address> members_{};
  Address group_{};
  Askers askers_;
  bool lacks_descriptors_ = false;  ///< for those who wait at the listener
};

}  // namespace trunkline::runtime
