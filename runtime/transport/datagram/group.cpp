// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/group.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

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

/// Soon, since a call in which somebody is deaf takes long; then seldom, so that it costs nothing.
bool is_time_to_tell(std::uint64_t calls) {
  constexpr std::uint64_t first = 4;
  constexpr std::uint64_t most_between = 64;
  return calls >= first && (std::has_single_bit(calls) || calls % most_between == 0);
}

std::uint32_t folded(std::uint64_t claim) { return static_cast<std::uint32_t>(claim ^ claim >> 32U); }

}  // namespace

DatagramGroup::Heard DatagramGroup::hears(MPI_Comm communicator) {
  const std::uint64_t calls = calls_++;
  if (!is_time_to_tell(calls)) return {};
  constexpr int nobody = -1;
  const bool is_deaf = 2 * unheard_calls_ >= calls - calls_then_;
  const int own = is_deaf ? static_cast<int>(rank_) : nobody;
  int deaf = nobody;
  const int code = PMPI_Allreduce(&own, &deaf, 1, MPI_INT, MPI_MAX, communicator);
  calls_then_ = calls;
  unheard_calls_ = 0;
  return {.code = code, .deaf_rank = deaf == nobody ? std::nullopt : std::optional(deaf)};
}

/// Early ones of calls that have gone by, or failed, are not wanted any more.
DatagramCall::DatagramCall(DatagramGroup& group, std::uint64_t turn, std::uint64_t claim)
    : group_(group), turn_(turn), claim_(folded(claim)) {
  std::erase_if(group_.early_, [&](const auto& early) { return early.turn < turn; });
}

void DatagramCall::send(const Address& to, const Datagram& datagram) {
  group_.sockets_->send(to, packet_head(datagram, group_.rank_, turn_, claim_), datagram.payload, group_.key_);
}

void DatagramCall::to_one(int rank, const Datagram& datagram) {
  const auto place = std::ranges::find(group_.world_ranks_, rank) - group_.world_ranks_.begin();
  send(group_.members_[static_cast<std::size_t>(place)], datagram);
}

/// One of this call.
std::optional<Datagram> DatagramCall::judged(const ReadPacket& packet) const {
  const PacketHead& head = packet.head;
  if (head.kind > PacketKind::report || head.sender >= group_.world_ranks_.size() || head.sender == group_.rank_) {
    return {};
  }
  if (head.claim != claim_) throw MpiError{MPI_ERR_TRUNCATE};
  return Datagram{.kind = static_cast<Datagram::Kind>(head.kind),
                  .from = group_.world_ranks_[head.sender],
                  .number = head.number,
                  .poll = head.poll,
                  .payload = packet.payload};
}

void DatagramCall::keep(std::uint64_t turn, std::span<const std::byte> bytes) {
  if (group_.early_.size() >= most_early) {
    ++group_.dropped_.early;
    return;
  }
  group_.early_.push_back({.turn = turn, .bytes = {bytes.begin(), bytes.end()}});
}

std::optional<Datagram> DatagramCall::next() {
  const auto waiting = std::ranges::find(group_.early_, turn_, &DatagramGroup::Early::turn);
  if (waiting != group_.early_.end()) {
    kept_ = std::move(waiting->bytes);
    group_.early_.erase(waiting);
    if (const auto packet = read_packet(kept_, group_.key_)) {
      if (const auto datagram = judged(*packet)) return datagram;
    }
  }
  while (const auto bytes = group_.sockets_->receive()) {
    const auto packet = read_packet(*bytes, group_.key_);
    if (!packet) {
      ++group_.dropped_.strange;
    } else if (packet->head.turn > turn_) {
      keep(packet->head.turn, *bytes);
    } else if (packet->head.turn == turn_) {
      if (const auto datagram = judged(*packet)) return datagram;
    }
  }
  return {};
}

void DatagramCall::are_not_heard() noexcept {
  if (std::exchange(is_heard_, false)) ++group_.unheard_calls_;
}

double DatagramCall::now() const noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace trunkline::runtime
