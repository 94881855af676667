// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/askers.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "transport/datagram/repair_thread.hpp"

namespace trunkline::runtime {
namespace {

// In one turn of the thread, which then looks at all others.
constexpr int taken_in_turn = 16;
constexpr int asks_in_turn = 16;

/// Whether the system lacks something that another connection has.
bool is_want(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

Askers::Waiting Askers::take_from(int listener) {
  for (int i = 0; i < taken_in_turn; ++i) {
    Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.number() < 0) {
      if (errno == EAGAIN) return Waiting::none;
      if (!is_want(errno)) continue;  // that one has gone
      if (strangers_.empty()) return Waiting::without_descriptors;
      drop_oldest();
      continue;
    }
    if (strangers_.size() >= most_strangers) drop_oldest();
    const int number = socket.number();
    strangers_.push_back({.socket = std::move(socket), .since = Clock::now()});
    if (!thread_->watch(number, owner_)) strangers_.pop_back();
  }
  return Waiting::more;
}

/// The stranger that is silent for longest goes. One whose ask has come meanwhile is none any more.
void Askers::drop_oldest() {
  const int number = strangers_.front().socket.number();
  serve(strangers_.begin(), strangers_);
  const bool is_there = !strangers_.empty() && strangers_.front().socket.number() == number;
  if (is_there) end(strangers_.begin(), strangers_);
}

void Askers::go_on(int descriptor) {
  for (std::list<Asker>* const among : {&members_, &strangers_}) {
    const auto asker = std::ranges::find(*among, descriptor, [](const Asker& one) { return one.socket.number(); });
    if (asker != among->end()) return serve(asker, *among);
  }
}

void Askers::serve(Place asker, std::list<Asker>& among) {
  if (!has_more_to_do(*asker)) return end(asker, among);
  if (!asker->has_asked) return;
  members_.splice(members_.end(), among, asker);
  if (members_.size() > most_members) end(members_.begin(), members_);
}

void Askers::end(Place asker, std::list<Asker>& among) {
  thread_->forget(asker->socket.number());
  among.erase(asker);
}

void Askers::end_late(Clock::time_point now) {
  while (!strangers_.empty() && now > strangers_.front().since + time_to_ask) drop_oldest();
}

/// False: its connection is over. It is read from only once its last answer has left, so this memory has a bound.
bool Askers::has_more_to_do(Asker& asker) {
  for (int asks = 0; asks < asks_in_turn;) {
    if (asker.gone < asker.answer.size()) {
      if (!send_rest(asker)) return false;
      if (asker.gone < asker.answer.size()) return true;
    }
    const ssize_t come = recv(asker.socket.number(), asker.ask.data() + asker.come, ask_bytes - asker.come, 0);
    if (come < 0 && errno == EINTR) continue;
    if (come <= 0) return come < 0 && errno == EAGAIN;
    asker.come += static_cast<std::size_t>(come);
    if (asker.come < ask_bytes) continue;
    if (!take_ask(asker)) return false;
    ++asks;
  }
  return true;
}

bool Askers::send_rest(Asker& asker) {
  while (asker.gone < asker.answer.size()) {
    const ssize_t sent =
        send(asker.socket.number(), asker.answer.data() + asker.gone, asker.answer.size() - asker.gone, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent < 0) {
      thread_->watch_for_room(asker.socket.number(), true);
      return true;
    }
    asker.gone += static_cast<std::size_t>(sent);
  }
  thread_->watch_for_room(asker.socket.number(), false);
  return true;
}

bool Askers::take_ask(Asker& asker) {
  asker.come = 0;
  std::optional<PacketBytes> answer = answering_(asker.ask);
  if (!answer) return false;
  asker.has_asked = true;
  asker.answer = std::move(*answer);
  asker.gone = 0;
  return true;
}

}  // namespace trunkline::runtime
