// SPDX-License-Identifier: Apache-2.0
// One rank's part of a collective that is under way, whatever its plan: steps that never block, and a run to the end
// that makes them one after another. What an executor adds is which messages are next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execute/events.hpp"
#include "mpi_api.hpp"
#include "transport/transport.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {

class Chained;
class Joined;

class Execution {
 public:
  virtual ~Execution() = default;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Does what can be done without waiting for anybody. Returns whether this rank's part is over: its result is there,
  /// and its buffers may be changed again. Throws as MpiTransport does; not to be called again after that.
  [[nodiscard]] bool step() { return go_on(Waiting::never); }

  /// Steps until it is over, and waits in between. Returns code().
  [[nodiscard]] int run() {
    static_cast<void>(go_on(Waiting::where_needed));
    return code();
  }

  /// Of a part that is over: MPI_SUCCESS, or what went wrong with this rank's data alone; the others got theirs.
  [[nodiscard]] virtual int code() const { return MPI_SUCCESS; }

  /// Where events go, instead of the transport's own sink. Null: nowhere. It must outlive the object.
  void tell(EventSink* sink) noexcept { sink_ = sink; }

 protected:
  /// `transport` must outlive the object.
  explicit Execution(Transport& transport) : transport_(transport), sink_(transport.sink()) {}

  /// Starts whatever needs no waiting. Returns whether all is done but for sends that are under way.
  [[nodiscard]] virtual bool advance() = 0;

  /// Whether advance() has to look again and again for what no request tells of.
  [[nodiscard]] virtual bool looks_itself() const { return false; }

  /// After advance(): whether it goes on at once, without a look at messages. Only so often in a row.
  [[nodiscard]] virtual bool puts_off_messages() { return false; }

  /// Grows by what comes, or may go on, without a request that tells of it: so long as it does, no wait is long.
  [[nodiscard]] virtual std::uint64_t progress() const { return 0; }

  /// Adds the requests of which one must be over before more can be started, none of them null.
  virtual void await(std::vector<Pending*>& requests) = 0;

  /// The one at that place of the list is over; `bytes` of a receive.
  virtual void take(std::size_t place, int bytes) = 0;

  /// This rank still needs messages of the call.
  [[nodiscard]] virtual bool is_receiving() const = 0;

  /// Something must still come from that rank.
  [[nodiscard]] virtual bool needs(int rank) const = 0;

  /// That rank has given up. Others may come later: messages on their way to them must stay as they are.
  virtual void leave_out(int rank) = 0;

  /// All ranks that messages are exchanged with; any of them may stand there twice.
  [[nodiscard]] virtual std::vector<int> peers() const = 0;

  /// In lists: requests of sends, null where they are over.
  [[nodiscard]] virtual std::vector<std::span<Pending>> sends() = 0;

  /// All is over, the sends too: what could be written only now is written. Throws MpiError.
  virtual void settle() {}

  [[nodiscard]] Transport& transport() noexcept { return transport_; }

  /// Whether that rank has given up, so that it is sent nothing.
  [[nodiscard]] bool is_gone(int rank) const;

  /// One segment to all of these ranks that have not given up; `pending` has a place for each of them.
  void hand_to_all(const Chunk& chunk, std::span<const int> ranks, unsigned tree, std::uint64_t segment,
                   bool synchronous, std::span<Pending> pending);

  /// Whether anybody wants to know when exactly things arrive.
  [[nodiscard]] bool is_watched() const noexcept { return sink_ != nullptr; }

  void happened(Event::Kind kind, unsigned tree, int peer, std::uint64_t part) const noexcept {
    if (sink_ != nullptr) sink_->take({.kind = kind, .tree = tree, .peer = peer, .part = part});
  }
  void happened(Event::Kind kind, Event::Step step, int peer) const noexcept {
    happened(kind, static_cast<unsigned>(step), peer, 0);
  }

 private:
  friend class Chained;  ///< steps of their parts are their own
  friend class Joined;

  enum class Waiting : std::uint8_t { never, where_needed };

  bool go_on(Waiting waiting);
  bool move(Waiting waiting);
  bool finish(Waiting waiting);
  [[nodiscard]] std::vector<int> all_peers() const;
  void say_long_wait() const;

  Transport& transport_;
  EventSink* sink_;
  std::vector<int> gone_;       ///< ranks that have given up
  Watchdog watchdog_;           ///< between steps
  std::uint64_t progress_ = 0;  ///< that the watchdog knows of
  std::vector<Pending*> awaited_;
};

}  // namespace trunkline::runtime
