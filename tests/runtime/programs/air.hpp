// SPDX-License-Identifier: Apache-2.0
// Datagrams in a time of their own, for tests: they get lost, come twice, late and in another order, as a seed says.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "thread_transport.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::testing {

using runtime::Datagram;

struct Weather {
  double lost = 0.0;         ///< of all datagrams, for each receiver by itself
  double twice = 0.0;        ///< of what arrives
  double late = 0.0;         ///< of what arrives: after up to 100 times the usual way
  std::size_t room = 8;      ///< datagrams that wait for a rank; more are lost
  std::vector<bool> deaf;    ///< by rank: nothing reaches it
  std::vector<bool> mute;    ///< by rank: nothing leaves it
  std::vector<int> group;    ///< by rank: it hears those of its own; -1: no datagram reaches it; empty: all are one
  std::vector<int> host;     ///< by rank: what is deaf or mute hears, and reaches, its own host
  double agreed_lost = 0.0;  ///< as all ranks believe, right or wrong
};

/// What all ranks of one call share, with the time of day.
class Air {
 public:
  static constexpr double way_s = 0.0001;

  /// `eager_packets`: whose root may leave; 0: none.
  Air(Weather weather, std::uint32_t payload_bytes, std::uint32_t burst, std::uint32_t eager_packets, unsigned seed)
      : weather_(std::move(weather)),
        payload_bytes_(payload_bytes),
        burst_(burst),
        eager_packets_(eager_packets),
        random_(seed),
        kept_(weather_.deaf.size()),
        waiting_(weather_.deaf.size()) {}

  double now = 0.0;

  /// Whether datagrams go from one to the other.
  [[nodiscard]] bool are_of_one_group(int a, int b) const {
    return weather_.group.empty() || (group_of(a) >= 0 && group_of(a) == group_of(b));
  }
  [[nodiscard]] bool has_group(int rank) const { return weather_.group.empty() || group_of(rank) >= 0; }
  [[nodiscard]] int ranks_with(int rank) const {
    int ranks = 0;
    for (int other = 0; other < static_cast<int>(waiting_.size()); ++other) {
      if (are_of_one_group(rank, other)) ++ranks;
    }
    return ranks;
  }

  /// Packets that any rank had at once for those that ask.
  [[nodiscard]] std::size_t most_kept() const { return most_kept_; }

  [[nodiscard]] bool are_of_one_host(int a, int b) const {
    return weather_.host[static_cast<std::size_t>(a)] == weather_.host[static_cast<std::size_t>(b)];
  }

 private:
  friend class AirDatagrams;
  struct InAir {
    double at;
    Datagram datagram;
    std::vector<std::byte> payload;
  };

  [[nodiscard]] int group_of(int rank) const { return weather_.group[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_cut_off(int from, int to) const {
    return !are_of_one_host(from, to) &&
           (weather_.mute[static_cast<std::size_t>(from)] || weather_.deaf[static_cast<std::size_t>(to)]);
  }
  bool happens(double probability) { return std::uniform_real_distribution<>(0.0, 1.0)(random_) < probability; }

  /// What a rank has kept answers, also when it has left: an ask is lost like any datagram, unless it goes over TCP.
  void ask(int sender, int by, std::uint32_t first, std::uint64_t packets, bool over_tcp) {
    const bool is_mute = is_cut_off(by, sender);
    if (!over_tcp && (is_mute || happens(weather_.lost))) return;
    bool has_any = false;
    for (const auto& [number, payload] : kept_[static_cast<std::size_t>(sender)]) {
      if (number < first || number - first >= 64 || (packets >> (number - first) & 1U) == 0) continue;
      has_any = true;
      answer(sender, by, {.kind = Datagram::Kind::data, .number = number, .poll = 1, .payload = payload}, over_tcp);
    }
    if (!has_any) answer(sender, by, {.kind = Datagram::Kind::not_yet}, over_tcp);
  }

  void keep(int sender, std::uint32_t first, std::span<const std::byte> packets) {
    auto& kept = kept_[static_cast<std::size_t>(sender)];
    do {
      const auto payload = packets.first(std::min<std::size_t>(payload_bytes_, packets.size()));
      kept[first++] = {payload.begin(), payload.end()};
      packets = packets.subspan(payload.size());
    } while (!packets.empty());
    most_kept_ = std::max(most_kept_, kept.size());
  }

  void answer(int root, int by, const Datagram& datagram, bool over_tcp) {
    if (!over_tcp) return put(root, by, datagram);
    InAir one{.at = now + way_s, .datagram = datagram, .payload = {datagram.payload.begin(), datagram.payload.end()}};
    one.datagram.from = root;
    waiting_[static_cast<std::size_t>(by)].push_back(std::move(one));
  }

  void put(int from, int to, const Datagram& datagram) {
    const auto receiver = static_cast<std::size_t>(to);
    if (is_cut_off(from, to) || happens(weather_.lost)) return;
    for (int copies = happens(weather_.twice) ? 2 : 1; copies > 0; --copies) {
      std::deque<InAir>& waiting = waiting_[receiver];
      if (waiting.size() >= weather_.room) return;
      const double slow = happens(weather_.late) ? std::uniform_real_distribution<>(1.0, 100.0)(random_) : 1.0;
      InAir one{.at = now + slow * way_s,
                .datagram = datagram,
                .payload = {datagram.payload.begin(), datagram.payload.end()}};
      one.datagram.from = from;
      waiting.push_back(std::move(one));
    }
  }

  Weather weather_;
  std::uint32_t payload_bytes_;
  std::uint32_t burst_;
  std::uint32_t eager_packets_;
  std::mt19937 random_;
  std::vector<std::map<std::uint32_t, std::vector<std::byte>>> kept_;  ///< packets, by sender
  std::size_t most_kept_ = 0;
  std::vector<std::deque<InAir>> waiting_;  ///< by receiver
};

/// One rank's.
class AirDatagrams : public runtime::Datagrams {
 public:
  AirDatagrams(Air& air, int rank) : air_(air), rank_(rank) { loss_.agree(air.weather_.agreed_lost); }

  [[nodiscard]] std::uint32_t payload_bytes() const noexcept override { return air_.payload_bytes_; }
  [[nodiscard]] int ranks() const noexcept override { return air_.ranks_with(rank_); }
  [[nodiscard]] std::uint32_t burst() const noexcept override { return air_.burst_; }
  void to_all(const Datagram& datagram) override {
    has_sent_ = true;
    for (int to = 0; to < static_cast<int>(air_.waiting_.size()); ++to) {
      if (to != rank_ && air_.are_of_one_group(rank_, to)) air_.put(rank_, to, datagram);
    }
  }
  void to_one(int rank, const Datagram& datagram) override { air_.put(rank_, rank, datagram); }
  void flush() override {}

  [[nodiscard]] std::optional<Datagram> next() override {
    std::deque<Air::InAir>& waiting = air_.waiting_[static_cast<std::size_t>(rank_)];
    for (auto one = waiting.begin(); one != waiting.end(); ++one) {
      if (one->at > air_.now) continue;
      last_ = std::move(*one);
      waiting.erase(one);
      last_.datagram.payload = last_.payload;
      return last_.datagram;
    }
    return {};
  }

  [[nodiscard]] bool is_eager(std::uint32_t packets) const noexcept override { return packets <= air_.eager_packets_; }
  void keep(std::uint32_t first, std::span<const std::byte> packets) override { air_.keep(rank_, first, packets); }
  void forget_before(std::uint32_t first) override {
    auto& kept = air_.kept_[static_cast<std::size_t>(rank_)];
    kept.erase(kept.begin(), kept.lower_bound(first));
  }
  void ask(int sender, std::uint32_t first, std::uint64_t packets) override {
    air_.ask(sender, rank_, first, packets, ++asks_[sender] > asks_by_datagram);
  }
  void is_meeting() noexcept override {}
  void all_have_come() noexcept override {}
  [[nodiscard]] bool is_ahead(int /*rank*/) const noexcept override { return false; }
  [[nodiscard]] bool comes_over_network(int rank) const noexcept override { return !air_.are_of_one_host(rank, rank_); }
  [[nodiscard]] double& free_at() noexcept override { return free_at_; }
  [[nodiscard]] double& answer_s() noexcept override { return answer_s_; }
  void are_not_heard() noexcept override { are_heard_ = false; }
  [[nodiscard]] runtime::LossMeter* loss() noexcept override { return &loss_; }
  [[nodiscard]] double now() const noexcept override { return air_.now; }
  [[nodiscard]] bool are_heard() const { return are_heard_; }
  [[nodiscard]] bool has_sent() const { return has_sent_; }

 private:
  Air& air_;
  bool are_heard_ = true;
  bool has_sent_ = false;  ///< to all
  int rank_;
  Air::InAir last_{};
  static constexpr unsigned asks_by_datagram = 3;
  std::map<int, unsigned> asks_{};  ///< by sender
  double free_at_ = 0.0;
  double answer_s_ = first_answer_s;
  runtime::LossMeter loss_{};
};

/// Messages as between threads, all of them of one thread here, and datagrams through the air.
class AirTransport final : public runtime::Transport {
 public:
  AirTransport(runtime::ThreadsNetwork& network, Air& air, int rank)
      : air_(air), rank_(rank), messages_(network, rank), datagrams_(air, rank), has_group_(air.has_group(rank)) {}

  using Pending = runtime::Pending;
  using Chunk = runtime::Chunk;
  using Transport::receive;
  using Transport::send;
  [[nodiscard]] int ranks() const noexcept override { return messages_.ranks(); }
  /// Every other one within a host is synchronous, as memory has them now and then.
  void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) override {
    const bool is_due = !outlives(to) && ++sent_within_host_ % 2 == 0;
    messages_.send(chunk, to, stream, synchronous || is_due, pending);
  }
  void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) override {
    messages_.receive(chunk, from, stream, pending);
  }
  [[nodiscard]] Over wait_any(std::span<Pending* const> pending, bool receiving) override {
    return messages_.wait_any(pending, receiving);
  }
  [[nodiscard]] std::optional<Over> test_any(std::span<Pending* const> pending, bool receiving,
                                             runtime::Watchdog& watchdog) override {
    ++looks_;
    const auto over = messages_.test_any(pending, receiving, watchdog);
    watch(over.has_value(), watchdog);
    return over;
  }
  void wait_all(std::span<Pending> pending) override { messages_.wait_all(pending); }
  [[nodiscard]] bool test_all(std::span<Pending> pending, runtime::Watchdog& watchdog) override {
    const bool are_over = messages_.test_all(pending, watchdog);
    watch(are_over, watchdog);
    return are_over;
  }
  void give_up(int code) noexcept override { messages_.give_up(code); }
  void give_up_too(int code, std::span<const int> peers) noexcept override { messages_.give_up_too(code, peers); }
  void say_long_wait(std::span<const int> /*awaited*/, bool /*receiving*/) const override {}
  [[nodiscard]] bool let_go(std::span<Pending> pending, bool cancel) noexcept override {
    return messages_.let_go(pending, cancel);
  }
  [[nodiscard]] bool outlives(int rank) const noexcept override { return !air_.are_of_one_host(rank, rank_); }
  void outlive(std::shared_ptr<void> memory, Pending& receive) noexcept override {
    messages_.outlive(std::move(memory), receive);
  }
  void send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) override {
    messages_.send_off(std::move(memory), bytes, to, stream);
  }
  [[nodiscard]] runtime::Datagrams* datagrams() noexcept override { return has_group_ ? &datagrams_ : nullptr; }
  [[nodiscard]] bool are_heard() const { return datagrams_.are_heard(); }
  [[nodiscard]] bool has_sent_to_all() const { return datagrams_.has_sent(); }
  /// Whether this rank would have said that it waits.
  [[nodiscard]] bool has_waited_long() const { return has_waited_long_; }
  /// At messages, so far.
  [[nodiscard]] unsigned looks() const { return looks_; }

 private:
  /// As programs do, in the time of the air.
  void watch(bool is_over, runtime::Watchdog& watchdog) {
    if (is_over) return watchdog.got_on();
    using Clock = runtime::Watchdog::Clock;
    const auto now = [this] {
      return Clock::time_point(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(air_.now)));
    };
    if (!watchdog.is_due(false, now) || !watchdog.is_very_long()) return;
    if (!std::exchange(has_waited_long_, true)) throw runtime::LongWait{};
  }

  Air& air_;
  int rank_;
  bool has_waited_long_ = false;
  unsigned sent_within_host_ = 0;
  runtime::ThreadsTransport messages_;
  AirDatagrams datagrams_;
  bool has_group_;
  unsigned looks_ = 0;
};

}  // namespace trunkline::testing
