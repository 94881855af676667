// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/below.hpp"

#include <algorithm>
#include <utility>

namespace trunkline::runtime {
namespace {

constexpr std::uint32_t fetched_bytes = 65536;
constexpr int word_bytes = static_cast<int>(sizeof(Word));

}  // namespace

std::uint32_t end_of_fetch(const Packets& packets, std::uint32_t first) {
  const std::uint32_t most = std::max(fetched_bytes / packets.packet_bytes(), 1U);
  return std::min(packets.count(), first + most);
}

Below::Below(Transport& transport, std::span<const int> ranks)
    : transport_(transport), ranks_(ranks), children_(ranks.size()), answers_(ranks.size()) {}

/// A word of a child that is done by a datagram comes after the call. Others are left behind by an error; the library
/// may still write to a word, or read what it was to send.
Below::~Below() {
  for (Child& child : children_) {
    if (child.is_done && !child.receive.is_none()) {
      transport_.outlive(std::move(child.word), child.receive);
    } else {
      static_cast<void>(transport_.let_go(std::span(&child.receive, 1), true));
    }
  }
  static_cast<void>(transport_.let_go(answers_, false));
}

void Below::begin() {
  for (std::size_t child = 0; child < children_.size(); ++child) listen(child);
}

void Below::listen(std::size_t child) {
  transport_.receive(memory_of(*children_[child].word), word_bytes, ranks_[child], 0, children_[child].receive);
}

void Below::await(std::vector<Pending*>& requests) {
  awaited_.clear();
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (children_[i].receive.is_none() || children_[i].is_done) continue;
    awaited_.push_back(i);
    requests.push_back(&children_[i].receive);
  }
}

bool Below::take(std::size_t place, int bytes) {
  const std::size_t number = awaited_[place];
  Child& child = children_[number];
  if (bytes != word_bytes) throw MpiError{MPI_ERR_TRUNCATE};
  if (child.word->kind == Word::Kind::done) {
    child.is_done = true;
    return true;
  }
  child.is_asking = child.word->kind == Word::Kind::ask;
  if (!child.is_asking) child.fetches = child.word->first;
  listen(number);
  return false;
}

void Below::serve(const Packets& packets, bool has_heard) {
  for (std::size_t i = 0; i < children_.size(); ++i) {
    Child& child = children_[i];
    if (!child.is_asking && !child.fetches) continue;
    if (!transport_.test_all(std::span(answers_).subspan(i, 1), watchdog_)) continue;  // the answer before
    if (child.is_asking && has_heard) {
      child.is_asking = false;
      transport_.send(memory_of(heard_), word_bytes, ranks_[i], 0, false, answers_[i]);
    } else if (child.fetches && *child.fetches < packets.count()) {
      const std::uint32_t end = end_of_fetch(packets, *child.fetches);
      if (packets.base() < end) continue;
      const std::span<std::byte> data = packets.place(*child.fetches, end);
      child.fetches.reset();
      transport_.send(data.data(), static_cast<int>(data.size()), ranks_[i], 0, false, answers_[i]);
    }
  }
}

std::optional<std::size_t> Below::place_of(int rank) const {
  const auto place = std::ranges::find(ranks_, rank) - ranks_.begin();
  return place == std::ssize(ranks_) ? std::nullopt : std::optional(static_cast<std::size_t>(place));
}

void Below::reported(int rank, const Report& report) {
  const auto place = place_of(rank);
  if (!place) return;
  std::optional<Report>& known = children_[*place].report;
  if (known && report.poll < known->poll) return;
  if (!known || report.base > known->base) ++progress_;
  known = report;
}

bool Below::said_done(int rank) {
  const auto place = place_of(rank);
  if (!place || !transport_.outlives(rank)) return false;  // its word is here as soon, and must not be left behind
  const bool is_news = !std::exchange(children_[*place].is_done, true);
  if (is_news) ++progress_;
  return is_news;
}

std::optional<Report> Below::report(const Packets& packets) const {
  Report all = Report::of_done(packets.count(), packets.block_packets());
  for (const Child& child : children_) {
    if (child.is_done) continue;
    if (!child.report) return {};
    all = joined(all, *child.report);
  }
  return all;
}

bool Below::have_answered(std::uint32_t poll) const {
  return std::ranges::all_of(
      children_, [poll](const Child& child) { return child.is_done || (child.report && child.report->poll >= poll); });
}

bool Below::are_done() const { return std::ranges::all_of(children_, &Child::is_done); }

void Below::leave_out(int rank) {
  const auto place = place_of(rank);
  if (!place) return;
  const std::size_t number = *place;
  Child& child = children_[number];
  child.is_done = true;
  child.is_asking = false;  // a synchronous answer would wait for it
  child.fetches.reset();
  static_cast<void>(transport_.let_go(std::span(&child.receive, 1), true));
  static_cast<void>(transport_.let_go(std::span(answers_).subspan(number, 1), false));
}

}  // namespace trunkline::runtime
