// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/probing.hpp"

#include <algorithm>

namespace trunkline::runtime {
namespace {

constexpr double most_probing_s = 0.250;
constexpr double between_probes_s = 0.005;
constexpr unsigned answer_copies = 3;

}  // namespace

Probing::Probing(const Ground& on) : on_(on), heard_(on.ranks), missing_(on.rank == 0 ? on.ranks - 1 : 1) {
  heard_[on.rank] = true;
}

void Probing::round() {
  const double end = on_.sockets.now() + most_probing_s;
  if (on_.rank == 0) {
    ask_all(end);
  } else {
    answer_first(end);
  }
}

/// The first rank: until none is missing, or that time. Some ranks answer at a time, as many as its buffer holds of;
/// others are asked once those have answered, or have had time to.
void Probing::ask_all(double end) {
  const std::size_t at_once = std::max(on_.burst / answer_copies, 1U);
  std::size_t from = on_.ranks;  // before the first
  std::size_t awaited = 0;
  double next = 0.0;
  for (double now = on_.sockets.now(); missing_ > 0 && now < end; now = on_.sockets.now()) {
    if (awaited == 0 || now >= next) {
      from = next_unheard(from + at_once);
      const auto asked = heard_.begin() + static_cast<std::ptrdiff_t>(from);
      const std::size_t count = std::min(at_once, on_.ranks - from);
      awaited = static_cast<std::size_t>(std::count(asked, asked + static_cast<std::ptrdiff_t>(count), false));
      probe_from(from, count);
      next = now + between_probes_s;
    }
    while (const auto bytes = on_.sockets.receive()) {
      const auto packet = read_packet(*bytes, on_.sealer);
      if (!packet || packet->head.kind != PacketKind::answer) continue;
      const std::size_t sender = packet->head.sender;
      if (sender >= on_.ranks || heard_[sender]) continue;
      heard_[sender] = true;
      --missing_;
      if (sender >= from && sender < from + at_once) --awaited;
    }
    if (awaited > 0) rest();
  }
  for (unsigned time = 0; is_right() && time < answer_copies; ++time) probe_from(on_.ranks, 0);
}

/// The first that has not answered from that rank on, round the end.
std::size_t Probing::next_unheard(std::size_t from) const {
  const auto begin = heard_.begin() + static_cast<std::ptrdiff_t>(from < on_.ranks ? from : 0);
  const auto found = std::find(begin, heard_.end(), false);
  return static_cast<std::size_t>((found != heard_.end() ? found : std::find(heard_.begin(), begin, false)) -
                                  heard_.begin());
}

/// The others: until all have answered, or that time.
void Probing::answer_first(double end) {
  for (bool all_have = false; !all_have && on_.sockets.now() < end;) {
    while (const auto bytes = on_.sockets.receive()) {
      const auto packet = read_packet(*bytes, on_.sealer);
      if (!packet || packet->head.kind != PacketKind::probe) continue;
      missing_ = 0;
      const std::uint32_t from = packet->head.number;
      all_have = from >= on_.ranks;
      if (on_.rank >= from && on_.rank - from < packet->head.poll) answer();
    }
    if (!all_have) rest();
  }
}

void Probing::answer() {
  const PacketHead head{.kind = PacketKind::answer, .sender = static_cast<std::uint32_t>(on_.rank)};
  for (unsigned time = 0; time < answer_copies; ++time) send(on_.first, head);
}

/// To the group: so many ranks from that one on are to answer.
void Probing::probe_from(std::size_t from, std::size_t ranks) {
  send(on_.group, {.kind = PacketKind::probe,
                   .sender = static_cast<std::uint32_t>(on_.rank),
                   .number = static_cast<std::uint32_t>(from),
                   .poll = static_cast<std::uint32_t>(ranks)});
}

void Probing::rest() {
  on_.go_on();
  on_.sockets.rest();
}

void Probing::send(const Address& to, const PacketHead& head) {
  on_.sockets.send(to, head, {}, on_.sealer);
  on_.sockets.flush();
}

}  // namespace trunkline::runtime
