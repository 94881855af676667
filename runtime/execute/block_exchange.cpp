// SPDX-License-Identifier: Apache-2.0
#include "execute/block_exchange.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "execute/window.hpp"

namespace trunkline::runtime {
namespace {

constexpr unsigned only_tree = 0;  ///< of the tags

}  // namespace

BlockExchange::BlockExchange(Turn& turn, const LocalBlocks& local, Message& message, std::uint64_t segment_bytes)
    : Execution(turn),
      local_(local),
      message_(message),
      bytes_(message.bytes()),
      segment_bytes_(usable_segment(segment_bytes, bytes_)),
      blocks_(local.schedule->fixed_blocks().value_or((bytes_ + segment_bytes_ - 1) / segment_bytes_)),
      in_place_(message.in_place()),
      to_receive_(*this, &BlockSchedule::receive),
      to_send_(*this, &BlockSchedule::send),
      more_to_receive_(to_receive_.next()),
      more_to_send_(to_send_.next()),
      receives_(slots()),
      sends_(slots()) {}

bool BlockExchange::needs(int rank) const {
  for (std::uint64_t i = arrived_; i < receives_.started; ++i) {
    const auto slot = static_cast<std::size_t>(i % receives_.requests.size());
    if (receives_.requests[slot] != MPI_REQUEST_NULL && receives_.pieces[slot].peer == rank) return true;
  }
  Pieces ahead = to_receive_;
  for (bool more = more_to_receive_; more; more = ahead.next()) {
    if ((*ahead).peer == rank) return true;
  }
  return false;
}

void BlockExchange::leave_out(int rank) {
  for (std::size_t slot = 0; slot < sends_.requests.size(); ++slot) {
    if (sends_.pieces[slot].peer != rank) continue;
    is_left_over_ = let_go(std::span(sends_.requests).subspan(slot, 1), false) || is_left_over_;
  }
}

std::vector<int> BlockExchange::peers() const {
  std::vector<int> all;
  for (const auto side : {&BlockSchedule::receive, &BlockSchedule::send}) {
    Pieces pieces(*this, side);
    while (pieces.next()) all.push_back((*pieces).peer);
  }
  return all;
}

bool BlockExchange::advance() {
  do {
    post_receives();
  } while (send_one());
  return !more_to_send_ && !is_arriving();
}

/// Up to a window ahead of what has arrived: what is sent never holds them up, so the order of rounds, which is the
/// same on both sides of every transfer, leads everybody to the end.
void BlockExchange::post_receives() {
  while (more_to_receive_ && receives_.started < arrived_ + receives_.requests.size()) {
    const std::uint64_t slot = receives_.next();
    const Piece& piece = receives_.pieces[slot] = *to_receive_;
    turn().receive(place(receives_, slot, piece), piece.bytes(), piece.peer, only_tree, receives_.requests[slot]);
    ++receives_.started;
    more_to_receive_ = to_receive_.next();
  }
}

/// The next piece, if that needs no waiting. Returns whether it was sent, or need not be.
bool BlockExchange::send_one() {
  if (!more_to_send_ || !has(*to_send_)) return false;
  if (is_gone((*to_send_).peer)) {
    more_to_send_ = to_send_.next();
    return true;
  }
  const std::uint64_t slot = sends_.next();
  if (sends_.requests[slot] != MPI_REQUEST_NULL) return false;
  const Piece& piece = sends_.pieces[slot] = *to_send_;
  std::byte* const at = place(sends_, slot, piece);
  if (in_place_ == nullptr) message_.read(piece.begin, piece.end - piece.begin, at);
  // An ordinary send may complete before the receiver has asked for it. A synchronous one twice a window keeps a
  // receiver that is late from piling up much more than a window; it moves on by one each time, so that of several
  // receivers by turns it is not always the same one.
  const std::uint64_t half = (sends_.requests.size() + 1) / 2;
  const bool synchronous = sends_.started >= 2 * half && sends_.started % half == sends_.started / half % half;
  turn().send(at, piece.bytes(), piece.peer, only_tree, synchronous, sends_.requests[slot]);
  happened(Event::Kind::handed_on, only_tree, piece.peer, piece.round);
  ++sends_.started;
  more_to_send_ = to_send_.next();
  return true;
}

/// Whether a piece to send has arrived; pieces arrive in order.
bool BlockExchange::has(const Piece& piece) const {
  if (piece.needs == no_round || !is_arriving()) return true;
  const Piece& missing = receives_.pieces[arrived_ % receives_.pieces.size()];
  if (missing.round != piece.needs) return missing.round > piece.needs;
  return piece.begin >= missing.transfer_end || std::min(piece.end, missing.transfer_end) <= missing.begin;
}

/// The next piece, and the send whose place the next one needs.
void BlockExchange::await(std::vector<MPI_Request*>& requests) {
  if (is_arriving()) requests.push_back(&receives_.requests[arrived_ % receives_.requests.size()]);
  if (more_to_send_ && has(*to_send_)) requests.push_back(&sends_.requests[sends_.next()]);
}

void BlockExchange::take(std::size_t place, int bytes) {
  if (place != 0 || !is_arriving()) return;
  const Piece& piece = receives_.pieces[arrived_ % receives_.pieces.size()];
  if (bytes != piece.bytes()) throw MpiError{MPI_ERR_TRUNCATE};
  happened(Event::Kind::arrived, only_tree, piece.peer, piece.round);
  take_arrived();
}

void BlockExchange::take_arrived() {
  const std::uint64_t slot = arrived_ % receives_.pieces.size();
  const Piece& piece = receives_.pieces[slot];
  if (in_place_ == nullptr) message_.write(piece.begin, piece.end - piece.begin, place(receives_, slot, piece));
  ++arrived_;
}

/// After an error requests are left over: the library may still use their memory, so it is given up, not freed.
BlockExchange::~BlockExchange() {
  if (let_go(receives_.requests, true)) static_cast<void>(receives_.memory.release());
  if (let_go(sends_.requests, false) || is_left_over_) static_cast<void>(sends_.memory.release());
}

BlockExchange::Slots BlockExchange::slots() const {
  const std::uint64_t pieces = blocks_ + bytes_ / segment_bytes_;
  const auto window = static_cast<std::size_t>(std::min(window_of(segment_bytes_), pieces));
  Slots made{.requests = std::vector<MPI_Request>(window, MPI_REQUEST_NULL),
             .pieces = std::vector<Piece>(window),
             .memory = nullptr};
  if (in_place_ == nullptr) made.memory = std::make_unique_for_overwrite<std::byte[]>(window * segment_bytes_);
  return made;
}

std::byte* BlockExchange::place(const Slots& slots, std::uint64_t slot, const Piece& piece) const {
  return in_place_ != nullptr ? in_place_ + piece.begin : slots.memory.get() + slot * segment_bytes_;
}

/// Of the blocks the first ones are longer by a byte where the message does not divide; short messages have empty ones.
std::uint64_t BlockExchange::offset(std::uint64_t block) const {
  return bytes_ / blocks_ * block + std::min(block, bytes_ % blocks_);
}

bool BlockExchange::Pieces::next() {
  const std::uint64_t segment = exchange_.segment_bytes_;
  if (piece_.end < piece_.transfer_end) {
    piece_.begin = piece_.end;
    piece_.end = std::min(piece_.begin + segment, piece_.transfer_end);
    return true;
  }
  const BlockSchedule& schedule = *exchange_.local_.schedule;
  for (const std::uint64_t rounds = schedule.rounds(exchange_.blocks_); next_round_ < rounds;) {
    const std::uint64_t round = next_round_++;
    const auto transfer = (schedule.*side_)(round, exchange_.blocks_);
    if (!transfer) continue;
    const std::uint64_t begin = exchange_.offset(transfer->first);
    const std::uint64_t end = exchange_.offset(transfer->first + transfer->count);
    if (begin == end) continue;  // both sides know
    piece_ = {.peer = exchange_.local_.order[transfer->peer],
              .round = round,
              .needs = transfer->needs,
              .begin = begin,
              .end = std::min(begin + segment, end),
              .transfer_end = end};
    return true;
  }
  return false;
}

}  // namespace trunkline::runtime
