// SPDX-License-Identifier: Apache-2.0
#include "packet_port.hpp"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "frame.hpp"
#include "impair/damage.hpp"

namespace trunkline::fabric {

namespace {

constexpr FrameId no_frame = 0xFFFFFFFFU;
constexpr HostIndex no_host = 0xFFFFFFFFU;
constexpr std::size_t batch = 64;
constexpr std::size_t ethertype_at = 12;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

template <typename Value>
void set_option(int socket, int level, int option, Value value, const char* what) {
  if (setsockopt(socket, level, option, &value, sizeof value) != 0) {
    fail(what);
  }
}

tpacket2_hdr* header_of(std::uint8_t* slot) { return reinterpret_cast<tpacket2_hdr*>(slot); }

}  // namespace

PacketPort::PacketPort(const std::string& prefix, std::uint32_t hosts) : frame_in_slot_(slots, no_frame) {
  map_interfaces(prefix, hosts);
  socket_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) {
    fail("packet socket");
  }
  try {
    open_ring();
  } catch (...) {
    close(socket_);
    throw;
  }
}

PacketPort::~PacketPort() {
  munmap(ring_, slots * slot_bytes);
  close(socket_);
}

void PacketPort::map_interfaces(const std::string& prefix, std::uint32_t hosts) {
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::string name = prefix + std::to_string(host);
    const unsigned index = if_nametoindex(name.c_str());
    if (index == 0) {
      throw std::runtime_error("no interface " + name + " in this network namespace");
    }
    interface_of_host_.push_back(static_cast<int>(index));
    if (index >= host_of_interface_.size()) {
      host_of_interface_.resize(index + 1, no_host);
    }
    host_of_interface_[index] = host;
  }
}

void PacketPort::open_ring() {
  set_option(socket_, SOL_PACKET, PACKET_VERSION, static_cast<int>(TPACKET_V2), "packet socket: ring version");
  set_option(socket_, SOL_PACKET, PACKET_VNET_HDR, 1, "packet socket: offload headers");
  set_option(socket_, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1, "packet socket: ignore outgoing");
  set_option(socket_, SOL_PACKET, PACKET_QDISC_BYPASS, 1, "packet socket: queue bypass");
  tpacket_req request{};
  request.tp_frame_size = slot_bytes;
  request.tp_frame_nr = slots;
  request.tp_block_size = slot_bytes * slots_per_block;
  request.tp_block_nr = slots / slots_per_block;
  set_option(socket_, SOL_PACKET, PACKET_RX_RING, request, "packet socket: receive ring");
  const int send_buffer = 8 << 20;
  if (setsockopt(socket_, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof send_buffer) != 0) {
    set_option(socket_, SOL_SOCKET, SO_SNDBUF, send_buffer, "packet socket: send buffer");
  }
  void* mapped = mmap(nullptr, slots * slot_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, socket_, 0);
  if (mapped == MAP_FAILED) {
    fail("packet socket: mapping the ring");
  }
  ring_ = static_cast<std::uint8_t*>(mapped);
  sockaddr_ll everywhere{};
  everywhere.sll_family = AF_PACKET;
  everywhere.sll_protocol = htons(ETH_P_ALL);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&everywhere), sizeof everywhere) != 0) {
    const int why = errno;
    munmap(ring_, slots * slot_bytes);
    errno = why;
    fail("packet socket: bind");
  }
}

bool PacketPort::receive(Arrival& arrival) {
  for (;;) {
    std::uint8_t* const slot = ring_ + next_slot_ * slot_bytes;
    tpacket2_hdr* const header = header_of(slot);
    const std::uint32_t status = std::atomic_ref(header->tp_status).load(std::memory_order_acquire);
    if ((status & TP_STATUS_USER) == 0 || frame_in_slot_[next_slot_] != no_frame) {
      return false;
    }
    const std::size_t this_slot = next_slot_;
    next_slot_ = (next_slot_ + 1) % slots;
    // The kernel fills slots in turn and stops at one that is still in use: whoever stays long has to move.
    move_out((this_slot + slots / 2) % slots);

    sockaddr_ll from{};
    std::memcpy(&from, slot + TPACKET_ALIGN(sizeof *header), sizeof from);
    const auto index = static_cast<std::size_t>(from.sll_ifindex);
    const HostIndex host = index < host_of_interface_.size() ? host_of_interface_[index] : no_host;
    if (header->tp_snaplen < header->tp_len || host == no_host) {
      ++oversized_;
      give_back(this_slot);
      continue;
    }
    const FrameId id = take_id();
    Kept& kept = kept_[id];
    kept.data = slot + header->tp_mac - offload_header_bytes;
    kept.size = header->tp_snaplen + offload_header_bytes;
    kept.slot = this_slot;
    frame_in_slot_[this_slot] = id;
    arrival = {id, host, header->tp_sec * Nanoseconds{1000000000} + header->tp_nsec, {kept.data, kept.size}};
    return true;
  }
}

FrameId PacketPort::keep(std::span<const std::uint8_t> bytes) {
  const FrameId id = take_id();
  Kept& kept = kept_[id];
  kept.buffer.assign(bytes.begin(), bytes.end());
  kept.data = kept.buffer.data();
  kept.size = bytes.size();
  kept.slot = slots;
  return id;
}

FrameId PacketPort::take_id() {
  if (free_ids_.empty()) {
    kept_.emplace_back();
    return static_cast<FrameId>(kept_.size() - 1);
  }
  const FrameId id = free_ids_.back();
  free_ids_.pop_back();
  return id;
}

void PacketPort::give_back(std::size_t slot) {
  frame_in_slot_[slot] = no_frame;
  std::atomic_ref(header_of(ring_ + slot * slot_bytes)->tp_status).store(TP_STATUS_KERNEL, std::memory_order_release);
}

void PacketPort::move_out(std::size_t slot) {
  const FrameId id = frame_in_slot_[slot];
  if (id == no_frame) {
    return;
  }
  Kept& kept = kept_[id];
  kept.buffer.assign(kept.data, kept.data + kept.size);
  kept.data = kept.buffer.data();
  kept.slot = slots;
  give_back(slot);
}

void PacketPort::release(FrameId frame) {
  if (kept_[frame].slot != slots) {
    give_back(kept_[frame].slot);
  }
  free_ids_.push_back(frame);
}

std::span<const std::uint8_t> PacketPort::as_it_arrives(const Delivery& delivery) {
  const Kept& kept = kept_[delivery.frame];
  if (delivery.damage == 0) return {kept.data, kept.size};
  std::vector<std::uint8_t>& copy = damaged_.emplace_back(kept.data, kept.data + kept.size);
  inflict(delivery.damage, copy);
  return copy;
}

std::size_t PacketPort::send(std::span<const Delivery> deliveries) {
  std::array<mmsghdr, batch> messages{};
  std::array<iovec, batch> vectors{};
  std::array<sockaddr_ll, batch> addresses{};
  std::size_t failed = 0;
  while (!deliveries.empty()) {
    const std::size_t count = std::min(batch, deliveries.size());
    damaged_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const std::uint8_t> bytes = as_it_arrives(deliveries[i]);
      vectors[i] = {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
      addresses[i].sll_family = AF_PACKET;
      addresses[i].sll_ifindex = interface_of_host_[deliveries[i].host];
      std::memcpy(&addresses[i].sll_protocol, bytes.data() + offload_header_bytes + ethertype_at, 2);
      messages[i].msg_hdr = {&addresses[i], sizeof addresses[i], &vectors[i], 1, nullptr, 0, 0};
    }
    for (std::size_t sent = 0; sent < count;) {
      const int now = sendmmsg(socket_, &messages[sent], static_cast<unsigned>(count - sent), MSG_DONTWAIT);
      if (now > 0) {
        sent += static_cast<std::size_t>(now);
      } else if (errno != EINTR) {
        ++failed;  // this one cannot be passed on; those behind it can
        ++sent;
      }
    }
    deliveries = deliveries.subspan(count);
  }
  return failed;
}

std::uint64_t PacketPort::take_overruns() {
  tpacket_stats statistics{};
  socklen_t size = sizeof statistics;
  if (getsockopt(socket_, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) != 0) {
    fail("packet socket: statistics");
  }
  return statistics.tp_drops;
}

}  // namespace trunkline::fabric
