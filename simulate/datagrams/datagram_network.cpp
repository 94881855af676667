// SPDX-License-Identifier: Apache-2.0
#include "simulate/datagrams/datagram_network.hpp"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fabric/transit.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/file/cluster_file.hpp"
#include "simulate/network.hpp"

namespace trunkline::simulate {
namespace {

namespace s4u = simgrid::s4u;
using fabric::FrameId;
using fabric::Nanoseconds;
using simgrid::kernel::timer::Timer;
using Bytes = std::shared_ptr<const std::vector<std::byte>>;

constexpr double ns_per_second = 1e9;
/// Headers of IPv4 and UDP, and Ethernet's with preamble, check sequence and gap.
constexpr std::size_t wire_overhead_bytes = 28 + 38;
/// What the kernel takes of a buffer for a datagram, at worst (runtime/transport/datagram/group_opening.cpp).
constexpr std::size_t most_waiting = DatagramNetwork::buffer_bytes / 4608;
/// Executors have timers of their own, of milliseconds, that nobody here knows: they look that often.
constexpr double tick_s = 0.00025;

class WiredEndpoint;

/// SimGrid's network carries messages; this one datagrams. Of links they share the ports of hosts alone.
class WiredNetwork final : public DatagramNetwork {
 public:
  explicit WiredNetwork(Cluster cluster);

  [[nodiscard]] std::unique_ptr<Endpoint> open() override;
  [[nodiscard]] std::uint32_t own_address() const override { return first_address + own_host(); }
  [[nodiscard]] double now() const noexcept override { return s4u::Engine::get_clock(); }

  void join(Place group, WiredEndpoint& endpoint) { groups_[group][host_of(endpoint)].push_back(&endpoint); }
  void leave(WiredEndpoint& endpoint);
  void send(const WiredEndpoint& from, Place to, Bytes bytes, Way way, double at_s);

  /// Of ranks that wait for whatever comes.
  [[nodiscard]] std::unordered_set<WiredEndpoint*>& resting() noexcept { return resting_; }

 private:
  struct Frame {
    Place from;
    Place to;
    Bytes bytes;
    Way way = Way::udp;
  };
  /// That reaches its endpoint beside the wires.
  struct Direct {
    Nanoseconds at;
    std::uint64_t order;
    HostIndex host;
    Frame frame;
    bool operator<(const Direct& other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
  };

  [[nodiscard]] HostIndex own_host() const {
    const std::string& name = s4u::this_actor::get_host()->get_name();  // of its rank, where the host has several
    return host_by_name_.at(name.substr(0, name.find('#')));
  }
  [[nodiscard]] HostIndex host_of(const WiredEndpoint& endpoint) const;
  [[nodiscard]] bool is_group(Place place) const { return groups_.contains(place); }
  [[nodiscard]] Nanoseconds straight(HostIndex from, HostIndex to, double wire_bytes) const;
  void hand(HostIndex host, const Frame& frame);
  void run(Nanoseconds until);
  void arm();

  Cluster cluster_;
  fabric::Network network_;
  fabric::Transit transit_;
  std::map<std::string, HostIndex> host_by_name_;
  std::map<Place, std::map<HostIndex, std::vector<WiredEndpoint*>>> groups_;
  std::map<Place, WiredEndpoint*> endpoints_;
  std::vector<std::uint16_t> ports_;  ///< by host: the last one taken
  std::vector<Frame> frames_;         ///< by the number that the transit knows them by
  std::vector<FrameId> free_frames_;
  std::priority_queue<Direct> direct_;
  std::uint64_t order_ = 0;
  std::vector<fabric::Delivery> due_;
  std::unordered_set<WiredEndpoint*> resting_;
  Timer* timer_ = nullptr;
  Nanoseconds timer_at_ = fabric::Transit::never;
};

class WiredEndpoint final : public Endpoint {
 public:
  /// On the host of the rank that calls it.
  WiredEndpoint(WiredNetwork& network, Place place)
      : network_(network), place_(place), host_(*s4u::this_actor::get_host()) {}
  ~WiredEndpoint() override { network_.leave(*this); }

  [[nodiscard]] Place place() const noexcept override { return place_; }
  [[nodiscard]] const s4u::Host& host() const noexcept { return host_; }
  void join(Place group) override { network_.join(group, *this); }
  void answer_by(std::function<void(const Packet&)> answer) override { answer_ = std::move(answer); }

  void send(Place to, const Parts& parts, Way way) override {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    for (const auto& part : parts) bytes->insert(bytes->end(), part.begin(), part.end());
    const HostCosts& costs = host_costs();
    busy_until_ = std::max(network_.now(), busy_until_) + costs.datagram_send_s +
                  costs.datagram_send_byte_s * static_cast<double>(bytes->size());
    network_.send(*this, to, std::move(bytes), way, busy_until_);
    has_acted_ = true;
  }

  void finish_sending() override { pause_until(busy_until_); }

  [[nodiscard]] std::optional<std::span<const std::byte>> receive(Way way) override {
    std::deque<Come>& queue = way == Way::tcp ? come_over_tcp_ : come_;
    if (queue.empty()) return {};
    has_acted_ = true;
    const Come one = std::move(queue.front());
    queue.pop_front();
    if (way == Way::udp) --waiting_[one.by_group ? 1 : 0];
    taken_ = one.bytes;
    pause_until(network_.now() + receive_s(taken_->size()) + host_costs().datagram_rank_s * one.others);
    return *taken_;
  }

  void rest() override {
    if (std::exchange(has_acted_, false) || std::exchange(is_woken_, false)) return;
    is_resting_ = true;
    network_.resting().insert(this);
    timer_ = Timer::set(network_.now() + tick_s, [this] {
      timer_ = nullptr;
      wake();
    });
    woken_->acquire();
    if (timer_ != nullptr) std::exchange(timer_, nullptr)->remove();
  }

  /// Of the simulator, in the midst of no rank.
  void wake() {
    if (std::exchange(is_resting_, false)) {
      network_.resting().erase(this);
      woken_->release();
    } else {
      is_woken_ = true;
    }
  }

  /// What the buffer does not hold is lost. `others`: of the host that hear it too.
  void hand(const Bytes& bytes, Place from, bool by_group, Way way, double others = 0.0) {
    if (answer_) {
      busy_until_ = std::max(network_.now(), busy_until_) + receive_s(bytes->size());
      return answer_({.bytes = *bytes, .from = from, .way = way});
    }
    if (way == Way::tcp) {
      come_over_tcp_.push_back({.bytes = bytes});
    } else if (std::size_t& waiting = waiting_[by_group ? 1 : 0]; waiting < most_waiting) {
      ++waiting;
      come_.push_back({.bytes = bytes, .by_group = by_group, .others = others});
    }
    wake();
  }

 private:
  struct Come {
    Bytes bytes;
    bool by_group = false;
    double others = 0.0;
  };

  static double receive_s(std::size_t bytes) {
    const HostCosts& costs = host_costs();
    return costs.datagram_receive_s + costs.datagram_receive_byte_s * static_cast<double>(bytes);
  }

  /// Asleep by a timer: SimGrid's own sleep ends early by its precision, and these are many and short.
  void pause_until(double then_s) {
    if (then_s <= network_.now()) return;
    Timer::set(then_s, [this] { paused_->release(); });
    paused_->acquire();
  }

  WiredNetwork& network_;
  Place place_;
  const s4u::Host& host_;
  std::function<void(const Packet&)> answer_{};
  std::deque<Come> come_{};
  std::deque<Come> come_over_tcp_{};
  std::array<std::size_t, 2> waiting_{};  ///< alone, by the group
  Bytes taken_{};
  double busy_until_ = 0.0;
  bool has_acted_ = false;  ///< since it rested
  bool is_woken_ = false;   ///< since it last did
  bool is_resting_ = false;
  Timer* timer_ = nullptr;
  s4u::SemaphorePtr woken_ = s4u::Semaphore::create(0);
  s4u::SemaphorePtr paused_ = s4u::Semaphore::create(0);
};

WiredNetwork::WiredNetwork(Cluster cluster)
    : cluster_(std::move(cluster)), network_(cluster_, 0.0), transit_(network_, {}), ports_(cluster_.hosts().size()) {
  if (network_.snoops()) {
    std::fprintf(stderr, "trunkline-simulate: switches that snoop IGMP are not simulated: let them flood\n");
    std::exit(2);
  }
  for (HostIndex host = 0; host < cluster_.hosts().size(); ++host) {
    host_by_name_.emplace(cluster_.nodes()[cluster_.hosts()[host]].name, host);
  }
  // A message that is over is nothing that a datagram tells of: all who rest look for theirs. SimGrid names the state
  // that a flow had before.
  using State = simgrid::kernel::resource::Action::State;
  s4u::Link::on_communication_state_change_cb([this](const auto& /*flow*/, State before) {
    if (before != State::STARTED) return;
    const std::vector<WiredEndpoint*> all(resting_.begin(), resting_.end());
    for (WiredEndpoint* const one : all) one->wake();
  });
}

std::unique_ptr<Endpoint> WiredNetwork::open() {
  const HostIndex host = own_host();
  const Place place{.address = first_address + host, .port = ++ports_[host]};
  auto made = std::make_unique<WiredEndpoint>(*this, place);
  endpoints_.emplace(place, made.get());
  return made;
}

void WiredNetwork::leave(WiredEndpoint& endpoint) {
  endpoints_.erase(endpoint.place());
  resting_.erase(&endpoint);
  for (auto& [group, by_host] : groups_) std::erase(by_host[host_of(endpoint)], &endpoint);
}

HostIndex WiredNetwork::host_of(const WiredEndpoint& endpoint) const {
  return endpoint.place().address - first_address;
}

/// The time of a packet that finds no other on its way.
Nanoseconds WiredNetwork::straight(HostIndex from, HostIndex to, double wire_bytes) const {
  Nanoseconds time = 0;
  for (NodeId node = network_.node_of(from); node != network_.node_of(to);) {
    const fabric::Network::Channel& channel = network_.channel(network_.towards(node, to));
    time += channel.latency + static_cast<Nanoseconds>(channel.ns_per_byte * wire_bytes);
    node = channel.to;
  }
  return time;
}

void WiredNetwork::send(const WiredEndpoint& from, Place to, Bytes bytes, Way way, double at_s) {
  const auto at = static_cast<Nanoseconds>(std::llround(at_s * ns_per_second));
  const auto wire = static_cast<std::uint32_t>(bytes->size() + wire_overhead_bytes);
  const HostIndex host = host_of(from);
  Frame frame{.from = from.place(), .to = to, .bytes = std::move(bytes), .way = way};
  const HostIndex to_host = is_group(to) ? fabric::every_host : to.address - first_address;
  if (way == Way::tcp) {
    direct_.push({at + straight(host, to_host, wire), order_++, to_host, std::move(frame)});
    return arm();
  }
  if (to_host == host || to_host == fabric::every_host) direct_.push({at, order_++, host, frame});
  if (to_host != host) {
    for (const FrameId over : transit_.finished()) {
      frames_[over].bytes.reset();
      free_frames_.push_back(over);
    }
    transit_.finished().clear();
    if (free_frames_.empty()) {
      free_frames_.push_back(static_cast<FrameId>(frames_.size()));
      frames_.emplace_back();
    }
    const FrameId id = free_frames_.back();
    free_frames_.pop_back();
    frames_[id] = std::move(frame);
    const double start_s = through_port(from.host(), at_s, wire);
    transit_.enter(host, to_host, id, {.wire_bytes = wire, .first_bytes = wire, .frames = 1},
                   static_cast<Nanoseconds>(std::llround(start_s * ns_per_second)));
  }
  arm();
}

void WiredNetwork::hand(HostIndex host, const Frame& frame) {
  const auto group = groups_.find(frame.to);
  if (group == groups_.end()) {
    const auto found = endpoints_.find(frame.to);
    if (found != endpoints_.end()) found->second->hand(frame.bytes, frame.from, false, frame.way);
    return;
  }
  const auto here = group->second.find(host);
  if (here == group->second.end()) return;
  const bool is_own = host + first_address == frame.from.address;
  const auto others = static_cast<double>(here->second.size()) - (is_own ? 2.0 : 1.0);
  for (WiredEndpoint* const endpoint : here->second) {
    if (endpoint->place() != frame.from) endpoint->hand(frame.bytes, frame.from, true, frame.way, others);
  }
}

void WiredNetwork::run(Nanoseconds until) {
  due_.clear();
  transit_.advance(until, due_);
  for (const fabric::Delivery& one : due_) {
    const Frame frame = frames_[one.frame];
    transit_.delivered(one.frame);
    if (one.damage == 0) hand(one.host, frame);  // else a checksum is wrong
  }
  while (!direct_.empty() && direct_.top().at <= until) {
    const Direct one = direct_.top();
    direct_.pop();
    hand(one.host, one.frame);
  }
}

void WiredNetwork::arm() {
  Nanoseconds next = std::min(transit_.next_turn(), transit_.next_delivery());
  if (!direct_.empty()) next = std::min(next, direct_.top().at);
  if (next >= timer_at_) return;
  if (timer_ != nullptr) timer_->remove();
  timer_at_ = next;
  const double at_s = static_cast<double>(next) / ns_per_second;
  timer_ = Timer::set(std::max(at_s, now()), [this, next] {
    timer_ = nullptr;
    timer_at_ = fabric::Transit::never;
    run(next);
    arm();
  });
}

}  // namespace
}  // namespace trunkline::simulate

extern "C" __attribute__((visibility("default"))) trunkline::simulate::DatagramNetwork& trunkline_simulate_datagrams() {
  static trunkline::simulate::WiredNetwork network([] {
    const char* const file = std::getenv("TRUNKLINE_CLUSTER");
    return trunkline::read_cluster(file != nullptr ? file : "");
  }());
  return network;
}
