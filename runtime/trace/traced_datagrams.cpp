// SPDX-License-Identifier: Apache-2.0
#include "trace/traced_datagrams.hpp"

#include <algorithm>

namespace trunkline::runtime {
namespace {

constexpr int to_everybody = -1;

Event::Step step_of(Datagram::Kind kind) {
  switch (kind) {
    case Datagram::Kind::data:
      return Event::Step::data;
    case Datagram::Kind::poll:
      return Event::Step::poll;
    case Datagram::Kind::report:
      return Event::Step::report;
    case Datagram::Kind::not_yet:
      return Event::Step::answer;
    case Datagram::Kind::parity:
      return Event::Step::repair;
    case Datagram::Kind::done:
      return Event::Step::done;
  }
  return Event::Step::answer;
}

/// A packet by its place in the message; polls and reports by the poll, since `end` says less.
std::uint64_t part_of(const Datagram& datagram) {
  const bool is_of_a_poll = datagram.kind == Datagram::Kind::poll || datagram.kind == Datagram::Kind::report;
  return is_of_a_poll ? datagram.poll : datagram.number;
}

bool carries_poll(const Datagram& datagram) {
  const bool is_packet = datagram.kind == Datagram::Kind::data || datagram.kind == Datagram::Kind::parity;
  return is_packet && datagram.poll != 0;
}

}  // namespace

void TracedDatagrams::tell(Event::Kind kind, Event::Step step, int peer, std::uint64_t part) noexcept {
  sink_.take({.kind = kind, .tree = static_cast<unsigned>(step), .peer = peer, .part = part});
}

void TracedDatagrams::to_all(const Datagram& datagram) {
  Event::Step step = step_of(datagram.kind);
  if (datagram.kind == Datagram::Kind::data) {
    if (datagram.number < end_) step = Event::Step::repair;
    end_ = std::max(end_, datagram.number + 1);
  }
  tell(Event::Kind::told, step, to_everybody, part_of(datagram));
  if (carries_poll(datagram)) {
    tell(Event::Kind::told, Event::Step::poll, to_everybody, datagram.poll);
  }
  inner_.to_all(datagram);
}

void TracedDatagrams::to_one(int rank, const Datagram& datagram) {
  tell(Event::Kind::told, step_of(datagram.kind), rank, part_of(datagram));
  inner_.to_one(rank, datagram);
}

/// Data of an eager message that were asked for say so where others carry a poll.
std::optional<Datagram> TracedDatagrams::next() {
  const auto datagram = inner_.next();
  if (!datagram) return datagram;
  const bool is_data = datagram->kind == Datagram::Kind::data;
  const bool is_repair = is_data && !is_confirmed_ && datagram->poll != 0;
  tell(Event::Kind::heard, is_repair ? Event::Step::repair : step_of(datagram->kind), datagram->from,
       part_of(*datagram));
  if (is_confirmed_ && carries_poll(*datagram)) {
    tell(Event::Kind::heard, Event::Step::poll, datagram->from, datagram->poll);
  }
  return datagram;
}

void TracedDatagrams::ask(int sender, std::uint32_t first, std::uint64_t packets) {
  tell(Event::Kind::told, Event::Step::ask, sender, first);
  inner_.ask(sender, first, packets);
}

}  // namespace trunkline::runtime
