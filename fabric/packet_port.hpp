// SPDX-License-Identifier: Apache-2.0
// The hosts' wires: one packet socket joined to every interface of its network namespace. Frames come in through a ring
// shared with the kernel (copied there in the sender's own time, stamped on arrival) and stay there until they are
// passed on; they go out many to a system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transit.hpp"

namespace trunkline::fabric {

class PacketPort {
 public:
  /// Largest frame, headers and super-frames included; the hosts' interfaces must be told (gso_max_size).
  static constexpr std::size_t largest_frame_bytes = 16000;

  /// Interface `prefix`I of the caller's network namespace is host I's wire.
  /// Throws std::system_error, or std::runtime_error naming an interface that is not there.
  PacketPort(const std::string& prefix, std::uint32_t hosts);
  ~PacketPort();
  PacketPort(const PacketPort&) = delete;
  PacketPort& operator=(const PacketPort&) = delete;

  struct Arrival {
    FrameId frame = 0;
    HostIndex from = 0;
    Nanoseconds at = 0;  ///< CLOCK_REALTIME
    std::span<const std::uint8_t> bytes{};
  };

  /// Next frame that has come in, if any. The frame is kept until release().
  bool receive(Arrival& arrival);

  /// Keeps a frame of the network's own, offload header first, as one that has come in.
  FrameId keep(std::span<const std::uint8_t> bytes);
  void release(FrameId frame);

  /// Passes frames on to hosts, in order. Returns how many could not be.
  std::size_t send(std::span<const Delivery> deliveries);

  /// To be called before waiting on descriptor(): the kernel calls a ring readable as long as its newest frame is kept
  /// there, so that one is moved out.
  void prepare_to_wait() { move_out((next_slot_ + slots - 1) % slots); }
  [[nodiscard]] int descriptor() const { return socket_; }

  /// Frames that the kernel threw away because the ring was full, since the last call.
  [[nodiscard]] std::uint64_t take_overruns();

  /// Frames larger than a slot, or from an interface that is no host's, since the last call.
  [[nodiscard]] std::uint64_t take_oversized() { return std::exchange(oversized_, 0); }

 private:
  static constexpr std::size_t slot_bytes = 1U << 14U;
  static constexpr std::size_t slots_per_block = 16;
  static constexpr std::size_t slots = 2048;

  struct Kept {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;
    std::size_t slot = 0;  ///< slots where the bytes are in a buffer of our own
    std::vector<std::uint8_t> buffer{};
  };

  void open_ring();
  void map_interfaces(const std::string& prefix, std::uint32_t hosts);
  std::span<const std::uint8_t> as_it_arrives(const Delivery& delivery);
  void give_back(std::size_t slot);
  void move_out(std::size_t slot);
  FrameId take_id();

  int socket_ = -1;
  std::uint8_t* ring_ = nullptr;
  std::size_t next_slot_ = 0;
  std::vector<FrameId> frame_in_slot_;
  std::vector<Kept> kept_;
  std::vector<FrameId> free_ids_;
  std::vector<HostIndex> host_of_interface_;
  std::vector<int> interface_of_host_;
  std::uint64_t oversized_ = 0;
  std::vector<std::vector<std::uint8_t>> damaged_;  ///< copies, until they are sent
};

}  // namespace trunkline::fabric
