// SPDX-License-Identifier: Apache-2.0
// The datagrams of a call that is traced: its listener hears of each one that the rank sends or gets.
#pragma once

#include <cstdint>

#include "execute/events.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

class TracedDatagrams final : public Datagrams {
 public:
  /// Both must outlive the object. `is_confirmed`: its polls have numbers (docs/multicast.md).
  TracedDatagrams(Datagrams& inner, EventSink& sink, bool is_confirmed)
      : inner_(inner), sink_(sink), is_confirmed_(is_confirmed) {}

  void to_all(const Datagram& datagram) override;
  void to_one(int rank, const Datagram& datagram) override;
  [[nodiscard]] std::optional<Datagram> next() override;
  void ask(int sender, std::uint32_t first, std::uint64_t packets) override;

  [[nodiscard]] std::uint32_t payload_bytes() const noexcept override { return inner_.payload_bytes(); }
  [[nodiscard]] int ranks() const noexcept override { return inner_.ranks(); }
  [[nodiscard]] std::uint32_t burst() const noexcept override { return inner_.burst(); }
  void flush() override { inner_.flush(); }
  [[nodiscard]] bool is_eager(std::uint32_t packets) const noexcept override { return inner_.is_eager(packets); }
  void keep(std::uint32_t first, std::span<const std::byte> packets) override { inner_.keep(first, packets); }
  void forget_before(std::uint32_t first) override { inner_.forget_before(first); }
  void is_meeting() noexcept override { inner_.is_meeting(); }
  void all_have_come() noexcept override { inner_.all_have_come(); }
  [[nodiscard]] bool is_ahead(int rank) const noexcept override { return inner_.is_ahead(rank); }
  [[nodiscard]] bool comes_over_network(int rank) const noexcept override { return inner_.comes_over_network(rank); }
  [[nodiscard]] double& free_at() noexcept override { return inner_.free_at(); }
  [[nodiscard]] double& answer_s() noexcept override { return inner_.answer_s(); }
  void are_not_heard() noexcept override { inner_.are_not_heard(); }
  [[nodiscard]] LossMeter* loss() noexcept override { return inner_.loss(); }
  [[nodiscard]] double now() const noexcept override { return inner_.now(); }
  void rest() override { inner_.rest(); }

 private:
  void tell(Event::Kind kind, Event::Step step, int peer, std::uint64_t part) noexcept;

  Datagrams& inner_;
  EventSink& sink_;
  bool is_confirmed_;
  std::uint32_t end_ = 0;  ///< after the last packet that this rank has sent to all
};

}  // namespace trunkline::runtime
