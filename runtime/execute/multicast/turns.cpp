// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/turns.hpp"

#include <algorithm>

#include "execute/multicast/pace.hpp"
#include "execute/multicast/patience.hpp"

namespace trunkline::runtime {
namespace {

/// Of all ranks that are silent, a late one hears asks of all others, and may have nothing to say.
constexpr std::ptrdiff_t asked_at_once = 4;
/// What is lost is asked for of more, but no more than come back without getting in each other's way.
constexpr unsigned lost_at_once = 8;
constexpr std::uint32_t most_piece_packets = 8;
/// Whoever sends a piece has all pieces of all ranks but the two before it, and has sent all of its own.
constexpr std::uint32_t pieces_behind = 2;

/// Where a switch has links side by side, packets of two ranks go different ways, and one may be behind all that others
/// have sent at once. Links that take longer for these than for the first ask are so slow that an ask is not much more.
double queued_s(std::size_t packets, std::size_t payload_bytes, double byte_s) {
  const double all_s = static_cast<double>(packets) * on_wire_bytes(payload_bytes) * byte_s;
  return std::min(between_packets_s(payload_bytes, byte_s) + all_s, first_ask_s);
}

}  // namespace

std::uint32_t Turns::piece_packets(const Datagrams& datagrams) const {
  const auto all = static_cast<std::uint32_t>(ranks.size());
  std::uint32_t packets = std::clamp(datagrams.burst() / all, 1U, most_piece_packets);
  while (packets > 0 && !datagrams.is_eager(packets)) --packets;
  return packets;
}

GatherByTurns::GatherByTurns(Transport& transport, Datagrams& datagrams, const Turns& turns,
                             std::uint32_t piece_packets, const Gathered& gathered, Message* own, bool in_place,
                             const Behind& behind)
    : WithoutMessages(transport),
      datagrams_(datagrams),
      turns_(turns),
      blocks_(gathered, turns.members),
      behind_has_come_(behind.has_come),
      shares_(blocks_, datagrams.payload_bytes(), piece_packets, behind.message),
      owners_(turns.ranks.size()),
      not_whole_(shares_.pieces() == 0 ? 0 : turns.ranks.size() - 1),
      between_packets_s_(between_packets_s(datagrams.payload_bytes(), turns.byte_s)),
      queued_s_(queued_s(shares_.piece_packets() * turns.ranks.size(), datagrams.payload_bytes(), turns.byte_s)),
      quiet_since_(datagrams.now()),
      patience_(first_ask_s) {
  if (!in_place) blocks_.put(own, static_cast<Rank>(turns.own));
  shares_.has_all(turns.own);
  for (std::size_t turn = 0; turn < turns.ranks.size(); ++turn) turn_by_rank_.emplace_back(turns.ranks[turn], turn);
  std::ranges::sort(turn_by_rank_);
}

bool GatherByTurns::is_worth_it() const {
  const std::uint64_t ranks = turns_.ranks.size();
  std::uint64_t packets = 0;
  for (std::size_t turn = 0; turn < ranks; ++turn) packets += shares_.packets(turn);
  return packets > 0 && shares_.pieces_of_shares() * ranks <= 2 * packets;
}

bool GatherByTurns::have_shares_come() const {
  for (std::size_t turn = 0; turn < turns_.ranks.size(); ++turn) {
    if (!shares_.has_share(turn)) return false;
  }
  return true;
}

bool GatherByTurns::needs(int rank) const {
  if (!is_receiving() || rank == turns_.ranks[turns_.own]) return false;
  const auto found = std::ranges::find(turns_.ranks, rank);  // it may be of another group
  return found != turns_.ranks.end() && !shares_.is_whole(static_cast<std::size_t>(found - turns_.ranks.begin()));
}

std::size_t GatherByTurns::turn_of(int rank) const {
  return std::ranges::lower_bound(turn_by_rank_, rank, {}, &std::pair<int, std::size_t>::first)->second;
}

bool GatherByTurns::advance() {
  while (const auto datagram = datagrams_.next()) hear_one(*datagram);
  if (behind_has_come_ != nullptr && *behind_has_come_) {
    behind_has_come_ = nullptr;
    is_news_ = true;
  }
  send_what_may_go();
  if (not_whole_ > 0) {
    const double now = datagrams_.now();
    ask_where_lost(now);
    ask_where_quiet(now);
  }
  return not_whole_ == 0 && next_ == shares_.end();
}

void GatherByTurns::hear_one(const Datagram& datagram) {
  if (datagram.kind != Datagram::Kind::data) return;
  const std::size_t turn = turn_of(datagram.from);
  if (turn == turns_.own) return;
  const bool was_asked_for = datagram.poll != 0;
  is_heard_ = is_heard_ || (!was_asked_for && datagrams_.comes_over_network(datagram.from));
  try {
    if (!shares_.add(turn, datagram.number, datagram.payload)) return;
  } catch (const MpiError& error) {
    delivered_ = error.code;  // the others get theirs
  }
  ++came_;
  const std::uint64_t ranks = turns_.ranks.size();
  furthest_ = std::max(furthest_, datagram.number / shares_.piece_packets() * ranks + turn + 1);
  is_news_ = true;
  owners_[turn] = {};
  quiet_since_ = datagrams_.now();
  patience_ = queued_s_;
  if (!shares_.is_whole(turn)) return;
  happened(Event::Kind::arrived, 0, datagram.from, 0);
  --not_whole_;
}

/// Pieces are in a row: the first of all ranks by turns, then the second ones. It has what is `at_once` before it.
bool GatherByTurns::may_send(std::uint32_t piece) const {
  if (behind_has_come_ != nullptr && piece >= shares_.pieces_of_shares()) return false;
  const auto ranks = static_cast<std::int64_t>(turns_.ranks.size());
  const auto own = static_cast<std::int64_t>(turns_.own);
  for (std::int64_t turn = 0; turn < ranks; ++turn) {
    const std::int64_t before = own - turn - static_cast<std::int64_t>(turns_.at_once);
    const std::int64_t needed = std::int64_t{piece} + (before >= 0 ? 1 : before >= -ranks ? 0 : -1);
    if (shares_.pieces_here(static_cast<std::size_t>(turn)) < needed) return false;
  }
  return true;
}

void GatherByTurns::send_what_may_go() {
  const double now = datagrams_.now();
  double& free_at = datagrams_.free_at();
  while (next_ < shares_.end() && free_at <= now + lead_s) {
    const std::uint32_t piece = next_ / shares_.piece_packets();
    const std::uint32_t place = next_ % shares_.piece_packets();
    if (place == 0) {
      if (!is_news_) break;
      if (!may_send(piece)) {
        is_news_ = false;
        break;
      }
      forget_what_all_have();
      datagrams_.flush();  // of the piece before
      piece_ = shares_.piece(turns_.own, piece);
      datagrams_.keep(next_, piece_);
    }
    const std::size_t from = std::min<std::size_t>(std::size_t{place} * datagrams_.payload_bytes(), piece_.size());
    const auto payload = piece_.subspan(from, std::min<std::size_t>(datagrams_.payload_bytes(), piece_.size() - from));
    datagrams_.to_all({.kind = Datagram::Kind::data, .number = next_, .payload = payload});
    free_at = std::max(free_at, now) + on_wire_bytes(payload.size()) * turns_.byte_s;
    const bool ends_piece = place + 1 == shares_.packets_of_piece(turns_.own, piece);
    next_ = ends_piece ? (piece + 1) * shares_.piece_packets() : next_ + 1;
  }
  datagrams_.flush();
}

/// Who has sent a piece has what came long enough before.
void GatherByTurns::forget_what_all_have() {
  std::uint32_t fewest = shares_.pieces();
  for (std::size_t turn = 0; turn < turns_.ranks.size(); ++turn) fewest = std::min(fewest, shares_.pieces_here(turn));
  if (fewest <= forgotten_ + pieces_behind) return;
  forgotten_ = fewest - pieces_behind;
  datagrams_.forget_before(forgotten_ * shares_.piece_packets());
}

/// The first one, in the row of all ranks' pieces.
std::uint64_t GatherByTurns::missing_piece(std::size_t turn) const {
  return std::uint64_t{shares_.pieces_here(turn)} * turns_.ranks.size() + turn;
}

/// What is missing was sent: something later of the same rank has come, or of one that must have had it, or of a later
/// call.
bool GatherByTurns::is_lost(std::size_t turn) const {
  return shares_.has_gap(turn) || all_is_sent_ || furthest_ > missing_piece(turn) + turns_.at_once;
}

void GatherByTurns::ask_where_lost(double now) {
  if (now < looked_at_ + behind_others_s / 2.0) return;
  looked_at_ = now;
  // One of them at a time: who has left this call has heard all of it.
  next_look_ = (next_look_ + 1) % owners_.size();
  all_is_sent_ = all_is_sent_ || datagrams_.is_ahead(turns_.ranks[next_look_]);
  unsigned asked = 0;
  for (std::size_t turn = 0; turn < owners_.size() && asked < lost_at_once; ++turn) {
    if (shares_.is_whole(turn) || !is_lost(turn)) continue;
    Owner& owner = owners_[turn];
    if (owner.lost_at == 0.0) {
      owner = {.lost_at = now, .patience = shares_.has_gap(turn) ? behind_others_s : queued_s_};
    }
    if (now < owner.lost_at + owner.patience) continue;
    ask(turn);
    ++asked;
    owner.lost_at = now;
    owner.patience = next_patience_s(owner.patience, between_packets_s_, most_ask_s);
  }
}

/// Those whose pieces come first: later ones may wait for these.
void GatherByTurns::ask_where_quiet(double now) {
  if (now < quiet_since_ + patience_) return;
  std::vector<std::size_t> silent;
  for (std::size_t turn = 0; turn < owners_.size(); ++turn) {
    if (!shares_.is_whole(turn) && owners_[turn].lost_at == 0.0) silent.push_back(turn);
  }
  const auto asked = silent.begin() + std::min(asked_at_once, std::ssize(silent));
  std::ranges::partial_sort(silent, asked, {}, [this](std::size_t turn) { return missing_piece(turn); });
  std::for_each(silent.begin(), asked, [this](std::size_t turn) { ask(turn); });
  quiet_since_ = now;
  patience_ = next_patience_s(patience_, between_packets_s_, most_between_asks_s(turns_.ranks.size()));
}

void GatherByTurns::ask(std::size_t turn) {
  datagrams_.ask(turns_.ranks[turn], shares_.base(turn), shares_.missing(turn));
}

/// Everybody's share is here, so everybody has come.
void GatherByTurns::settle() {
  datagrams_.all_have_come();
  if (!is_heard_ && turns_.ranks.size() > 1) datagrams_.are_not_heard();
}

}  // namespace trunkline::runtime
