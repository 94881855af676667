// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/repairs.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <new>

#include "transport/datagram/repair_thread.hpp"

namespace trunkline::runtime {
namespace {

constexpr int port_trials = 16;
constexpr int datagrams_together = 64;

Descriptor bound(const Address& address, int type) {
  Descriptor made(socket(address.family(), type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.number() < 0 || bind(made.number(), address.data(), address.size()) != 0) {
    return Descriptor();
  }
  return made;
}

}  // namespace

std::unique_ptr<Repairs> Repairs::open(const Address& own, const Address& group, bool shares_host, const Sealer& sealer,
                                       std::uint32_t rank) {
  std::shared_ptr<RepairThread> thread = RepairThread::get();
  for (int trial = 0; thread != nullptr && trial < port_trials; ++trial) {
    Descriptor listener = bound(own, SOCK_STREAM);
    if (listener.number() < 0 || listen(listener.number(), SOMAXCONN) != 0) return nullptr;
    const Address at = Address::of(listener.number());
    if (at.port() == 0) return nullptr;
    Descriptor datagrams = bound(at, SOCK_DGRAM);  // the same number may be taken there
    if (datagrams.number() < 0) continue;
    if (!sends_from(datagrams, own, group, shares_host)) return nullptr;
    take_only_marked(datagrams, sealer);
    std::unique_ptr<Repairs> made(
        new Repairs(std::move(thread), std::move(listener), std::move(datagrams), at.port(), sealer, rank));
    made->group_ = group;
    return made->listens() ? std::move(made) : nullptr;
  }
  return nullptr;
}

Repairs::Repairs(std::shared_ptr<RepairThread> thread, Descriptor listener, Descriptor datagrams, std::uint16_t port,
                 const Sealer& sealer, std::uint32_t rank)
    : thread_(std::move(thread)),
      listener_(std::move(listener)),
      datagrams_(std::move(datagrams)),
      port_(port),
      sealer_(sealer),
      kept_(sealer, rank),
      askers_(thread_.get(), *this, [this](std::span<const std::byte> ask) { return answer_over_tcp(ask); }) {}

Repairs::~Repairs() {
  const auto lock = thread_->enter();
  thread_->forget(*this);
}

bool Repairs::listens() {
  const auto lock = thread_->enter();
  return thread_->watch(listener_.number(), *this, RepairThread::Until::it_changes) &&
         thread_->watch(datagrams_.number(), *this);
}

void Repairs::answer_to(std::span<const Address> members) {
  const std::scoped_lock lock(over_kept_);
  members_.assign(members.begin(), members.end());
}

void Repairs::keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes,
                   std::span<const std::byte> message, std::uint32_t first) {
  const std::scoped_lock lock(over_kept_);
  kept_.keep(turn, claim, payload_bytes, message, first);
}

void Repairs::forget_before(std::uint64_t turn) noexcept {
  const std::scoped_lock lock(over_kept_);
  kept_.forget_before(turn);
}

void Repairs::forget_of(std::uint64_t turn, std::uint32_t before) noexcept {
  const std::scoped_lock lock(over_kept_);
  kept_.forget_of(turn, before);
}

void Repairs::forget() noexcept {
  const std::scoped_lock lock(over_kept_);
  kept_.forget();
}

/// Without memory an ask is not answered; it comes again.
void Repairs::ready(int descriptor) try {
  if (descriptor == datagrams_.number()) return take_datagrams();
  if (descriptor == listener_.number()) return take_askers();
  askers_.go_on(descriptor);
} catch (const std::bad_alloc&) {
  lacks_descriptors_ = true;  // or memory: who waits at the listener may not be told of again
  thread_->look_in_soon();
}

void Repairs::take_datagrams() {
  std::array<std::byte, ask_bytes + 1> bytes{};
  for (int turn = 0; turn < datagrams_together; ++turn) {
    const ssize_t come = recv(datagrams_.number(), bytes.data(), bytes.size(), 0);
    if (come < 0) {
      if (errno == EINTR) continue;
      return;
    }
    const auto ask = read_packet(std::span(bytes).first(static_cast<std::size_t>(come)), sealer_);
    if (!ask) continue;
    Address asker;
    std::vector<KeptMessages::Answer> answers;
    {
      const std::scoped_lock lock(over_kept_);
      if (ask->head.sender >= members_.size()) continue;
      asker = members_[ask->head.sender];
      answers = kept_.answers_in_rounds(*ask);
    }
    for (const auto& [packet, is_for_all] : answers) {
      const Address& to = is_for_all ? group_ : asker;
      static_cast<void>(
          sendto(datagrams_.number(), packet.data(), packet.size(), 0, to.data(), to.size()));  // may be lost
    }
  }
}

/// Who does not come in now, comes in at the next turn, or later where there are no descriptors.
void Repairs::take_askers() {
  const Askers::Waiting waiting = askers_.take_from(listener_.number());
  lacks_descriptors_ = waiting == Askers::Waiting::without_descriptors;
  if (waiting == Askers::Waiting::more) thread_->watch_again(listener_.number());
  if (lacks_descriptors_ || askers_.has_strangers()) thread_->look_in_soon();
}

void Repairs::look_in(Askers::Clock::time_point now) {
  askers_.end_late(now);
  if (lacks_descriptors_) thread_->watch_again(listener_.number());
  if (lacks_descriptors_ || askers_.has_strangers()) thread_->look_in_soon();
}

std::optional<PacketBytes> Repairs::answer_over_tcp(std::span<const std::byte> bytes) {
  const auto ask = read_packet(bytes, sealer_);
  if (!ask) return {};
  const std::scoped_lock lock(over_kept_);
  if (ask->head.sender >= members_.size()) return {};
  PacketBytes all;
  for (const PacketBytes& packet : kept_.answers(*ask)) all.insert(all.end(), packet.begin(), packet.end());
  return all;
}

}  // namespace trunkline::runtime
