// SPDX-License-Identifier: Apache-2.0
// One rank's transport under a schedule: messages, datagrams and the shelf of its host. Each call to it may hand over
// to other ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../programs/air.hpp"
#include "network.hpp"

namespace trunkline::testing {

/// Datagrams through the air, with the faults that are planted there.
class SeededDatagrams final : public AirDatagrams {
 public:
  SeededDatagrams(Air& air, int rank, SeededNetwork& network) : AirDatagrams(air, rank), network_(network) {}

  [[nodiscard]] std::optional<Datagram> next() override {
    if (again_) return std::exchange(again_, std::nullopt);
    const std::optional<Datagram> come = AirDatagrams::next();
    if (!come || come->kind != Datagram::Kind::data) return come;
    network_.schedule().gets_on();
    if (network_.fault().strikes(Planted::renumbered_duplicate)) {
      again_ = come;
      ++again_->number;
    }
    return come;
  }

  void ask(int sender, std::uint32_t first, std::uint64_t packets) override {
    if (network_.fault().strikes(Planted::lost_answers)) is_unanswered_ = true;
    if (!is_unanswered_) AirDatagrams::ask(sender, first, packets);
  }

 private:
  SeededNetwork& network_;
  std::optional<Datagram> again_{};
  bool is_unanswered_ = false;
};

/// As ranks that take turns within one thread leave partial sums for each other.
class SeededShelf final : public runtime::Shelf {
 public:
  /// `host`: of each rank.
  SeededShelf(SeededNetwork& network, int rank, const std::vector<int>& host)
      : network_(network), rank_(rank), host_(host) {}

  [[nodiscard]] std::uint64_t most_bytes() const noexcept override { return runtime::longest_partial; }
  [[nodiscard]] bool reaches(int rank) const noexcept override {
    return host_[static_cast<std::size_t>(rank)] == host_[static_cast<std::size_t>(rank_)];
  }

  [[nodiscard]] std::optional<Partial> take(int keeper, const Chunk& room) override {
    SeededNetwork::Place& place = network_.place(keeper);
    if (place.ranks == 0) return {};
    network_.schedule().gets_on();
    taken_ = std::exchange(place.bytes, {});
    Partial partial{.data = room, .ranks = std::exchange(place.ranks, 0)};
    if (room.type == MPI_BYTE) {
      partial.data.at = taken_.data();  // read in its place
    } else {
      runtime::ThreadsTransport::unpack(taken_, room);
    }
    return partial;
  }
  void done() noexcept override {}

  [[nodiscard]] Left leave(const Chunk& partial, unsigned ranks, int keeper) override {
    if (network_.schedule().chance(0.1)) return Left::not_now;
    SeededNetwork::Place& place = network_.place(keeper);
    if (place.ranks > 0) return Left::more_to_take;
    network_.schedule().gets_on();
    place = {.bytes = runtime::ThreadsTransport::packed(partial), .ranks = ranks};
    return Left::here;
  }

  void hand_over(const Chunk& sum, int to, Pending& pending) override {
    network_.send(sum, network_.ranks(), to, stream, SeededNetwork::Leaves::at_once, pending);
  }
  void await(const Chunk& sum, Pending& pending) override {
    network_.receive(sum, network_.ranks(), rank_, stream, pending);
  }

 private:
  static constexpr unsigned stream = runtime::sum_stream + runtime::streams_of_sums;  ///< a free one

  SeededNetwork& network_;
  int rank_;
  const std::vector<int>& host_;
  std::vector<std::byte> taken_{};
};

class SeededTransport final : public runtime::Transport {
 public:
  /// `host`: of each rank; `air`: null where there are no datagrams; `fails_after`: calls to the transport until this
  /// rank has an error of its own, none: never. All must outlive the object.
  SeededTransport(SeededNetwork& network, int rank, const std::vector<int>& host, Air* air,
                  std::optional<unsigned> fails_after)
      : network_(network), rank_(rank), host_(host), fails_after_(fails_after), shelf_(network, rank, host) {
    if (air != nullptr && air->has_group(rank)) datagrams_.emplace(*air, rank, network);
  }

  [[nodiscard]] int ranks() const noexcept override { return network_.ranks(); }

  using Transport::receive;
  using Transport::send;
  void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) override {
    take_turns();
    using enum SeededNetwork::Leaves;
    // Memory has synchronous ones now and then; MPI keeps long ones where they lie.
    const bool is_due = synchronous || (!outlives(to) && schedule().chance(0.5));
    network_.send(chunk, rank_, to, stream, is_due ? received : schedule().chance(0.5) ? later : at_once, pending);
  }

  void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) override {
    take_turns();
    network_.receive(chunk, from, rank_, stream, pending);
  }
  void receive_from_any(const Chunk& chunk, unsigned stream, Pending& pending) override {
    take_turns();
    network_.receive_from_any(chunk, rank_, stream, pending);
  }
  [[nodiscard]] int sender() const noexcept override { return sender_; }

  [[nodiscard]] Over wait_any(std::span<Pending* const> pending, bool /*receiving*/) override {
    take_turns();
    while (true) {
      if (const auto over = any_over(pending)) return *over;
      network_.look_for_notice(rank_);
      schedule().wait();
    }
  }

  [[nodiscard]] std::optional<Over> test_any(std::span<Pending* const> pending, bool /*receiving*/,
                                             runtime::Watchdog& /*watchdog*/) override {
    fail_perhaps();
    const auto over = any_over(pending);
    if (over) {
      looks_in_vain_ = 0;
      return over;
    }
    network_.look_for_notice(rank_);
    look_later();
    return {};
  }

  void wait_all(std::span<Pending> pending) override {
    for (Pending& one : pending) {
      Pending* const alone = &one;
      if (!one.is_none()) static_cast<void>(wait_any({&alone, 1}, false));
    }
  }

  [[nodiscard]] bool test_all(std::span<Pending> pending, runtime::Watchdog& watchdog) override {
    return std::ranges::all_of(pending, [&](Pending& one) {
      Pending* const alone = &one;
      return one.is_none() || test_any({&alone, 1}, false, watchdog).has_value();
    });
  }

  void give_up(int code) noexcept override { network_.give_up(rank_, code, {}); }
  void give_up_too(int code, std::span<const int> peers) noexcept override {
    if (!peers.empty()) network_.give_up(rank_, code, peers);
  }
  void say_long_wait(std::span<const int> /*awaited*/, bool /*receiving*/) const override {}

  /// Messages that are let go are forgotten at once, so their memory is free.
  [[nodiscard]] bool let_go(std::span<Pending> pending, bool /*cancel*/) noexcept override {
    for (Pending& one : pending) {
      if (!one.is_none()) network_.let_go(one);
    }
    return false;
  }

  [[nodiscard]] bool outlives(int rank) const noexcept override {
    return host_[static_cast<std::size_t>(rank)] != host_[static_cast<std::size_t>(rank_)];
  }

  void outlive(std::shared_ptr<void> memory, Pending& receive) noexcept override {
    network_.keep(std::move(memory));
    receive = {};
  }

  void send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) override {
    Pending none;
    network_.send({.at = static_cast<std::byte*>(memory.get()), .count = bytes, .bytes = bytes}, rank_, to, stream,
                  SeededNetwork::Leaves::at_once, none);
  }

  [[nodiscard]] runtime::Datagrams* datagrams() noexcept override { return datagrams_ ? &*datagrams_ : nullptr; }
  [[nodiscard]] runtime::Shelf* shelf() noexcept override { return &shelf_; }

 private:
  static constexpr double shortest_look_s = 10e-6;
  static constexpr double longest_look_s = 200e-6;

  Schedule& schedule() { return network_.schedule(); }

  std::optional<Over> any_over(std::span<Pending* const> pending) {
    const std::size_t first = pending.empty() ? 0 : schedule().any_below(static_cast<std::uint32_t>(pending.size()));
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const std::size_t at = (first + i) % pending.size();
      sender_ = network_.sender_of(*pending[at]);
      if (const auto bytes = network_.bytes_if_over(*pending[at])) return Over{.index = at, .bytes = *bytes};
    }
    return {};
  }

  /// The longer nothing has come, the longer until the next look.
  void look_later() {
    const double most =
        std::min(shortest_look_s * static_cast<double>(1U << std::min(looks_in_vain_++, 8U)), longest_look_s);
    schedule().pause(shortest_look_s + schedule().any_time(most));
  }

  /// Others go on before this call, now and then.
  void take_turns() {
    fail_perhaps();
    if (schedule().chance(0.2)) schedule().pause(schedule().any_time(50e-6));
  }

  void fail_perhaps() {
    if (fails_after_ && (*fails_after_)-- == 0) {
      fails_after_.reset();
      throw MpiError{MPI_ERR_OTHER};
    }
  }

  SeededNetwork& network_;
  int rank_;
  const std::vector<int>& host_;
  std::optional<unsigned> fails_after_;
  unsigned looks_in_vain_ = 0;
  int sender_ = -1;  ///< of the message that was over last
  SeededShelf shelf_;
  std::optional<SeededDatagrams> datagrams_{};
};

}  // namespace trunkline::testing
