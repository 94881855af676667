// SPDX-License-Identifier: Apache-2.0
// What messages take on their way: processors, ports and links, in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// One message of a plan.
struct ReplayedMessage {
  Rank from = 0;  ///< processor
  Rank to = 0;
  std::uint64_t bytes = 0;
  Rank sent = 1;             ///< messages like it by the sender, to ranks that do alike: `to` is the last of them
  Rank taken = 1;            ///< messages like it by the receiver, from ranks that do alike
  std::uint32_t sender = 0;  ///< the plan's own numbers
  std::uint32_t receiver = 0;
  std::uint32_t part = 0;
};

/// A processor for each rank, or for those of a host that do alike; a port each way for each host, and the links
/// between them. Their speeds are those that the cluster file and `HostCosts` state; there is nothing else that a time
/// depends on.
///
/// - A processor sends first, and takes in what has come in its order. What it takes in waits for sends that come up.
/// - A host's port sends messages in the order in which they leave the processors of its ranks.
/// - On links behind it the frames of several messages go by turns, so these share a link. At the last link messages of
///   one frame go in the order in which they come.
/// - Switches store the first frame of a message before they hand it on.
/// - Longer messages than `eager_bytes` go there and back first.
class Resources {
 public:
  /// `host_of`: by processor. All must outlive the object.
  Resources(const Paths& paths, const std::vector<HostIndex>& host_of, const HostCosts& hosts);

  /// So many more, of which `host_of` knows by now.
  void add_processors(std::size_t count) { processors_.resize(processors_.size() + count); }

  /// Seconds since the first message.
  [[nodiscard]] double now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

  /// The sender hands it over now.
  void send(const ReplayedMessage& message);
  /// It combines that many bytes with its own, before it sends anything more.
  void combine(Rank processor, std::uint64_t bytes);

  /// Goes on to the next message that its receiver has taken in. False: none is on its way.
  [[nodiscard]] bool next(ReplayedMessage& taken);

 private:
  /// Links in a row.
  struct Path {
    struct Hop {
      std::uint32_t link = 0;
      double byte_s = 0.0;
      double latency_s = 0.0;
      double after_s = 0.0;             ///< latencies from here on
      double after_frame_byte_s = 0.0;  ///< of the links behind it, which store the first frame
    };
    std::vector<Hop> hops{};
    double round_trip_s = 0.0;  ///< latencies there and back
    /// Of TCP: a rank may send another that many in a round trip.
    double window_bytes = std::numeric_limits<double>::infinity();
  };
  /// Of one direction.
  struct Link {
    struct Flow {
      double ends = 0.0;  ///< in seconds that each flow has had of the link
      std::uint32_t message = 0;
      std::uint32_t hop = 0;
      bool operator>(const Flow& other) const { return ends > other.ends; }
    };
    double until = 0.0;  ///< of messages that go in order
    double had = 0.0;    ///< of the link, by each of the flows that share it
    double at = 0.0;     ///< when that was so
    double next = 0.0;   ///< when the first of them ends
    std::vector<Flow> flows{};
  };
  enum class Stage : std::uint8_t { enters, leaves, arrives, looks, taken };
  struct Event {
    double at = 0.0;
    std::uint64_t order = 0;   ///< of events at one instant
    std::uint32_t number = 0;  ///< of a message; where one leaves, of the link; where a rank looks, its own
    Stage stage = Stage::enters;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Processor {
    double sends_until = 0.0;
    double receives_until = 0.0;  ///< the message that it is at
    bool is_waiting = false;      ///< for what it sends to end, or for that message
    std::uint32_t first = none;   ///< of the messages that it is to take in, in their order
    std::uint32_t last = none;
  };
  struct UnderWay {
    ReplayedMessage message{};
    const Path* path = nullptr;  ///< null: within a host
    std::uint32_t hop = 0;       ///< that its first frame comes to next
    std::uint32_t left = 0;      ///< links that its last byte has not left yet
    double arrives_at = 0.0;     ///< no earlier
    double wire = 0.0;           ///< bytes
    bool eager = true;
    std::uint32_t next = none;  ///< that its receiver is to take in
  };

  void add(double at, std::uint32_t number, Stage stage);
  double occupy(Rank processor, double seconds);
  double shared_processors(double leaves, std::uint64_t bytes);
  double in_window(const UnderWay& one, double start);
  void enter(std::uint32_t number);
  void join(const Path::Hop& hop, std::uint32_t number);
  void go_on(Link& link) const;
  void look_ahead(std::uint32_t link);
  void leave(std::uint32_t link);
  void leave(UnderWay& one, std::uint32_t number, const Path::Hop& hop, double at);
  void arrive(std::uint32_t number);
  void look(Rank processor);
  [[nodiscard]] const Path& path(HostIndex from, HostIndex to);

  const Paths& paths_;
  const std::vector<HostIndex>& host_of_;
  const HostCosts& hosts_;
  double now_ = 0.0;
  std::uint64_t events_ = 0;
  std::vector<Event> heap_;
  std::vector<UnderWay> messages_;
  std::vector<std::uint32_t> free_;  ///< of these
  std::vector<Processor> processors_;
  double machine_until_ = 0.0;             ///< of the processors that all hosts share
  std::vector<std::uint32_t> first_link_;  ///< by channel: of its links side by side
  std::vector<Link> links_;
  std::unordered_map<std::uint64_t, Path> known_paths_;      ///< by both hosts
  std::unordered_map<std::uint64_t, double> drained_until_;  ///< by both processors: of TCP's windows
};

}  // namespace trunkline
