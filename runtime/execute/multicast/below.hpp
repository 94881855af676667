// SPDX-License-Identifier: Apache-2.0
// The children of a rank in the confirm tree: what they report, say and ask for (docs/multicast.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "execute/multicast/packets.hpp"
#include "execute/multicast/report.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// An MPI message from a rank to its parent, and an answer to `ask`.
struct Word {
  enum class Kind : std::uint32_t { ask = 1, fetch = 2, done = 3, heard = 4 };
  Kind kind = Kind::done;
  std::uint32_t first = 0;  ///< of a fetch: the packet from which on data are wanted
};

/// Where it lies.
[[nodiscard]] inline std::byte* memory_of(Word& word) { return reinterpret_cast<std::byte*>(&word); }

/// What one fetch brings: packets that end before this one.
[[nodiscard]] std::uint32_t end_of_fetch(const Packets& packets, std::uint32_t first);

class Below {
 public:
  /// `ranks` must outlive the object.
  Below(Transport& transport, std::span<const int> ranks);
  ~Below();
  Below(const Below&) = delete;
  Below& operator=(const Below&) = delete;

  /// Starts listening to all of them.
  void begin();

  void await(std::vector<Pending*>& requests);
  /// The one at that place among those it added last; `bytes` that came. Throws MPI_ERR_TRUNCATE. Whether it is news of
  /// a rank that is done.
  bool take(std::size_t place, int bytes);
  [[nodiscard]] std::size_t awaited() const noexcept { return awaited_.size(); }
  /// Whose message that is.
  [[nodiscard]] int rank_at(std::size_t place) const { return ranks_[awaited_[place]]; }

  /// Answers those that wait for one, as far as it can be given.
  void serve(const Packets& packets, bool has_heard);

  /// Keeps what a child reports, unless it is older than what is known.
  void reported(int rank, const Report& report);

  /// A child says by a datagram what its word `done` will say, which may take much longer. Whether it is news: not of a
  /// child whose word cannot be left for after the call.
  bool said_done(int rank);

  /// Of all of them; empty where one has not reported yet.
  [[nodiscard]] std::optional<Report> report(const Packets& packets) const;

  /// Tells of each child that has reported and is not done.
  template <class Take>
  void each_report(const Take& take) const {
    for (const Child& child : children_) {
      if (!child.is_done && child.report) take(*child.report);
    }
  }

  /// Whether they have answered that poll.
  [[nodiscard]] bool have_answered(std::uint32_t poll) const;

  [[nodiscard]] bool are_done() const;

  /// Grows with each report of a child that has more than before, and with each child that is done.
  [[nodiscard]] std::uint64_t progress() const noexcept { return progress_; }

  /// It has given up: as if it were done.
  void leave_out(int rank);

  [[nodiscard]] std::span<const int> ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::span<Pending> answers() noexcept { return answers_; }

 private:
  struct Child {
    std::unique_ptr<Word> word = std::make_unique<Word>();
    Pending receive{};
    bool is_done = false;
    bool is_asking = false;
    std::optional<std::uint32_t> fetches{};
    std::optional<Report> report{};
  };
  void listen(std::size_t child);
  [[nodiscard]] std::optional<std::size_t> place_of(int rank) const;

  Transport& transport_;
  std::span<const int> ranks_;
  std::vector<Child> children_;
  std::vector<Pending> answers_;  ///< by child
  std::vector<std::size_t> awaited_;
  std::uint64_t progress_ = 0;
  Watchdog watchdog_;  ///< over answers that wait for those before
  Word heard_{.kind = Word::Kind::heard};
};

}  // namespace trunkline::runtime
