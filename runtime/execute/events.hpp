// SPDX-License-Identifier: Apache-2.0
// Events of the parts of a message on one rank while a collective runs, for those who look inside: an EventSink.
#pragma once

#include <cstdint>

namespace trunkline::runtime {

struct Event {
  enum class Kind : std::uint8_t {
    arrived,    ///< the part has come from the peer
    handed_on,  ///< its way to the peer begins: told before the send
    complete,   ///< at the root of a reduction: every rank's operand is in the part; without peer
    over,       ///< the call's messages are, on this rank; without peer and part
    told,       ///< a step of a multicast's protocol goes to the peer; without peer: to all
    heard,      ///< one has come from the peer
    sum,        ///< of a host whose ranks combine as they come: from here its way to the peer begins
  };
  /// Of a message that is told or heard (docs/multicast.md).
  enum class Step : std::uint8_t {
    data = 0,
    repair = 1,  ///< data once more, or parity
    poll = 2,
    report = 3,
    done = 4,
    ask = 5,
    answer = 6,  ///< to an ask: not yet, or that something has been heard, or the data that were asked for by a message
    meeting = 7,  ///< is over: all ranks have come
  };
  Kind kind = Kind::over;
  unsigned tree = 0;       ///< of several by turns; 0 where the plan has rounds; where told or heard the Step
  int peer = -1;           ///< rank of the private communicator
  std::uint64_t part = 0;  ///< of a tree its segment, of rounds the round; of a multicast the packet, or the poll
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
