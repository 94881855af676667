// SPDX-License-Identifier: Apache-2.0
// Messages by host memory, as this process knows them: what a call of its sends and receives, and what has come before
// anybody asked for it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "mpi_api.hpp"
#include "transport/memory/shared_segment.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// What a message belongs to.
struct MemoryCallKey {
  std::uint32_t communicator = 0;
  std::uint64_t turn = 0;   ///< of the call, whole
  std::uint64_t claim = 0;  ///< what the sender takes it for

  [[nodiscard]] bool is_same_call(const MemoryCallKey& other) const {
    return communicator == other.communicator && turn == other.turn;
  }
};

/// Either side of a message under way. It is the call's that started it; the process's threads see it under the lock.
struct MemoryOperation {
  enum class State : std::uint8_t {
    queued,     ///< to send: there is no room in the inbox, or no slot
    posted,     ///< sent, or waited for
    lying,      ///< to receive: it lies in the sender's memory, and is still to be read
    refused,    ///< to receive: it lies, and may not be read
    by_pieces,  ///< to receive: the sender has been asked for its pieces
    abandoned,  ///< to receive: the sender has withdrawn it
    over,
  };

  State state = State::posted;
  bool is_send = false;
  bool is_long = false;    ///< to send: it lies
  bool by_pieces = false;  ///< so too: it is not read
  std::uint32_t peer = 0;  ///< of the host
  std::uint16_t stream = 0;
  std::uint32_t bytes = 0;  ///< to send; or that have come
  int code = MPI_SUCCESS;
  std::uint32_t ticket = SharedMessage::none;
  std::uint32_t slot = SharedMessage::none;  ///< to send: the data are there already
  bool wants_ticket = false;
  MemoryCallKey call{};
  const std::byte* at = nullptr;       ///< to send, in one row
  std::shared_ptr<std::byte[]> row{};  ///< where they were packed, or are to be unpacked from
  Chunk chunk{};                       ///< to receive
  std::uint64_t place = 0;             ///< to receive: in the sender's memory
  std::uint32_t moved = 0;             ///< bytes that have gone, or come, by pieces
  MemoryOperation* next = nullptr;     ///< in the list that it is in
};

/// A list that owns nothing, first in, first out.
class MemoryQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] MemoryOperation* first() const { return first_; }
  void push(MemoryOperation& one) {
    one.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &one;
    last_ = &one;
  }
  void pop() { first_ = first_->next; }
  /// Whether it was there.
  bool remove(const MemoryOperation& one) {
    MemoryOperation* before = nullptr;
    for (MemoryOperation* it = first_; it != nullptr; before = it, it = it->next) {
      if (it != &one) continue;
      (before == nullptr ? first_ : before->next) = it->next;
      if (last_ == it) last_ = before;
      return true;
    }
    return false;
  }

 private:
  MemoryOperation* first_ = nullptr;
  MemoryOperation* last_ = nullptr;
};

/// A message that nobody had asked for when it was looked at: taken out of what ranks share, so that it keeps nobody
/// else's messages from coming.
struct EarlyMessage {
  std::uint32_t peer;
  std::uint16_t stream;
  bool is_long;
  bool by_pieces;
  std::uint32_t bytes;
  std::uint32_t ticket;
  std::uint64_t place;
  MemoryCallKey call;
  std::unique_ptr<std::byte[]> data;
};

/// What is handed over goes in a stream of its own, by which its receiver finds it whoever sent it.
inline constexpr std::uint16_t handed_over = 0xFFFF;
inline constexpr std::uint32_t anybody = ~std::uint32_t{0};

/// Messages of a call from one peer, in one stream.
struct MemoryLane {
  std::uint32_t peer;
  std::uint16_t stream;
  MemoryQueue posted{};             ///< nothing has come for them
  std::list<EarlyMessage> early{};  ///< nobody has asked for them
};

/// A call that is under way in this process.
struct MemoryCall {
  MemoryCallKey key{};
  std::vector<MemoryLane> lanes{};
  std::atomic<bool> has_other_claims =
      false;  ///< a message of this call came from a rank that takes it for something else

  [[nodiscard]] MemoryLane& lane(std::uint32_t peer, std::uint16_t stream) {
    if (stream == handed_over) peer = anybody;
    for (MemoryLane& one : lanes) {
      if (one.peer == peer && one.stream == stream) return one;
    }
    return lanes.emplace_back(MemoryLane{.peer = peer, .stream = stream});
  }
};

}  // namespace trunkline::runtime
