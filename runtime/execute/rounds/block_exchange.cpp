// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/block_exchange.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "execute/window.hpp"

namespace trunkline::runtime {
namespace {

constexpr unsigned only_tree = 0;  ///< of the tags

bool overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t other_begin, std::uint64_t other_end) {
  return begin < other_end && other_begin < end;
}

}  // namespace

BlockExchange::BlockExchange(Transport& transport, const LocalBlocks& local, Blocks& blocks,
                             std::uint64_t segment_bytes, std::uint64_t in_flight_bytes)
    : Execution(transport),
      local_(local),
      blocks_(blocks),
      count_(blocks.count()),
      units_(blocks.offset(count_)),
      segment_(std::max(usable_segment(segment_bytes, units_ * blocks.unit_bytes()) / blocks.unit_bytes(),
                        std::uint64_t{1})),
      to_receive_(*this, &BlockSchedule::receive),
      to_send_(*this, &BlockSchedule::send),
      more_to_receive_(to_receive_.next()),
      more_to_send_(to_send_.next()),
      receives_(window(in_flight_bytes)),
      sends_(window(in_flight_bytes)) {
  blocks_.make_room(receives_.requests.size(), sends_.requests.size(), segment_);
}

/// No more than all pieces are, so that a call of few short messages sends none synchronously: that would take it one
/// more way through the network.
std::uint64_t BlockExchange::window(std::uint64_t in_flight_bytes) const {
  const std::uint64_t of_a_round = 1 + units_ / segment_;
  const std::uint64_t pieces = std::max(2 * (count_ + units_ / segment_), local_.schedule->rounds(count_) * of_a_round);
  const std::uint64_t bytes = std::max(segment_ * blocks_.unit_bytes(), blocks_.piece_memory(segment_));
  return std::min(window_of(bytes, in_flight_bytes), pieces);
}

bool BlockExchange::needs(int rank) const {
  for (std::uint64_t i = arrived_; i < receives_.started; ++i) {
    const auto slot = static_cast<std::size_t>(receives_.slot(i));
    if (!receives_.requests[slot].is_none() && receives_.pieces[slot].peer == rank) return true;
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
    is_left_over_ = transport().let_go(std::span(sends_.requests).subspan(slot, 1), false) || is_left_over_;
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
  in_the_way_.clear();
  do {
    if (has_come_ && !must_wait(receives_.pieces[receives_.slot(arrived_)])) take_arrived();
    post_receives();
  } while (send_one());
  return !more_to_send_ && !is_receiving();
}

/// Up to a window ahead of what has arrived: what is sent never holds them up, but where both share memory. So the
/// order of rounds, which is the same on both sides of every transfer, leads everybody to the end.
void BlockExchange::post_receives() {
  while (more_to_receive_ && receives_.started < arrived_ + receives_.requests.size()) {
    const std::uint64_t slot = receives_.next();
    const BlockPiece& piece = receives_.pieces[slot] = *to_receive_;
    const auto before = blocks_.send_before(piece, receives_.started);
    if (before && is_under_way(*before)) return;
    if (!piece.reduces && !piece.replaces && must_wait(piece)) return;
    transport().receive(blocks_.incoming(piece, receives_.started), piece.peer, only_tree, receives_.requests[slot]);
    ++receives_.started;
    more_to_receive_ = to_receive_.next();
  }
}

/// The next piece, if that needs no waiting. Returns whether it was sent, or need not be: that has its number, too, by
/// which blocks know their places.
bool BlockExchange::send_one() {
  if (!more_to_send_ || !has(*to_send_)) return false;
  const std::uint64_t slot = sends_.next();
  if (!sends_.requests[slot].is_none()) return false;
  const BlockPiece& piece = sends_.pieces[slot] = *to_send_;
  // An ordinary send may complete before the receiver has asked for it. A synchronous one twice a window keeps a
  // receiver that is late from piling up much more than a window; it moves on by one each time, so that of several
  // receivers by turns it is not always the same one.
  const std::uint64_t half = (sends_.requests.size() + 1) / 2;
  const bool synchronous = sends_.started >= 2 * half && sends_.started % half == sends_.started / half % half;
  if (!is_gone(piece.peer)) {
    happened(Event::Kind::handed_on, only_tree, piece.peer, piece.round);
    transport().send(blocks_.outgoing(piece, sends_.started), piece.peer, only_tree, synchronous,
                     sends_.requests[slot]);
  }
  ++sends_.started;
  more_to_send_ = to_send_.next();
  return true;
}

/// The next one to arrive.
const BlockPiece& BlockExchange::missing() const {
  return is_arriving() ? receives_.pieces[receives_.slot(arrived_)] : *to_receive_;
}

/// Whether a piece to send has arrived; pieces arrive in order.
bool BlockExchange::has(const BlockPiece& piece) const {
  if (piece.needs == no_round || !lacks_blocks()) return true;
  if (missing().round != piece.needs) return missing().round > piece.needs;
  if (piece.rows.rows > 1 || missing().rows.rows > 1) return false;
  return piece.begin >= missing().transfer_end || std::min(piece.end, missing().transfer_end) <= missing().begin;
}

/// Whether what a piece overwrites is still needed as it was before its round: it is still to be sent, or what came
/// before is still to be added to it. A send that is under way then stands in the way; one that has not started needs
/// a place of the window, or receives before this one.
bool BlockExchange::must_wait(const BlockPiece& piece) {
  if (!blocks_.change()) return false;
  for (std::uint64_t i = arrived_; i < receives_.started; ++i) {
    const BlockPiece& before = receives_.pieces[receives_.slot(i)];
    if (before.round >= piece.round) break;
    if (overlap(before.begin, before.end, piece.begin, piece.end)) return true;
  }
  for (std::size_t slot = 0; slot < sends_.requests.size(); ++slot) {
    const BlockPiece& sent = sends_.pieces[slot];
    if (sends_.requests[slot].is_none() || sent.round > piece.round) continue;
    if (!overlap(sent.begin, sent.end, piece.begin, piece.end)) continue;
    stands_in_the_way(sends_.requests[slot]);
    return true;
  }
  if (!more_to_send_ || (*to_send_).round > piece.round) return false;
  if (overlap((*to_send_).begin, (*to_send_).transfer_end, piece.begin, piece.end)) return true;
  for (std::uint64_t round = (*to_send_).round + 1; round <= piece.round; ++round) {
    const auto send = local_.schedule->send(round, count_);
    if (!send) continue;
    if (overlap(blocks_.offset(send->first), blocks_.offset(send->first + send->count), piece.begin, piece.end)) {
      return true;
    }
  }
  return false;
}

bool BlockExchange::is_under_way(std::uint64_t send) {
  if (send >= sends_.started) return true;
  Pending& request = sends_.requests[sends_.slot(send)];
  if (send + sends_.requests.size() < sends_.started || request.is_none()) return false;
  stands_in_the_way(request);
  return true;
}

/// Of what has come and of what is to come next, each may have one: both must be awaited, since the later one may go on
/// only after the other.
void BlockExchange::stands_in_the_way(Pending& send) {
  if (std::ranges::find(in_the_way_, &send) == in_the_way_.end()) in_the_way_.push_back(&send);
}

/// The next piece, the send whose place the next one needs, and those that receiving waits for.
void BlockExchange::await(std::vector<Pending*>& requests) {
  if (is_arriving() && !has_come_) requests.push_back(&receives_.requests[receives_.slot(arrived_)]);
  Pending* const next = &sends_.requests[sends_.next()];
  const bool needs_place = more_to_send_ && has(*to_send_);
  if (needs_place) requests.push_back(next);
  for (Pending* const send : in_the_way_) {
    if (!send->is_none() && !(needs_place && send == next)) requests.push_back(send);
  }
}

void BlockExchange::take(std::size_t place, int bytes) {
  if (place != 0 || !is_arriving() || has_come_) return;
  const BlockPiece& piece = receives_.pieces[receives_.slot(arrived_)];
  if (static_cast<std::uint64_t>(bytes) != piece.units() * blocks_.unit_bytes()) throw MpiError{MPI_ERR_TRUNCATE};
  happened(Event::Kind::arrived, only_tree, piece.peer, piece.round);
  has_come_ = true;
}

void BlockExchange::take_arrived() {
  has_come_ = false;
  blocks_.arrived(receives_.pieces[receives_.slot(arrived_)], arrived_);
  ++arrived_;
}

/// After an error requests are left over: the library may still use their memory, so it is given up, not freed.
BlockExchange::~BlockExchange() {
  const bool received = transport().let_go(receives_.requests, true);
  const bool sent = transport().let_go(sends_.requests, false) || is_left_over_;
  blocks_.give_up(received, sent);
}

/// The next one of a transfer, from where it begins on.
void BlockExchange::Pieces::cut() {
  std::uint64_t end = std::min(piece_.begin + exchange_.segment_, piece_.transfer_end);
  while (piece_.rows.rows == 1 && exchange_.blocks_.offset(piece_.block + 1) <= piece_.begin) ++piece_.block;
  if (exchange_.blocks_.lie_apart()) end = std::min(end, exchange_.blocks_.offset(piece_.block + 1));
  piece_.end = end;
}

bool BlockExchange::Pieces::next() {
  if (piece_.end < piece_.transfer_end) {
    piece_.begin = piece_.end;
    cut();
    return true;
  }
  const BlockSchedule& schedule = *exchange_.local_.schedule;
  for (const std::uint64_t rounds = schedule.rounds(exchange_.count_); next_round_ < rounds;) {
    const std::uint64_t round = next_round_++;
    const auto transfer = (schedule.*side_)(round, exchange_.count_);
    if (!transfer) continue;
    const std::uint64_t begin = exchange_.blocks_.offset(transfer->first);
    const std::uint64_t row = exchange_.blocks_.offset(transfer->first + transfer->count) - begin;
    const std::uint64_t end = begin + transfer->rows * row;
    if (begin == end) continue;  // both sides know
    piece_ = {.peer = exchange_.local_.order[transfer->peer],
              .position = transfer->peer,
              .round = round,
              .needs = transfer->needs,
              .reduces = transfer->reduces,
              .replaces = transfer->replaces,
              .rows = transfer->blocks(),
              .block = transfer->first,
              .begin = begin,
              .end = begin,
              .transfer_end = end};
    cut();
    return true;
  }
  return false;
}

}  // namespace trunkline::runtime
