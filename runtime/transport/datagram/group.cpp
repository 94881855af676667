// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/group.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "reserve.hpp"
#include "transport/redundancy.hpp"

namespace trunkline::runtime {
namespace {

/// Of calls to come, for each group: more are lost, and sent again when their call asks for them.
constexpr std::size_t most_early = 128;

PacketHead packet_head(const Datagram& datagram, std::size_t sender, std::uint64_t turn, std::uint32_t claim) {
  return {.kind = static_cast<PacketKind>(datagram.kind),
          .sender = static_cast<std::uint32_t>(sender),
          .claim = claim,
          .turn = turn,
          .number = datagram.number,
          .poll = datagram.poll};
}

/// Datagrams may get lost; after so many asks of a rank without any answer, or so many of any rank while none has come
/// from anybody, it is taken that they do not arrive.
constexpr unsigned asks_by_datagram = 3;
constexpr unsigned asks_of_any_by_datagram = 16;

/// Soon, since a call in which somebody is deaf takes long; then seldom, so that it costs nothing.
constexpr std::uint64_t first_tell = 8;
/// What gets lost should be known before that.
constexpr std::uint64_t first_meeting = 4;
constexpr std::uint64_t most_between_tells = 64;
/// A share of packets, as ranks tell each other.
constexpr double loss_steps = 10000.0;
constexpr std::int64_t nobody = -1;
bool is_time_to_tell(std::uint64_t calls) {
  return calls >= first_tell && (std::has_single_bit(calls) || calls % most_between_tells == 0);
}

/// Of so many calls of others. Where datagrams get lost a rank may by chance hear nothing of some; not of many in a
/// row.
bool is_deaf(std::uint64_t unheard, std::uint64_t calls) {
  constexpr std::uint64_t few = first_tell / 2;
  constexpr std::uint64_t many = most_between_tells / 2;
  return calls >= few && (unheard == calls || (calls >= many && 2 * unheard >= calls));
}

std::uint32_t folded(std::uint64_t claim) { return static_cast<std::uint32_t>(claim ^ claim >> 32U); }

}  // namespace

/// Nobody asks one that was never open.
DatagramGroup::~DatagramGroup() {
  if (left_behind_ != nullptr) left_behind_->freed(number_, tally_.calls == 0 ? nullptr : std::move(repairs_));
}

DatagramGroup::Heard DatagramGroup::hears(MPI_Comm communicator, const std::function<int()>& before_they_meet) {
  const std::uint64_t calls = tally_.calls++;
  const std::uint64_t since = calls - met_at_;
  // As many eager messages as any buffer holds. Only calls are counted: ranks that disagree about one still meet.
  const std::uint32_t spare =
      eager_spare_packets(eager_packets_, loss_.agreed(), static_cast<int>(world_ranks_.size()));
  const bool is_full =
      repairs_ != nullptr && (calls == first_meeting || (since + 1) * (eager_packets_ + spare) > burst_);
  const bool tells = is_time_to_tell(calls);
  if (!tells && !is_full) return {};
  if (may_overlap()) {
    if (const int code = before_they_meet(); code != MPI_SUCCESS) return {.code = code};
  }
  met_at_ = calls;
  const Words own = words(calls);
  Words all{};
  const int code = PMPI_Allreduce(own.data(), all.data(), words_of_meeting, MPI_INT64_T, MPI_MAX, communicator);
  if (code != MPI_SUCCESS) return {.code = code};
  have_met(calls, all);
  return {.have_met = true};
}

/// Whatever was agreed on of losses: ranks may not know it yet.
std::optional<std::uint64_t> DatagramGroup::start_call() noexcept {
  const std::uint64_t call = tally_.calls++;
  started_before_ = tally_.calls;
  const bool may_be_full =
      repairs_ != nullptr && (call == first_meeting || 2 * (tally_.calls - met_at_) * eager_packets_ > burst_);
  if (!may_be_full && !is_time_to_tell(call)) return {};
  met_at_ = call;
  return call;
}

/// The least is the greatest complement.
DatagramGroup::Words DatagramGroup::words(std::uint64_t call) const {
  const bool deaf = is_time_to_tell(call) && is_deaf(unheard_calls_, call - told_at_ - own_calls_);
  return {deaf ? static_cast<std::int64_t>(rank_) : nobody, ~left_behind_->freed_before(),
          std::lround(loss_.own() * loss_steps)};
}

void DatagramGroup::have_met(std::uint64_t call, const Words& greatest) {
  const auto& [deaf_rank, not_freed_before, lost] = greatest;
  left_behind_->forget_before(~not_freed_before);
  loss_.agree(static_cast<double>(lost) / loss_steps);
  if (is_time_to_tell(call)) {
    told_at_ = call;
    unheard_calls_ = own_calls_ = 0;
  }
  if (repairs_ != nullptr) repairs_->forget();
  if (deaf_rank != nobody) deaf_rank_ = static_cast<int>(deaf_rank);
}

DatagramCall* DatagramGroup::under_way(std::uint64_t turn) const {
  const auto found = std::ranges::find(calls_, turn, [](const DatagramCall* call) { return call->turn_; });
  return found != calls_.end() ? *found : nullptr;
}

/// Early ones of calls that have gone by, or failed, are not wanted any more.
DatagramCall::DatagramCall(DatagramGroup& group, std::uint64_t turn, std::uint64_t claim)
    : group_(group), turn_(turn), claim_(folded(claim)) {
  with_reserve([&] { group_.calls_.push_back(this); });
  group_.begun_before_ = std::max(group_.begun_before_, turn + 1);
  std::erase_if(group_.early_,
                [&](const auto& early) { return early.turn < turn && group_.under_way(early.turn) == nullptr; });
}

DatagramCall::~DatagramCall() {
  std::erase(group_.calls_, this);
  std::erase_if(group_.early_, [this](const auto& early) { return early.turn == turn_; });
}

void DatagramCall::send(const Address& to, const Datagram& datagram) {
  group_.sockets_->send(to, packet_head(datagram, group_.rank_, turn_, claim_), datagram.payload, group_.sealer_);
}

std::size_t DatagramCall::place_of(int rank) const {
  return static_cast<std::size_t>(std::ranges::find(group_.world_ranks_, rank) - group_.world_ranks_.begin());
}

void DatagramCall::to_one(int rank, const Datagram& datagram) { send(group_.members_[place_of(rank)], datagram); }

void DatagramCall::to_all(const Datagram& datagram) {
  if (!std::exchange(is_own_, true)) ++group_.own_calls_;
  if (datagram.kind == Datagram::Kind::data) {
    if (datagram.number < end_) is_repaired();
    end_ = std::max(end_, datagram.number + 1);
  }
  send(group_.group_, datagram);
}

bool DatagramCall::is_eager(std::uint32_t packets) const noexcept {
  return group_.repairs_ != nullptr && packets <= group_.eager_packets_;
}

void DatagramCall::keep(std::uint32_t first, std::span<const std::byte> packets) {
  group_.repairs_->keep(turn_, claim_, group_.payload_bytes_, packets, first);
}

void DatagramCall::forget_before(std::uint32_t first) { group_.repairs_->forget_of(turn_, first); }

void DatagramCall::ask(int sender, std::uint32_t first, std::uint64_t packets) {
  if (group_.repairs_ == nullptr) return;
  has_asked_ = true;
  const std::size_t place = place_of(sender);
  const PacketHead head{.kind = PacketKind::ask,
                        .sender = static_cast<std::uint32_t>(group_.rank_),
                        .claim = claim_,
                        .turn = turn_,
                        .number = first};
  const auto payload = std::as_bytes(std::span(&packets, 1));
  group_.sockets_->send(group_.services_[place], head, payload, group_.sealer_);
  group_.sockets_->flush();
  Asked& asked = asked_[place];
  ++asked.unanswered;
  ++unheard_;
  if (asked.unanswered <= asks_by_datagram && unheard_ <= asks_of_any_by_datagram) return;
  if (!asked.tcp) asked.tcp = std::make_unique<TcpAsks>(*group_.sockets_, group_.services_[place]);
  asked.tcp->ask(sealed_packet(head, payload, group_.sealer_));
}

/// Counted by calls alone, so that ranks that disagree about one still meet.
void DatagramCall::is_meeting() noexcept {
  is_own_ = true;  // it hears the others, although it sends
  if (!group_.may_overlap()) group_.met_at_ = group_.tally_.calls - 1;
}

void DatagramCall::all_have_come() noexcept {
  if (group_.repairs_ != nullptr && !group_.may_overlap()) group_.repairs_->forget_before(turn_);
}

bool DatagramCall::is_ahead(int rank) const noexcept {
  return !group_.may_overlap() && group_.turns_[place_of(rank)] > turn_;
}

bool DatagramCall::comes_over_network(int rank) const noexcept {
  return group_.is_one_host_ || group_.members_[place_of(rank)].ip() != group_.members_[group_.rank_].ip();
}

/// One of this call.
std::optional<Datagram> DatagramCall::judged(const ReadPacket& packet) {
  const PacketHead& head = packet.head;
  const bool is_known = is_of_call(head.kind) || head.kind == PacketKind::not_yet;
  if (!is_known || head.sender >= group_.world_ranks_.size() || head.sender == group_.rank_) {
    return {};
  }
  if (const auto asked = asked_.find(head.sender); asked != asked_.end()) asked->second.unanswered = 0;
  if (head.claim != claim_) throw MpiError{MPI_ERR_TRUNCATE};
  if (has_asked_ && head.kind == PacketKind::data && head.poll != 0) is_repaired();
  return Datagram{.kind = static_cast<Datagram::Kind>(head.kind),
                  .from = group_.world_ranks_[head.sender],
                  .number = head.number,
                  .poll = head.poll,
                  .payload = packet.payload};
}

/// Of a call to come, or of another one under way. Late answers to what was asked when the group was opened are of no
/// call.
void DatagramCall::keep_early(const PacketHead& head, std::span<const std::byte> bytes) {
  const bool is_under_way = group_.under_way(head.turn) != nullptr;
  const bool is_wanted = is_of_call(head.kind) || (is_under_way && head.kind == PacketKind::not_yet);
  if (!is_wanted || head.sender >= group_.turns_.size() || head.sender == group_.rank_) return;
  if (!is_under_way && head.turn < group_.begun_before_) return;  // it is over here
  group_.turns_[head.sender] = std::max(group_.turns_[head.sender], head.turn);
  if (group_.early_.size() >= most_early + group_.calls_.size() * group_.burst_) {
    ++group_.tally_.early;
    return;
  }
  group_.early_.push_back({.turn = head.turn, .bytes = {bytes.begin(), bytes.end()}});
}

std::optional<Datagram> DatagramCall::next() {
  while (true) {
    const auto waiting = std::ranges::find(group_.early_, turn_, &DatagramGroup::Early::turn);
    if (waiting == group_.early_.end()) break;
    kept_ = std::move(waiting->bytes);
    group_.early_.erase(waiting);
    unheard_ = 0;
    if (const auto packet = read_packet(kept_, group_.sealer_)) {
      if (const auto datagram = judged(*packet)) return datagram;
    }
  }
  while (const auto bytes = group_.sockets_->receive()) {
    const auto packet = read_packet(*bytes, group_.sealer_);
    if (!packet) {
      ++group_.tally_.strange;
    } else if (packet->head.turn == turn_) {
      unheard_ = 0;
      if (const auto datagram = judged(*packet)) return datagram;
    } else if (packet->head.turn > turn_ || group_.under_way(packet->head.turn) != nullptr) {
      keep_early(packet->head, *bytes);
    }
  }
  for (const auto& [place, asked] : asked_) {
    while (const auto bytes = asked.tcp ? asked.tcp->receive() : std::nullopt) {
      const auto packet = read_packet(*bytes, group_.sealer_);
      if (!packet || packet->head.turn != turn_) continue;
      if (const auto datagram = judged(*packet)) return datagram;
    }
  }
  return {};
}

void DatagramCall::are_not_heard() noexcept {
  if (std::exchange(is_heard_, false)) ++group_.unheard_calls_;
  is_repaired();
}

void DatagramCall::is_repaired() noexcept {
  if (!std::exchange(is_repaired_, true)) ++group_.tally_.repaired;
}

}  // namespace trunkline::runtime
