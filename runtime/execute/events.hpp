// SPDX-License-Identifier: Apache-2.0
// What happens to the parts of a message on one rank while a collective runs: whoever wants to look inside listens.
#pragma once

#include <cstdint>

namespace trunkline::runtime {

struct Event {
  enum class Kind : std::uint8_t {
    arrived,    ///< the part has come from the peer
    handed_on,  ///< its way to the peer begins: told before the send
    complete,   ///< at the root of a reduction: every rank's operand is in the part; without peer
    over,       ///< the call's messages are, on this rank; without peer and part
  };
  Kind kind = Kind::over;
  unsigned tree = 0;       ///< of several by turns; 0 where the plan has rounds
  int peer = -1;           ///< rank of the private communicator
  std::uint64_t part = 0;  ///< of a tree its segment, of rounds the round
};

/// Called on the rank's own path: must be short, and must not call MPI.
class EventSink {
 public:
  EventSink() = default;
  virtual ~EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  virtual void take(const Event& event) noexcept = 0;
};

}  // namespace trunkline::runtime
