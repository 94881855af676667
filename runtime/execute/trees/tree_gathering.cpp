// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/tree_gathering.hpp"

#include <algorithm>
#include <cstring>

#include "execute/window.hpp"

namespace trunkline::runtime {
namespace {

/// Bytes of a share in one message: with what stands ahead of them they are as long as a segment.
std::uint64_t piece_bytes(std::uint64_t segment_bytes, const GatheredShares& shares, std::uint64_t head_bytes) {
  std::uint64_t longest = 0;
  for (Rank rank = 0; rank < shares.size(); ++rank) longest = std::max(longest, shares.bytes(rank));
  const std::uint64_t segment = usable_segment(segment_bytes, longest + head_bytes);
  return std::max(segment, 2 * head_bytes) - head_bytes;
}

}  // namespace

Neighbourhood neighbourhood_of(const Tree& tree, Rank rank, std::span<const int> members) {
  Neighbourhood around{.peers = {}, .side = std::vector<std::uint32_t>(tree.size(), 0)};
  const std::vector<Rank>& children = tree.children[rank];
  for (const Rank child : children) around.peers.push_back(members[child]);
  if (rank != tree.root) {
    std::ranges::fill(around.side, static_cast<std::uint32_t>(children.size()));
    around.peers.push_back(members[tree.parent[rank]]);
  }
  around.side[rank] = Neighbourhood::none;
  std::vector<Rank> below;
  for (std::uint32_t i = 0; i < children.size(); ++i) {
    below.assign(1, children[i]);
    while (!below.empty()) {
      const Rank one = below.back();
      below.pop_back();
      around.side[one] = i;
      below.insert(below.end(), tree.children[one].begin(), tree.children[one].end());
    }
  }
  return around;
}

TreeGathering::TreeGathering(Transport& transport, const Neighbourhood& around, const GatheredShares& shares, Rank own,
                             std::uint64_t segment_bytes, const InFlight& in_flight)
    : Execution(transport),
      around_(around),
      shares_(shares),
      piece_bytes_(piece_bytes(segment_bytes, shares, sizeof(Piece))),
      message_bytes_(piece_bytes_ + sizeof(Piece)),
      first_piece_{0} {
  const auto ranks = static_cast<Rank>(shares.size());
  first_piece_.reserve(ranks + 1);
  for (Rank rank = 0; rank < ranks; ++rank) first_piece_.push_back(first_piece_.back() + pieces_of_share(rank));
  for (const int peer : around.peers) {
    const bool is_far = std::ranges::binary_search(in_flight.far, peer);
    hops_.push_back(
        {.peer = peer, .window = window_of(message_bytes_, is_far ? in_flight.bytes : in_flight.near_bytes)});
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (rank != own) hops_[around.side[rank]].awaited += pieces_of_share(rank);
  }
  for (Hop& hop : hops_) {
    hop.to_send_in_all = first_piece_.back() - hop.awaited;
    hop.to_send.reserve(hop.to_send_in_all);
    for (std::uint32_t number = 0; number < pieces_of_share(own); ++number) hop.to_send.push_back({own, number});
    const std::uint64_t in = std::min(hop.window, hop.awaited);
    const std::uint64_t out = std::min(hop.window, hop.to_send_in_all);
    hop.receives.assign(in, Pending());
    hop.sends.assign(out, Pending());
    hop.incoming = std::make_unique_for_overwrite<std::byte[]>(in * message_bytes_);
    hop.outgoing = std::make_unique_for_overwrite<std::byte[]>(out * message_bytes_);
  }
}

std::uint64_t TreeGathering::pieces_of_share(Rank rank) const {
  return (shares_.bytes(rank) + piece_bytes_ - 1) / piece_bytes_;
}

std::uint64_t TreeGathering::bytes_of(const Piece& piece) const {
  return std::min(piece_bytes_, shares_.bytes(piece.rank) - piece.number * piece_bytes_);
}

bool TreeGathering::advance() {
  for (Hop& hop : hops_) post_receives(hop);
  bool moved = true;
  while (moved) {
    moved = false;
    for (Hop& hop : hops_) moved = send_one(hop) || moved;
  }
  return std::ranges::all_of(
      hops_, [](const Hop& hop) { return hop.received == hop.awaited && hop.sent == hop.to_send_in_all; });
}

/// Up to a window ahead of what has come: nothing else holds them up, so each hop goes on whatever others do.
void TreeGathering::post_receives(Hop& hop) {
  const std::uint64_t end = std::min(hop.awaited, hop.received + hop.receives.size());
  for (; hop.posted < end; ++hop.posted) {
    const std::uint64_t slot = hop.posted % hop.receives.size();
    transport().receive(hop.incoming.get() + slot * message_bytes_, static_cast<int>(message_bytes_), hop.peer, 0,
                        hop.receives[slot]);
  }
}

/// The next piece to a neighbour, if it is here and has a place. Returns whether it was sent, or need not be.
bool TreeGathering::send_one(Hop& hop) {
  if (hop.sent == hop.to_send.size()) return false;
  if (is_gone(hop.peer)) {
    ++hop.sent;
    return true;
  }
  const std::uint64_t slot = hop.sent % hop.sends.size();
  if (!hop.sends[slot].is_none()) return false;
  const Piece piece = hop.to_send[hop.sent];
  std::byte* const at = hop.outgoing.get() + slot * message_bytes_;
  std::memcpy(at, &piece, sizeof piece);
  const std::uint64_t bytes = bytes_of(piece);
  shares_.message(piece.rank)->read(piece.number * piece_bytes_, bytes, at + sizeof piece);
  happened(Event::Kind::handed_on, 0, hop.peer, number_of(piece));
  transport().send(at, static_cast<int>(sizeof piece + bytes), hop.peer, 0,
                   is_synchronous(hop.sent, hop.to_send_in_all, hop.sends.size()), hop.sends[slot]);
  ++hop.sent;
  return true;
}

/// The next message of each neighbour, and the sends whose places are needed.
void TreeGathering::await(std::vector<Pending*>& requests) {
  arriving_.clear();
  const auto add = [&](Pending& request, Hop* hop) {
    if (request.is_none()) return;
    requests.push_back(&request);
    arriving_.push_back(hop);
  };
  for (Hop& hop : hops_) {
    if (hop.received < hop.posted) add(hop.receives[hop.received % hop.receives.size()], &hop);
    if (hop.sent < hop.to_send.size()) add(hop.sends[hop.sent % hop.sends.size()], nullptr);
  }
}

void TreeGathering::take(std::size_t place, int bytes) {
  Hop* const hop = arriving_[place];
  if (hop == nullptr) return;
  std::byte* const at = hop->incoming.get() + hop->received % hop->receives.size() * message_bytes_;
  arrived(*hop, {at, static_cast<std::size_t>(bytes)});
  ++hop->received;
}

/// Puts it where it belongs, from where it goes on to all other neighbours. Throws MpiError, MPI_ERR_TRUNCATE where the
/// other rank has shares of other lengths.
void TreeGathering::arrived(Hop& from, std::span<std::byte> message) {
  Piece piece{};
  if (message.size() < sizeof piece) throw MpiError{MPI_ERR_TRUNCATE};
  std::memcpy(&piece, message.data(), sizeof piece);
  const bool is_there = piece.rank < shares_.size() && around_.side[piece.rank] < hops_.size() &&
                        &hops_[around_.side[piece.rank]] == &from && piece.number < pieces_of_share(piece.rank);
  if (!is_there || message.size() - sizeof piece != bytes_of(piece)) throw MpiError{MPI_ERR_TRUNCATE};
  happened(Event::Kind::arrived, 0, from.peer, number_of(piece));
  shares_.message(piece.rank)->write(piece.number * piece_bytes_, bytes_of(piece), message.data() + sizeof piece);
  for (Hop& hop : hops_) {
    if (&hop != &from) hop.to_send.push_back(piece);
  }
}

bool TreeGathering::is_receiving() const {
  return std::ranges::any_of(hops_, [](const Hop& hop) { return hop.received < hop.awaited; });
}

bool TreeGathering::needs(int rank) const {
  return std::ranges::any_of(hops_, [rank](const Hop& hop) { return hop.peer == rank && hop.received < hop.awaited; });
}

void TreeGathering::leave_out(int rank) {
  for (Hop& hop : hops_) {
    if (hop.peer == rank) hop.is_left_over = transport().let_go(hop.sends, false) || hop.is_left_over;
  }
}

std::vector<std::span<Pending>> TreeGathering::sends() {
  std::vector<std::span<Pending>> all;
  for (Hop& hop : hops_) all.emplace_back(hop.sends);
  return all;
}

/// After an error requests are left over: the library may still use their memory, so it is given up, not freed.
TreeGathering::~TreeGathering() {
  for (Hop& hop : hops_) {
    if (transport().let_go(hop.receives, true)) static_cast<void>(hop.incoming.release());
    if (transport().let_go(hop.sends, false) || hop.is_left_over) static_cast<void>(hop.outgoing.release());
  }
}

}  // namespace trunkline::runtime
