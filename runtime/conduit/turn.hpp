// SPDX-License-Identifier: Apache-2.0
// One collective call on one communicator, as its messages see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conduit/conduit.hpp"
#include "conduit/patience.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

class EventSink;

/// Another rank has given this call up, for the error class `code`: what it had still to send will not come, and what
/// is sent to it may never be taken.
struct GivenUp {
  int rank;
  int code;
};

/// This rank has waited for very long. Thrown once in a process, for whoever knows what it waits for.
struct LongWait {};

/// A call, as the program knows it.
struct ProgramCall {
  MPI_Comm communicator = MPI_COMM_NULL;
  std::string_view name{};  ///< "MPI_Bcast"
  std::optional<int> root{};
  std::uint64_t bytes = 0;
};

/// The data of one message, wherever it lies.
struct Chunk {
  std::byte* at = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  int bytes = 0;  ///< of its signature
};

/// Ranks are those of the conduit, so of MPI_COMM_WORLD.
class Turn {
 public:
  /// `members`: the ranks of the communicator; `id`: its number; `number`: how many such calls came before on it;
  /// `claim`: a digest of what all members must take the call for; `trees` of the plan, 1 where it has none. All must
  /// outlive the object.
  Turn(Conduit& conduit, std::span<const int> members, unsigned id, std::uint64_t number, std::uint64_t claim,
       std::size_t trees)
      : conduit_(conduit), members_(members), id_(id), number_(number), claim_(claim), trees_(trees) {}

  /// Once a rank has revoked the program's communicator, whoever waits gives up, with MPI's code for that.
  void belongs_to(const ProgramCall& call) noexcept { user_ = call; }

  /// Whoever wants to look inside the call; null: nobody. It must outlive the executor.
  void tell(EventSink* sink) noexcept { sink_ = sink; }
  [[nodiscard]] EventSink* sink() const noexcept { return sink_; }

  /// Starts sending, an ordinary message unless `synchronous` or unless the receiver is far behind. Throws MpiError.
  void send(const Chunk& chunk, int to, unsigned tree, bool synchronous, MPI_Request& request);
  void send(std::byte* at, int bytes, int to, unsigned tree, bool synchronous, MPI_Request& request) {
    send({.at = at, .count = bytes, .bytes = bytes}, to, tree, synchronous, request);
  }

  /// Starts receiving. Throws MpiError.
  void receive(const Chunk& chunk, int from, unsigned tree, MPI_Request& request);
  void receive(std::byte* at, int bytes, int from, unsigned tree, MPI_Request& request) {
    receive({.at = at, .count = bytes, .bytes = bytes}, from, tree, request);
  }

  /// Of a request that is over: its place among those waited for, and of a receive the bytes that came.
  struct Over {
    std::size_t index;
    int bytes;
  };

  /// Waits for one of the requests, none of which is null. `receiving`: this rank still needs messages of the call.
  /// Throws MpiError, MPI_ERR_TRUNCATE where other ranks take the call for something else; GivenUp; LongWait.
  [[nodiscard]] Over wait_any(std::span<MPI_Request* const> requests, bool receiving);

  /// One look: empty where none of them is over yet. `patience`: of the looks so far. Throws as wait_any() does.
  [[nodiscard]] std::optional<Over> test_any(std::span<MPI_Request* const> requests, bool receiving,
                                             Patience& patience);

  /// Waits for all of them; null ones are over. Throws as wait_any() does.
  void wait_all(std::span<MPI_Request> requests);

  /// One look at each: whether all are over. Throws as wait_any() does.
  [[nodiscard]] bool test_all(std::span<MPI_Request> requests, Patience& patience);

  /// Tells all other members that this rank gives the call up. They notice once they have waited for a while.
  void give_up(int code) noexcept { tell(members_, code); }

  /// The same where it does so because others have: `peers`, those that it exchanges messages with, may not have waited
  /// for those others.
  void give_up_too(int code, std::span<const int> peers) noexcept { tell(peers, code); }

  /// Says on standard error for which ranks it has waited since long, for something of theirs or until they take what
  /// is sent to them, and what may be wrong.
  void say_long_wait(std::span<const int> awaited, bool receiving) const;

 private:
  [[nodiscard]] int tag(unsigned tree) const { return conduit_.tags().tag(id_, number_, claim_, trees_, tree); }
  [[nodiscard]] bool is_member(int rank) const;
  void tell(std::span<const int> ranks, int code) noexcept;
  void look_for_trouble(bool receiving, const Patience& patience);
  void look_for_notice();
  void look_for_other_claims();

  Conduit& conduit_;
  std::span<const int> members_;
  unsigned id_;
  std::uint64_t number_;
  std::uint64_t claim_;
  std::size_t trees_;
  ProgramCall user_{};
  EventSink* sink_ = nullptr;
  bool is_alert_ = false;               ///< somebody has given the call up: others may follow soon
  std::vector<MPI_Request> handles_{};  ///< scratch of wait_any()
};

/// While it lives this thread is not cancelled: nothing may unwind a destructor.
class Uncancelled {
 public:
  Uncancelled();
  ~Uncancelled();
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = 0;
};

/// Lets go of requests that an error left behind. Returns whether there were any: the library may still use their
/// memory then.
[[nodiscard]] bool let_go(std::span<MPI_Request> requests, bool cancel) noexcept;

}  // namespace trunkline::runtime
