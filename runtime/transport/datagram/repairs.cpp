// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/repairs.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "transport/datagram/repair_thread.hpp"

namespace trunkline::runtime {
namespace {

/// Who have not asked yet, and may be strangers.
constexpr std::ptrdiff_t spare_askers = 16;
constexpr int port_trials = 16;
constexpr int asks_together = 64;

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
      kept_(sealer, rank) {}

Repairs::~Repairs() {
  const std::scoped_lock lock(thread_->lock());
  thread_->forget(*this);
}

bool Repairs::listens() {
  const std::scoped_lock lock(thread_->lock());
  return thread_->watch(listener_.number(), *this, RepairThread::Until::it_changes) &&
         thread_->watch(datagrams_.number(), *this);
}

void Repairs::answer_to(std::span<const Address> members) {
  const std::scoped_lock lock(thread_->lock());
  members_.assign(members.begin(), members.end());
}

void Repairs::keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes,
                   std::span<const std::byte> message, std::uint32_t first) {
  const std::scoped_lock lock(thread_->lock());
  kept_.keep(turn, claim, payload_bytes, message, first);
}

void Repairs::forget_before(std::uint64_t turn, std::uint32_t first) noexcept {
  const std::scoped_lock lock(thread_->lock());
  kept_.forget_before(turn, first);
}

void Repairs::forget() noexcept {
  const std::scoped_lock lock(thread_->lock());
  kept_.forget();
}

/// Without memory an ask is not answered; it comes again.
void Repairs::ready(int descriptor) try {
  if (descriptor == datagrams_.number()) return take_datagrams();
  if (descriptor == listener_.number()) return accept_askers();
  const auto asker = std::ranges::find(askers_, descriptor, [](const Asker& one) { return one.socket.number(); });
  if (asker == askers_.end() || go_on(*asker)) return;
  thread_->forget(descriptor);
  askers_.erase(asker);
} catch (const std::bad_alloc&) {
}

void Repairs::take_datagrams() {
  std::array<std::byte, ask_bytes + 1> bytes{};
  for (int turn = 0; turn < asks_together; ++turn) {  // its rank may wait for the lock
    const ssize_t come = recv(datagrams_.number(), bytes.data(), bytes.size(), 0);
    if (come < 0) {
      if (errno == EINTR) continue;
      return;
    }
    const auto ask = read_packet(std::span(bytes).first(static_cast<std::size_t>(come)), sealer_);
    if (!ask || ask->head.sender >= members_.size()) continue;
    for (const auto& [packet, is_for_all] : kept_.answers_in_rounds(*ask)) {
      const Address& to = is_for_all ? group_ : members_[ask->head.sender];
      static_cast<void>(
          sendto(datagrams_.number(), packet.data(), packet.size(), 0, to.data(), to.size()));  // may be lost
    }
  }
}

/// Strangers may connect; they do not keep members out. Who cannot be taken, for want of descriptors, comes again.
void Repairs::accept_askers() {
  while (true) {
    Descriptor socket(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.number() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    const bool is_crowded =
        std::ranges::count(askers_, false, &Asker::is_member) >= spare_askers || askers_.size() > members_.size();
    if (is_crowded) {
      const auto stranger = std::ranges::find(askers_, false, &Asker::is_member);
      const auto leaves = stranger != askers_.end() ? stranger : askers_.begin();
      thread_->forget(leaves->socket.number());
      askers_.erase(leaves);
    }
    askers_.push_back({.socket = std::move(socket)});
    if (!thread_->watch(askers_.back().socket.number(), *this)) askers_.pop_back();
  }
}

/// Whether there is more to do for it. It is read from only once its last answer has left: nobody fills this memory.
bool Repairs::go_on(Asker& asker) {
  while (true) {
    if (asker.gone < asker.answer.size()) {
      const ssize_t sent =
          send(asker.socket.number(), asker.answer.data() + asker.gone, asker.answer.size() - asker.gone, MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return false;
        thread_->watch_for_room(asker.socket.number(), true);
        return true;
      }
      asker.gone += static_cast<std::size_t>(sent);
      if (asker.gone == asker.answer.size()) thread_->watch_for_room(asker.socket.number(), false);
      continue;
    }
    const ssize_t come = recv(asker.socket.number(), asker.ask.data() + asker.come, ask_bytes - asker.come, 0);
    if (come < 0 && errno == EINTR) continue;
    if (come <= 0) return come < 0 && errno == EAGAIN;
    asker.come += static_cast<std::size_t>(come);
    if (asker.come == ask_bytes && !take_ask(asker)) return false;
  }
}

bool Repairs::take_ask(Asker& asker) {
  asker.come = 0;
  const auto ask = read_packet(asker.ask, sealer_);
  if (!ask || ask->head.sender >= members_.size()) return false;
  asker.is_member = true;
  asker.answer.clear();
  asker.gone = 0;
  for (const PacketBytes& packet : kept_.answers(*ask)) {
    asker.answer.insert(asker.answer.end(), packet.begin(), packet.end());
  }
  return true;
}

}  // namespace trunkline::runtime
