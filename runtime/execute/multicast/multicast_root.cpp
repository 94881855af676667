// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_root.hpp"

#include <algorithm>

#include "execute/multicast/pace.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::uint32_t packets_between_polls = 16;
constexpr std::uint32_t sent_together = 16;

constexpr double first_patience_s = 0.010;
constexpr double least_patience_s = 0.002;
constexpr double most_patience_s = 0.100;
/// Nobody is late: something is lost.
constexpr double most_patience_with_all_s = 0.030;
/// Of polls by themselves, and of their reports: the fewer get lost, the fewer rounds it takes to know of all ranks.
constexpr unsigned poll_copies = 2;
/// The window at least, where packets get lost: they keep `base` back for several polls.
constexpr std::uint32_t bursts_while_lossy = 4;
constexpr double answers_of_patience = 4.0;

}  // namespace

MulticastRoot::MulticastRoot(Transport& transport, Datagrams& datagrams, std::span<const int> children,
                             Message& message, double byte_s)
    : Execution(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), true),
      below_(transport, children),
      byte_s_(byte_s),
      free_at_(datagrams.free_at()),
      stamp_(packets_.count(), 0),
      window_(std::min(datagrams.burst(), widest_report)),
      patience_(first_patience_s),
      answer_s_(first_patience_s / answers_of_patience) {}

bool MulticastRoot::advance() {
  if (!has_begun_) {
    has_begun_ = true;
    below_.begin();
    polled_at_ = datagrams_.now();
  }
  hear();
  below_.serve(packets_, true);
  if (below_.are_done()) return true;
  send_what_may_go();
  poll_where_quiet();
  datagrams_.flush();
  return false;
}

void MulticastRoot::take(std::size_t place, int bytes) {
  const int child = below_.rank_at(place);
  const bool is_done = below_.take(place, bytes);
  happened(Event::Kind::heard, is_done ? Event::Step::done : Event::Step::ask, child);
  if (!is_done) return;
  patience_ = std::max(least_patience_s, answers_of_patience * answer_s_);
  learn();
}

void MulticastRoot::hear() {
  bool heard = false;
  while (const auto datagram = datagrams_.next()) {
    if (datagram->kind != Datagram::Kind::report || datagram->poll > polls_) continue;
    const auto report = read_report(datagram->payload, datagram->number, datagram->poll, packets_.count());
    if (!report) continue;
    below_.reported(datagram->from, clipped(*report, next_));  // who has fetched may be ahead of what was sent
    heard = true;
  }
  if (heard) learn();
}

/// What all children say together: where it is new, what somebody lacks is sent again, unless it has been since that
/// poll.
void MulticastRoot::learn() {
  const auto all = below_.report(packets_.count());
  if (!all || below_.are_done()) return;
  const bool is_new = !all_ready_ || all->base > base_ || all->poll > learned_poll_;
  all_ready_ = true;
  base_ = std::max(base_, std::min(all->base, next_));
  if (!is_new) return;
  const std::uint32_t poll = std::min(all->poll, polls_);
  bool is_lossy = false;
  for (std::uint32_t packet = all->base; packet < all->end; ++packet) {
    if (!all->lacks(packet) || stamp_[packet] >= poll) continue;
    stamp_[packet] = polls_;
    again_.push_back(packet);
    is_lossy = true;
  }
  if (poll > learned_poll_) {
    learned_poll_ = poll;
    if (poll == polls_) answer_s_ += (std::max(datagrams_.now() - polled_at_, 0.0) - answer_s_) / 8.0;
    const std::uint32_t wider = std::min(window_ + packets_between_polls, widest_report);
    window_ = is_lossy ? std::clamp(bursts_while_lossy * datagrams_.burst(), window_ / 2, wider) : wider;
  }
  patience_ = std::max(least_patience_s, answers_of_patience * answer_s_);
}

/// Before which it must stop: until all are there, at what waits for them in their buffers.
std::uint32_t MulticastRoot::limit() const {
  const std::uint32_t room = all_ready_ ? base_ + window_ : datagrams_.burst();
  return std::min(packets_.count(), room);
}

void MulticastRoot::send_what_may_go() {
  const double now = datagrams_.now();
  for (std::uint32_t sent = 0; sent < sent_together && has_something_to_send() && free_at_ <= now + lead_s; ++sent) {
    const bool repeats = !again_.empty();
    const std::uint32_t packet = repeats ? again_.front() : next_;
    if (repeats) {
      again_.pop_front();
    } else {
      ++next_;
    }
    ++sent_since_poll_;
    send(packet, sent_since_poll_ >= packets_between_polls || !has_something_to_send());
    free_at_ = std::max(free_at_, now) + on_wire_bytes(packets_.place(packet, packet + 1).size()) * byte_s_;
  }
}

void MulticastRoot::send(std::uint32_t packet, bool polls) {
  stamp_[packet] = polls_;
  if (polls) new_poll(datagrams_.now());
  datagrams_.to_all({.kind = Datagram::Kind::data,
                     .number = packet,
                     .poll = polls ? polls_ : 0,
                     .payload = packets_.place(packet, packet + 1)});
}

void MulticastRoot::new_poll(double now) {
  ++polls_;
  sent_since_poll_ = 0;
  polled_at_ = std::max(now, free_at_);
}

/// The one timer.
void MulticastRoot::poll_where_quiet() {
  const double now = datagrams_.now();
  if (has_something_to_send() || now < polled_at_ + patience_) return;
  new_poll(now);
  for (unsigned copy = 0; copy < poll_copies; ++copy) {
    datagrams_.to_all({.kind = Datagram::Kind::poll, .number = next_, .poll = polls_});
  }
  patience_ = std::min(2.0 * patience_, all_ready_ ? most_patience_with_all_s : most_patience_s);
}

}  // namespace trunkline::runtime
