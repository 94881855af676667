// SPDX-License-Identifier: Apache-2.0
// Whether datagrams reach all ranks of a group that opens: the first rank is heard by all others, and hears them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "transport/datagram/address.hpp"
#include "transport/datagram/packet.hpp"
#include "transport/datagram/sealer.hpp"
#include "transport/datagram/sockets.hpp"

namespace trunkline::runtime {

class Probing {
 public:
  struct Ground {
    Sockets& sockets;
    const Sealer& sealer;
    const Address& group;
    const Address& first;  ///< the first rank's own
    std::size_t rank;
    std::size_t ranks;
    std::uint32_t burst;                 ///< datagrams that any rank's buffer holds
    const std::function<void()>& go_on;  ///< with what the program has under way, while this rank waits
  };

  /// What `on` refers to must outlive the object.
  explicit Probing(const Ground& on);

  /// For a quarter of a second at most. What was heard in earlier rounds counts.
  void round();
  /// Of the first rank, that all others have answered; of others, that they have heard it.
  [[nodiscard]] bool is_right() const { return missing_ == 0; }

 private:
  void ask_all(double end);
  void answer_first(double end);
  [[nodiscard]] std::size_t next_unheard(std::size_t from) const;
  void answer();
  void probe_from(std::size_t from, std::size_t ranks);
  void send(const Address& to, const PacketHead& head);
  void rest();

  Ground on_;
  std::vector<bool> heard_;
  std::size_t missing_;
};

}  // namespace trunkline::runtime
