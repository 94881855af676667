// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/words.hpp"

#include <algorithm>

namespace trunkline::runtime {
namespace {

/// All words are alike, and none of them has anything in it.
std::byte nothing;

}  // namespace

Words::Words(Transport& transport, const LocalBlocks& local, std::uint64_t blocks) : transport_(transport) {
  if (!local.has_words) return;
  for (std::uint64_t round = 0; round < local.schedule->rounds(blocks); ++round) {
    const auto received = local.schedule->receive(round, blocks);
    if (received && received->is_word()) received_.push_back({.peer = local.order[received->peer], .round = round});
    const auto sent = local.schedule->send(round, blocks);
    if (sent && sent->is_word()) to_send_.push_back({.peer = local.order[sent->peer], .needs = sent->needs});
  }
  sends_.resize(to_send_.size());
}

void Words::post_behind(std::size_t number) {
  for (const std::size_t end = std::min(number + most_posted, received_.size()); posted_ < end; ++posted_) {
    transport_.receive(&nothing, 0, received_[posted_].peer, stream, received_[posted_].pending);
  }
}

std::optional<int> Words::due(std::uint64_t before) const {
  if (sent_ == to_send_.size()) return {};
  const auto& [peer, needs] = to_send_[sent_];
  return needs == no_round || needs < before ? std::optional(peer) : std::nullopt;
}

void Words::send_next(bool is_left_out) {
  if (!is_left_out) transport_.send(&nothing, 0, to_send_[sent_].peer, stream, false, sends_[sent_]);
  ++sent_;
}

bool Words::has(std::uint64_t round) const {
  if (round == no_round) return true;
  return std::ranges::lower_bound(received_, round, {}, &Received::round)->has_come;
}

Pending& Words::awaited(std::uint64_t round) {
  return await(
      static_cast<std::size_t>(std::ranges::lower_bound(received_, round, {}, &Received::round) - received_.begin()));
}

Pending& Words::await(std::size_t number) {
  post_behind(number);
  last_awaited_ = number;
  return received_[number].pending;
}

Pending& Words::first_missing() { return await(missing_); }

void Words::came() {
  received_[last_awaited_].has_come = true;
  while (missing_ < received_.size() && received_[missing_].has_come) ++missing_;
  post_behind(missing_);
}

bool Words::are_missing() const { return missing_ < received_.size(); }

bool Words::needs(int rank) const {
  return std::ranges::any_of(received_, [rank](const Received& one) { return !one.has_come && one.peer == rank; });
}

void Words::add_peers(std::vector<int>& peers) const {
  for (const Received& one : received_) peers.push_back(one.peer);
  for (const Sent& one : to_send_) peers.push_back(one.peer);
}

void Words::leave_out(int rank) noexcept {
  for (std::size_t number = 0; number < sent_; ++number) {
    if (to_send_[number].peer == rank) static_cast<void>(transport_.let_go(std::span(&sends_[number], 1), false));
  }
}

void Words::let_go() noexcept {
  for (Received& one : received_) static_cast<void>(transport_.let_go(std::span(&one.pending, 1), true));
  static_cast<void>(transport_.let_go(sends_, false));
}

}  // namespace trunkline::runtime
