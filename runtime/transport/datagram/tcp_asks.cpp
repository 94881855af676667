// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/tcp_asks.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

namespace trunkline::runtime {
namespace {

constexpr auto most_silence = std::chrono::seconds(1);  ///< then the connection is given up

/// Whether a call that never waits may yet succeed.
bool is_under_way(int error) {
  return error == EAGAIN || error == EINPROGRESS || error == ENOTCONN || error == EALREADY || error == EINTR;
}

}  // namespace

void TcpAsks::connect_anew() {
  leaving_.clear();
  come_.clear();
  taken_ = 0;
  since_ = std::chrono::steady_clock::now();
  socket_ = Descriptor(socket(service_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!is_open()) return;
  sockets_.wake_by(socket_);
  if (connect(socket_.number(), service_.data(), service_.size()) != 0 && !is_under_way(errno)) {
    socket_ = Descriptor();
  }
}

void TcpAsks::ask(const PacketBytes& ask) {
  if (!is_open() || std::chrono::steady_clock::now() > since_ + most_silence) connect_anew();
  if (is_open() && leaving_.empty()) leaving_ = ask;  // else the one before has not left
  go_on_sending();
}

void TcpAsks::go_on_sending() {
  if (!is_open() || leaving_.empty()) return;
  const ssize_t sent = send(socket_.number(), leaving_.data(), leaving_.size(), MSG_NOSIGNAL);
  if (sent > 0) {
    leaving_.erase(leaving_.begin(), leaving_.begin() + sent);
  } else if (sent < 0 && !is_under_way(errno)) {
    socket_ = Descriptor();
  }
}

std::optional<std::span<const std::byte>> TcpAsks::receive() {
  if (!is_open()) return {};
  go_on_sending();
  come_.erase(come_.begin(), come_.begin() + static_cast<std::ptrdiff_t>(std::exchange(taken_, 0)));
  while (is_open()) {
    const std::optional<std::size_t> whole = packet_length(come_);
    if (whole && come_.size() >= *whole) {
      taken_ = *whole;
      since_ = std::chrono::steady_clock::now();
      return std::span<const std::byte>(come_).first(taken_);
    }
    std::array<std::byte, 4096> more{};
    const ssize_t got = recv(socket_.number(), more.data(), more.size(), 0);
    if (got > 0) {
      come_.insert(come_.end(), more.begin(), more.begin() + got);
    } else if (got < 0 && is_under_way(errno)) {
      return {};
    } else {
      socket_ = Descriptor();
    }
  }
  return {};
}

}  // namespace trunkline::runtime
