// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_receiver.hpp"

#include <algorithm>
#include <utility>

#include "transport/redundancy.hpp"

namespace trunkline::runtime {
namespace {

constexpr double first_quiet_s = 0.05;
constexpr double most_quiet_s = 1.6;
/// Without a packet, while polls say that there is none that it lacks.
constexpr double idle_s = 1.0;

/// Of an answer to a poll by itself, which the root sends where it waits: at least.
constexpr unsigned report_copies = 2;

}  // namespace

MulticastReceiver::MulticastReceiver(Transport& transport, Datagrams& datagrams, int root, int parent,
                                     std::span<const int> children, Message& message)
    : Execution(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), false, datagrams.burst()),
      below_(transport, children),
      root_(root),
      parent_(parent),
      quiet_s_(first_quiet_s) {}

MulticastReceiver::~MulticastReceiver() {
  static_cast<void>(transport().let_go(std::span(&answering_, 1), true));
  static_cast<void>(transport().let_go(std::span(&saying_, 1), false));
}

bool MulticastReceiver::needs(int rank) const { return is_receiving() && (rank == root_ || rank == parent_); }

std::vector<int> MulticastReceiver::peers() const {
  std::vector<int> all(below_.ranks().begin(), below_.ranks().end());
  all.push_back(parent_);
  all.push_back(root_);
  return all;
}

std::vector<std::span<Pending>> MulticastReceiver::sends() { return {below_.answers(), std::span(&saying_, 1)}; }

bool MulticastReceiver::advance() {
  if (is_done_) return true;
  if (!has_begun_) {
    has_begun_ = true;
    below_.begin();
    heard_at_ = packet_at_ = datagrams_.now();
  }
  hear();
  below_.serve(packets_, has_heard_);
  if (packets_.is_whole() && below_.are_done() && asked_ == Asked::nothing && may_say()) {
    leave();
    return is_done_ = true;
  }
  report_where_due();
  ask_where_quiet();
  datagrams_.flush();
  return false;
}

/// By a message that cannot get lost, for which its parent listens, and by datagrams, which cost hosts less and wait
/// for nothing: a parent that hears one leaves, and so does this rank, whatever becomes of the message.
void MulticastReceiver::leave() {
  if (is_gone(parent_)) return;
  if (!transport().outlives(parent_)) return say(Word::Kind::done);
  // First what must not get lost: the parent may leave on the datagram alone, and counts on it.
  transport().send_off(std::make_shared<Word>(Word{.kind = Word::Kind::done}), sizeof(Word), parent_, 0);
  for (unsigned copy = 0; copy < copies(); ++copy) datagrams_.to_one(parent_, {.kind = Datagram::Kind::done});
  datagrams_.flush();
  happened(Event::Kind::told, Event::Step::done, parent_);
}

/// A parent that has given up reads no more what this rank says.
void MulticastReceiver::leave_out(int rank) {
  below_.leave_out(rank);
  if (rank == parent_) static_cast<void>(transport().let_go(std::span(&saying_, 1), false));
}

/// Of what it says to its parent.
unsigned MulticastReceiver::copies() const {
  const LossMeter* const meter = datagrams_.loss();
  return copies_against(std::max(lost(), meter == nullptr ? 0.0 : meter->likely()));
}

void MulticastReceiver::await(std::vector<Pending*>& requests) {
  below_.await(requests);
  if (!answering_.is_none()) requests.push_back(&answering_);
}

void MulticastReceiver::take(std::size_t place, int bytes) {
  if (place < below_.awaited()) {
    const int child = below_.rank_at(place);
    const bool is_done = below_.take(place, bytes);
    return happened(Event::Kind::heard, is_done ? Event::Step::done : Event::Step::ask, child);
  }
  happened(Event::Kind::heard, Event::Step::answer, parent_);
  const Asked asked = asked_;
  asked_ = Asked::nothing;
  if (asked == Asked::whether_heard) {
    if (bytes != static_cast<int>(sizeof answer_)) throw MpiError{MPI_ERR_TRUNCATE};
    is_deaf_ = true;
    heard_at_ = packet_at_ = datagrams_.now();
    return;
  }
  if (bytes != static_cast<int>(fetched_.size())) throw MpiError{MPI_ERR_TRUNCATE};
  const std::uint32_t end = end_of_fetch(packets_, fetched_from_);
  std::span<const std::byte> rest = fetched_;
  for (std::uint32_t packet = fetched_from_; packet < end; ++packet) {
    const std::size_t length = packets_.place(packet, packet + 1).size();
    static_cast<void>(packets_.add(packet, rest.first(length)));
    rest = rest.subspan(length);
  }
  fetches_ = has_heard_ = has_fetched_ = true;
  datagrams_.are_not_heard();
}

void MulticastReceiver::hear() {
  hears_now_ = false;
  while (const auto datagram = datagrams_.next()) {
    if (!std::exchange(hears_now_, true)) now_ = datagrams_.now();  // of a whole batch
    hear_one(*datagram);
  }
}

void MulticastReceiver::hear_one(const Datagram& datagram) {
  if (datagram.kind == Datagram::Kind::report) {
    const auto report =
        read_report(datagram.payload, datagram.number, datagram.poll, packets_.count(), packets_.block_packets());
    if (report) below_.reported(datagram.from, *report);
  } else if (datagram.kind == Datagram::Kind::done) {
    static_cast<void>(below_.said_done(datagram.from));
  } else if (datagram.from == root_) {
    hear_root(datagram);
  }
}

void MulticastReceiver::hear_root(const Datagram& datagram) {
  const std::uint32_t number = datagram.number;
  std::uint32_t end = number;
  if (datagram.kind == Datagram::Kind::data) {
    end = number + 1;
    if (packets_.add(number, datagram.payload)) {
      ++heard_;
      heard_end_ = std::max(heard_end_, end);
      got_packet();
    }
  } else if (datagram.kind == Datagram::Kind::parity) {
    if (block_in(number) >= packets_.blocks()) return;
    end = packets_.end_of(block_in(number));
    if (packets_.add_parity(block_in(number), row_in(number), datagram.payload)) got_packet();
  }
  if (datagram.poll <= poll_) return;
  is_due_ = is_due_ || answered_ < poll_;  // the poll before is not answered for all below
  poll_ = datagram.poll;
  is_alone_ = datagram.kind == Datagram::Kind::poll;
  end_ = std::max(end_, std::min(end, packets_.count()));
  if (packets_.base() >= end_) heard_at_ = now_;  // it lacks nothing so far
}

void MulticastReceiver::got_packet() {
  ++came_;
  has_heard_ = true;
  is_deaf_ = fetches_ = false;
  heard_at_ = packet_at_ = now_;
  quiet_s_ = first_quiet_s;
}

/// Once all children have answered the last poll; at once, with what is known, where there was another one before.
void MulticastReceiver::report_where_due() {
  if (poll_ > answered_ && below_.have_answered(poll_)) {
    answered_ = poll_;
    report();
  } else if (is_due_) {
    report();
  }
  is_due_ = false;
}

void MulticastReceiver::report() {
  const auto below = below_.report(packets_);
  if (!below) return;  // nobody speaks for a rank that has not spoken
  const Report all = joined(own_report(), *below);
  const std::vector<std::byte> payload = written(all);
  const unsigned many = std::max(copies(), is_alone_ ? report_copies : 1U);
  for (unsigned copy = 0; copy < many; ++copy) {
    datagrams_.to_one(parent_,
                      {.kind = Datagram::Kind::report, .number = all.end, .poll = all.poll, .payload = payload});
  }
  datagrams_.flush();
}

Report MulticastReceiver::own_report() const {
  Report own{.poll = poll_, .base = packets_.base(), .block_packets = packets_.block_packets()};
  own.end = std::clamp(end_, own.base, Report::most_end(own.base, own.block_packets));
  own.lost = lost();
  for (std::uint32_t block = own.first_block(); packets_.begin_of(block) < own.end; ++block) {
    own.set_lacks(block, packets_.lacks(block, own.end));
  }
  return own;
}

double MulticastReceiver::lost() const {
  const LossMeter* const meter = datagrams_.loss();
  if (meter == nullptr) return 0.0;
  return has_fetched_ ? meter->own() : meter->own(sent(), missed());
}

void MulticastReceiver::ask_where_quiet() {
  if (packets_.is_whole() || asked_ != Asked::nothing) return;
  const double now = datagrams_.now();
  if (!fetches_ && now < heard_at_ + quiet_s_ && now < packet_at_ + idle_s) return;
  if (!may_say()) return;
  if (is_deaf_ || fetches_) {
    fetched_from_ = packets_.base();
    fetched_.resize(packets_.place(fetched_from_, end_of_fetch(packets_, fetched_from_)).size());
    transport().receive(fetched_.data(), static_cast<int>(fetched_.size()), parent_, 0, answering_);
    asked_ = Asked::data;
    say(Word::Kind::fetch);
  } else {
    transport().receive(memory_of(answer_), static_cast<int>(sizeof answer_), parent_, 0, answering_);
    asked_ = Asked::whether_heard;
    datagrams_.ask(root_, 0, 1);  // where the root takes the message for an eager one, nobody else answers
    say(Word::Kind::ask);
    quiet_s_ = std::min(2.0 * quiet_s_, most_quiet_s);
  }
}

/// The word before has left.
bool MulticastReceiver::may_say() { return transport().test_all(std::span(&saying_, 1), watchdog_); }

void MulticastReceiver::say(Word::Kind kind) {
  happened(Event::Kind::told, kind == Word::Kind::done ? Event::Step::done : Event::Step::ask, parent_);
  word_ = {.kind = kind, .first = fetched_from_};
  transport().send(memory_of(word_), static_cast<int>(sizeof word_), parent_, 0, false, saying_);
}

void MulticastReceiver::settle() {
  happened(Event::Kind::arrived, 0, root_, 0);
  if (LossMeter* const meter = datagrams_.loss(); meter != nullptr && !has_fetched_) meter->count(sent(), missed());
  try {
    packets_.deliver();
  } catch (const MpiError& error) {
    delivered_ = error.code;  // the others got theirs
  }
}

}  // namespace trunkline::runtime
