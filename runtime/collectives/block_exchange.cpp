// SPDX-License-Identifier: Apache-2.0
#include "collectives/block_exchange.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace trunkline::runtime {
namespace {

constexpr unsigned only_tree = 0;  ///< of the tags

}  // namespace

BlockExchange::BlockExchange(Turn& turn, const LocalBlocks& local, Message& message, std::uint64_t segment_bytes)
    : turn_(turn),
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

int BlockExchange::run() {
  while (true) {
    try {
      run_to_the_end();
      return MPI_SUCCESS;
    } catch (const GivenUp& other) {
      if (needs(other.rank)) {
        turn_.give_up_too(other.code, peers());
        throw;
      }
      leave_out(other.rank);
    }
  }
}

/// Whether something must still come from that rank.
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

/// Of the others, some may come later: what is on its way to them must stay as it is until they have it.
void BlockExchange::leave_out(int rank) {
  gone_.push_back(rank);
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
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void BlockExchange::run_to_the_end() {
  while (true) {
    post_receives();
    if (send_one()) continue;
    if (!more_to_send_ && arrived_ == receives_.started) break;
    wait();
  }
  turn_.wait_all(sends_.requests);
}

/// Up to a window ahead of what has arrived: what is sent never holds them up, so the order of rounds, which is the
/// same on both sides of every transfer, leads everybody to the end.
void BlockExchange::post_receives() {
  while (more_to_receive_ && receives_.started < arrived_ + receives_.requests.size()) {
    const std::uint64_t slot = receives_.next();
    const Piece& piece = receives_.pieces[slot] = *to_receive_;
    turn_.receive(place(receives_, slot, piece), piece.bytes(), piece.peer, only_tree, receives_.requests[slot]);
    ++receives_.started;
    more_to_receive_ = to_receive_.next();
  }
}

/// The next piece, if that needs no waiting. Returns whether it was sent, or need not be.
bool BlockExchange::send_one() {
  if (!more_to_send_ || !has(*to_send_)) return false;
  if (std::ranges::find(gone_, (*to_send_).peer) != gone_.end()) {
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
  turn_.send(at, piece.bytes(), piece.peer, only_tree, synchronous, sends_.requests[slot]);
  ++sends_.started;
  more_to_send_ = to_send_.next();
  return true;
}

/// Whether a piece to send has arrived; pieces arrive in order.
bool BlockExchange::has(const Piece& piece) const {
  if (piece.needs == no_round || arrived_ == receives_.started) return true;
  const Piece& missing = receives_.pieces[arrived_ % receives_.pieces.size()];
  if (missing.round != piece.needs) return missing.round > piece.needs;
  return piece.begin >= missing.transfer_end || std::min(piece.end, missing.transfer_end) <= missing.begin;
}

/// Until the next piece arrives, or a send is over whose place the next one needs.
void BlockExchange::wait() {
  std::array<MPI_Request*, 2> waited{};
  std::size_t count = 0;
  const bool arriving = arrived_ < receives_.started;
  if (arriving) waited[count++] = &receives_.requests[arrived_ % receives_.requests.size()];
  if (more_to_send_ && has(*to_send_)) waited[count++] = &sends_.requests[sends_.next()];
  const Turn::Over over = turn_.wait_any(std::span(waited).first(count), more_to_receive_ || arriving);
  if (over.index != 0 || !arriving) return;
  if (over.bytes != receives_.pieces[arrived_ % receives_.pieces.size()].bytes()) throw MpiError{MPI_ERR_TRUNCATE};
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
