// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_root.hpp"

#include <algorithm>

#include "execute/multicast/pace.hpp"
#include "transport/redundancy.hpp"

namespace trunkline::runtime {
namespace {

/// Each poll makes all ranks report: the wider the window, the fewer of its packets need one, as long as several are on
/// their way. No more than the kernel takes in one long message in frames of 1500 bytes, so that what a receiver wakes
/// for is worth it.
constexpr std::uint32_t least_between_polls = 16;
constexpr std::uint32_t most_between_polls = 44;
constexpr std::uint32_t polls_in_a_window = 6;
constexpr std::uint32_t sent_together = most_between_polls;

constexpr double least_patience_s = 0.0005;
constexpr double most_patience_s = 0.100;
/// Nobody is late: something is lost.
constexpr double most_patience_with_all_s = 0.030;
/// Of polls by themselves, and of their reports, at least: the fewer get lost, the fewer rounds it takes to know of all
/// ranks.
constexpr unsigned poll_copies = 2;
/// The window at least, where packets get lost: they keep `base` back for several polls.
constexpr std::uint32_t bursts_while_lossy = 4;
constexpr std::uint32_t most_window_packets = 1024;  ///< packets; parity for so many may wait at each rank
constexpr double answers_of_patience = 4.0;

/// Ranks that lack a packet of a block still, on average: the last one should cost no further round. Others cost none:
/// what is repaired later is repaired with as much as is needed.
constexpr double lacking_at_end = 0.02;
constexpr double lacking_before = 10.0;

/// A window, and so each report, reaches over as many blocks as a report has room for.
std::uint32_t window_limit(const Packets& packets) {
  return std::min(most_window_packets, (widest_report - 1) * packets.block_packets());
}

}  // namespace

MulticastRoot::MulticastRoot(Transport& transport, Datagrams& datagrams, std::span<const int> children,
                             Message& message, double byte_s, const Arriving* source)
    : Execution(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), source == nullptr, datagrams.burst()),
      below_(transport, children),
      byte_s_(byte_s),
      source_(source),
      free_at_(datagrams.free_at()),
      repairs_(packets_.blocks()),
      window_(std::min(datagrams.burst(), window_limit(packets_))),
      patience_(std::max(least_patience_s, answers_of_patience * datagrams.answer_s())),
      answer_s_(datagrams.answer_s()) {}

bool MulticastRoot::advance() {
  if (!has_begun_) {
    has_begun_ = true;
    below_.begin();
    polled_at_ = datagrams_.now();
  }
  if (source_ != nullptr && !packets_.is_whole()) packets_.have_come(source_->bytes_here());
  const bool heard = hear();
  below_.serve(packets_, packets_.base() > 0);
  if (below_.are_done()) return true;
  gets_on_ = send_what_may_go() || heard;
  poll_where_quiet();
  datagrams_.flush();
  return false;
}

void MulticastRoot::settle() {
  if (LossMeter* const meter = datagrams_.loss()) meter->hear(lost_);
}

void MulticastRoot::take(std::size_t place, int bytes) {
  const int child = below_.rank_at(place);
  const bool is_done = below_.take(place, bytes);
  happened(Event::Kind::heard, is_done ? Event::Step::done : Event::Step::ask, child);
  if (!is_done) return;
  patience_ = std::max(least_patience_s, answers_of_patience * answer_s_);
  learn();
}

/// Whether anything has come that says more than before.
bool MulticastRoot::hear() {
  bool heard = false;
  while (const auto datagram = datagrams_.next()) {
    if (datagram->kind == Datagram::Kind::done) {
      heard = below_.said_done(datagram->from) || heard;
      continue;
    }
    if (datagram->kind != Datagram::Kind::report || datagram->poll > polls_) continue;
    const auto report =
        read_report(datagram->payload, datagram->number, datagram->poll, packets_.count(), packets_.block_packets());
    if (!report) continue;
    below_.reported(datagram->from, clipped(*report, next_));  // who has fetched may be ahead of what was sent
    heard = true;
  }
  if (heard) learn();
  return heard;
}

/// From what each child says: parity for what is lacking below it; from what all say together, how far it may go.
void MulticastRoot::learn() {
  if (below_.are_done()) return;
  bool is_new = false;
  double lost = 0.0;
  below_.each_report([&](const Report& report) { lost = std::max(lost, report.lost); });
  lost_ = lost;  // what was heard of fewer packets was more by chance
  below_.each_report([&](const Report& report) { is_new = repair(report) || is_new; });
  is_lossy_ = is_lossy_ || is_new;
  if (const auto all = below_.report(packets_)) {
    is_new = is_new || !all_ready_ || all->base > base_ || all->poll > learned_poll_;
    all_ready_ = true;
    base_ = std::max(base_, std::min(all->base, next_));
    if (const std::uint32_t poll = std::min(all->poll, polls_); poll > learned_poll_) {
      learned_poll_ = poll;
      if (poll == polls_) answer_s_ += (std::max(datagrams_.now() - polled_at_, 0.0) - answer_s_) / 8.0;
      const std::uint32_t wider = std::min(window_ + between_polls(), window_limit(packets_));
      window_ = is_lossy_ ? std::clamp(bursts_while_lossy * datagrams_.burst(), window_ / 2, wider) : wider;
      is_lossy_ = false;
    }
  }
  if (is_new) patience_ = std::max(least_patience_s, answers_of_patience * answer_s_);
}

/// Of a block that has been sent, what a rank lacks must come once more, unless as much is on its way since the poll
/// that it answers. Whether anything must.
bool MulticastRoot::repair(const Report& report) {
  bool is_lacking = false;
  const std::uint32_t end = std::min(packets_.blocks(), report.first_block() + widest_report);
  for (std::uint32_t block = report.first_block(); block < end && packets_.end_of(block) <= report.end; ++block) {
    const Repair& of = repairs_[block];
    const auto since = std::ranges::lower_bound(of.sent, report.poll);
    const auto coming = static_cast<std::uint32_t>(of.sent.end() - since) + of.owed;
    const std::uint32_t lacking = report.lacks_of(block);
    if (lacking <= coming) continue;
    is_lacking = true;
    const std::uint32_t missing = lacking - coming;
    owe(block, missing + spare_packets(missing, lost(), datagrams_.ranks(), may_lack(block)));
  }
  return is_lacking;
}

void MulticastRoot::owe(std::uint32_t block, std::uint32_t packets) {
  if (packets == 0) return;
  if (repairs_[block].owed == 0) again_.push_back(block);
  repairs_[block].owed += packets;
}

double MulticastRoot::may_lack(std::uint32_t block) const {
  return block + 1 == packets_.blocks() ? lacking_at_end : lacking_before;
}

double MulticastRoot::lost() const {
  const LossMeter* const meter = datagrams_.loss();
  return std::max(lost_, meter == nullptr ? 0.0 : meter->likely());
}

/// Before which it must stop: what has not come yet; until all are there, what waits for them in their buffers.
std::uint32_t MulticastRoot::limit() const {
  const std::uint32_t burst = datagrams_.burst();
  const std::uint32_t room = all_ready_ ? base_ + window_ : next_ + (burst - std::min(sent_, burst));
  return std::min(packets_.base(), room);
}

/// Whether anything could go.
bool MulticastRoot::send_what_may_go() {
  const double now = datagrams_.now();
  std::uint32_t sent = 0;
  for (; sent < sent_together && has_something_to_send() && free_at_ <= now + lead_s; ++sent) {
    const bool repairs = may_repair();
    ++sent_;
    ++sent_since_poll_;
    takes_the_wire(now, repairs ? send_parity() : send_data());
    if (!has_something_to_send() && lost() > 0.0) send_polls();  // the packet that polls may get lost
  }
  return sent > 0;
}

/// Its bytes of the message.
std::size_t MulticastRoot::send_data() {
  const std::uint32_t packet = next_++;
  const std::uint32_t block = packets_.block_of(packet);
  if (next_ == packets_.end_of(block)) {
    owe(block, spare_packets(next_ - packets_.begin_of(block), lost(), datagrams_.ranks(), may_lack(block)));
  }
  const auto payload = packets_.place(packet, next_);
  datagrams_.to_all({.kind = Datagram::Kind::data, .number = packet, .poll = poll_if_due(), .payload = payload});
  return payload.size();
}

std::size_t MulticastRoot::send_parity() {
  const std::uint32_t block = again_.front();
  Repair& of = repairs_[block];
  const auto number = static_cast<std::uint32_t>(of.sent.size()) % parities;
  of.sent.push_back(polls_);
  if (--of.owed == 0) again_.pop_front();
  parity_ = packets_.parity(block, number);
  datagrams_.to_all({.kind = Datagram::Kind::parity,
                     .number = parity_number(block, number),
                     .poll = poll_if_due(),
                     .payload = parity_});
  datagrams_.flush();  // until then it stays
  return parity_.size();
}

void MulticastRoot::takes_the_wire(double now, std::size_t bytes) {
  free_at_ = std::max(free_at_, now) + on_wire_bytes(bytes) * byte_s_;
}

/// The number of the poll that the next packet carries; 0: none.
std::uint32_t MulticastRoot::poll_if_due() {
  if (sent_since_poll_ < between_polls() && has_something_to_send()) return 0;
  new_poll(datagrams_.now());
  return polls_;
}

/// Where packets get lost, so do polls, and what is lacking should be known soon.
std::uint32_t MulticastRoot::between_polls() const {
  if (lost() > 0.0) return least_between_polls;
  return std::clamp(window_ / polls_in_a_window, least_between_polls, most_between_polls);
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
  send_polls();
  patience_ = std::min(2.0 * patience_, all_ready_ ? most_patience_with_all_s : most_patience_s);
}

void MulticastRoot::send_polls() {
  const unsigned many = std::max(copies_against(lost()), poll_copies);
  for (unsigned copy = 0; copy < many; ++copy) {
    datagrams_.to_all({.kind = Datagram::Kind::poll, .number = next_, .poll = polls_});
  }
}

}  // namespace trunkline::runtime
