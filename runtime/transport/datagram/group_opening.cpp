// SPDX-License-Identifier: Apache-2.0
// How ranks come to be a group. Everything here is collective over the program's communicator, whose error handler
// hears of errors; no try block is around any of it.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "reserve.hpp"
#include "transport/datagram/descriptor.hpp"
#include "transport/datagram/group.hpp"
#include "transport/datagram/invitation.hpp"
#include "transport/datagram/networks.hpp"
#include "transport/datagram/probing.hpp"

namespace trunkline::runtime {
namespace {

/// What the kernel takes of a buffer for a datagram of a full frame, and more: drivers differ.
constexpr std::uint32_t kernel_bytes = 4608;
constexpr std::uint32_t most_burst = 96;
constexpr unsigned probe_rounds = 3;
/// Longer messages gain little where their root need not wait.
constexpr std::uint32_t most_eager_bytes = 8192;
/// Eager messages between two meetings: with fewer, meetings would cost more than eager messages save.
constexpr std::uint32_t least_eager_calls = 8;
/// A connection whose first packets get lost takes 3 s, and a busy machine some more.
constexpr double most_asking_s = 7.0;
constexpr double between_asks_s = 0.020;
/// Three of its sockets, two of what repairs.
constexpr int descriptors_of_group = 5;

}  // namespace

class GroupOpening {
 public:
  GroupOpening(MPI_Comm communicator, std::size_t rank, std::span<const int> world_ranks, GroupWay way,
               const std::function<void()>& go_on)
      : communicator_(communicator), ranks_(world_ranks.size()), way_(way), go_on_(go_on) {
    made_.group = with_reserve([&] { return std::unique_ptr<DatagramGroup>(new DatagramGroup(world_ranks, rank)); });
  }

  DatagramGroup::Opened run() {
    for (const auto step : {&GroupOpening::invite, &GroupOpening::find_network, &GroupOpening::take_seats,
                            &GroupOpening::probe, &GroupOpening::try_repairs}) {
      if (made_.code = (this->*step)(); made_.code != MPI_SUCCESS) return {.code = made_.code};
      if (made_.group == nullptr) return std::move(made_);
    }
    group().tally_.calls = 1;
    return std::move(made_);
  }

 private:
  [[nodiscard]] DatagramGroup& group() { return *made_.group; }
  void refuse(std::string reason) {
    made_.reason = std::move(reason);
    made_.group.reset();
  }

  int invite() {
    if (group().rank_ == 0) invitation_ = Invitation::drawn(LeftBehind::new_number());
    const int code = PMPI_Bcast(&invitation_, sizeof invitation_, MPI_BYTE, 0, communicator_);
    group().sealer_ = Sealer(invitation_.key);
    if (code != MPI_SUCCESS) return code;
    with_reserve([&] {
      LeftBehind& left_behind = LeftBehind::of(group().world_ranks_);
      left_behind.opened(invitation_.number);
      group().left_behind_ = &left_behind;
      group().number_ = invitation_.number;
    });
    if (invitation_.is_drawn == 0) refuse("the system gives no random numbers for a key");
    return code;
  }

  int find_network() {
    const HostCard own = own_card();
    std::vector<HostCard> cards = with_reserve([&] { return std::vector<HostCard>(ranks_); });
    const int code = PMPI_Allgather(&own, sizeof own, MPI_BYTE, cards.data(), sizeof own, MPI_BYTE, communicator_);
    if (code != MPI_SUCCESS) return code;
    const auto places = with_reserve([&] { return shared_network(cards, way_); });
    if (!places) {
      refuse(way_ == GroupWay::ipv6        ? "the hosts of its ranks share no IPv6 network"
             : way_ == GroupWay::broadcast ? "the hosts of its ranks share no IPv4 network with a broadcast address"
                                           : "the hosts of its ranks share no network");
      return code;
    }
    network_ = own.networks[(*places)[group().rank_]];
    group().group_ = invitation_.address_on(network_, way_);
    const auto here = static_cast<std::size_t>(std::ranges::count(cards, own.host, &HostCard::host));
    shares_host_ = here > 1;
    group().is_one_host_ = here == ranks_;
    return code;
  }

  /// This host is behind that interface as well as others are.
  [[nodiscard]] Address address_of(const IpAddress& ip, std::uint32_t port) const {
    return {ip, static_cast<std::uint16_t>(port), network_.interface};
  }

  /// Sockets, and what all must know of each other's.
  int take_seats() {
    const Address here = address_of(network_.address, 0);
    errno = EMFILE;
    if (Descriptor::may_open(descriptors_of_group)) {
      group().sockets_ =
          with_reserve([&] { return Sockets::open(here, group().group_, group().sealer_, shares_host_); });
    }
    const int error = errno;
    const bool has_any = group().sockets_ != nullptr;
    if (has_any) {
      group().repairs_ = with_reserve([&] {
        return Repairs::open(here, group().group_, shares_host_, group().sealer_,
                             static_cast<std::uint32_t>(group().rank_));
      });
    }
    const Seat own{.address = network_.address,
                   .port = has_any ? group().sockets_->port() : 0U,
                   .service_port = group().repairs_ ? group().repairs_->port() : 0U,
                   .mtu = network_.mtu,
                   .buffer_bytes = has_any ? group().sockets_->buffer_bytes() : 0U,
                   .left_behind = static_cast<std::uint32_t>(LeftBehind::count()),
                   .freed_before = group().left_behind_->freed_before()};
    std::vector<Seat> seats = with_reserve([&] { return std::vector<Seat>(ranks_); });
    const int code = PMPI_Allgather(&own, sizeof own, MPI_BYTE, seats.data(), sizeof own, MPI_BYTE, communicator_);
    if (code != MPI_SUCCESS) return code;
    group().left_behind_->forget_before(std::ranges::min(seats, {}, &Seat::freed_before).freed_before);
    const auto none = std::ranges::find(seats, 0U, &Seat::port);
    if (none != seats.end()) {
      const std::string who =
          "rank " + std::to_string(none - seats.begin()) + " of the communicator has no socket for it";
      refuse(has_any ? who : who + ": " + std::strerror(error));
      return code;
    }
    with_reserve([&] {
      group().members_.clear();
      group().services_.clear();
      for (const Seat& seat : seats) {
        group().members_.push_back(address_of(seat.address, seat.port));
        group().services_.push_back(address_of(seat.address, seat.service_port));
      }
      group().turns_.assign(ranks_, 0);
    });
    const std::uint32_t mtu = std::min(std::ranges::min(seats, {}, &Seat::mtu).mtu, 9000U);
    const std::uint32_t buffer = std::ranges::min(seats, {}, &Seat::buffer_bytes).buffer_bytes;
    group().payload_bytes_ = payload_bytes_of(mtu, group().group_);
    const std::uint32_t each = std::max(kernel_bytes, 2 * mtu);
    group().burst_ = std::clamp(buffer / each, 1U, most_burst);
    group().eager_packets_ =
        std::min((most_eager_bytes + group().payload_bytes_ - 1) / group().payload_bytes_, most_eager_packets);
    const auto without = std::ranges::find(seats, 0U, &Seat::service_port);
    const auto laden =
        std::ranges::find_if(seats, [](const Seat& seat) { return seat.left_behind >= LeftBehind::most; });
    if (laden != seats.end()) {
      not_eager("rank " + std::to_string(laden - seats.begin()) + " of the communicator still answers for " +
                std::to_string(laden->left_behind) + " communicators that the program has freed");
    } else if (without != seats.end()) {
      not_eager("rank " + std::to_string(without - seats.begin()) +
                " of the communicator has no thread or socket for it");
    } else if (group().burst_ < least_eager_calls * group().eager_packets_) {
      not_eager("the socket buffers hold " + std::to_string(buffer) +
                " bytes; with net.core.rmem_max at 212992 or more "
                "they would do");
    }
    return code;
  }

  /// No collective of MPI's is pending meanwhile: in Open MPI it gets in the way of a pending MPI_Comm_idup of the
  /// program. So who waits in one does not answer, and where messages get lost ranks leave it a second apart: what has
  /// not met in one round may meet in the next.
  int probe() {
    Probing probing = with_reserve([&] {
      return Probing({.sockets = *group().sockets_,
                      .sealer = group().sealer_,
                      .group = group().group_,
                      .first = group().members_[0],
                      .rank = group().rank_,
                      .ranks = ranks_,
                      .burst = group().burst_,
                      .go_on = go_on_});
    });
    for (unsigned round = 0; round < probe_rounds; ++round) {
      probing.round();
      const int is_right = probing.is_right() ? 1 : 0;
      int all_right = 0;
      const int code = PMPI_Allreduce(&is_right, &all_right, 1, MPI_INT, MPI_MIN, communicator_);
      if (code != MPI_SUCCESS || all_right != 0) return code;
    }
    refuse(probing.is_right() ? "" : group().rank_ == 0 ? "not every rank hears it" : "this rank does not hear it");
    return MPI_SUCCESS;
  }

  /// Each rank asks the next one for a message that does not exist: by a datagram, and over TCP.
  int try_repairs() {
    if (group().repairs_ == nullptr) return MPI_SUCCESS;
    group().left_behind_->has_service();
    group().repairs_->answer_to(group().members_);
    constexpr int nobody = -1;
    const int own = with_reserve([&] { return is_answered(); }) ? nobody : static_cast<int>(group().rank_);
    int unanswered = nobody;
    const int code = PMPI_Allreduce(&own, &unanswered, 1, MPI_INT, MPI_MAX, communicator_);
    if (code == MPI_SUCCESS && unanswered != nobody) {
      const auto next = static_cast<std::size_t>(unanswered + 1) % ranks_;
      not_eager("rank " + std::to_string(unanswered) + " of the communicator cannot ask rank " + std::to_string(next) +
                " by UDP and TCP: a firewall may be between them");
    }
    return code;
  }

  bool is_answered() {
    const Address& service = group().services_[(group().rank_ + 1) % ranks_];
    const PacketHead head{.kind = PacketKind::ask,
                          .sender = static_cast<std::uint32_t>(group().rank_),
                          .turn = std::numeric_limits<std::uint64_t>::max()};
    const std::array<std::byte, ask_payload_bytes> nothing{};
    const PacketBytes ask = sealed_packet(head, nothing, group().sealer_);
    const auto answers = [&](const std::optional<std::span<const std::byte>>& bytes) {
      const auto packet = bytes ? read_packet(*bytes, group().sealer_) : std::nullopt;
      return packet && packet->head.kind == PacketKind::not_yet && packet->head.turn == head.turn;
    };
    Sockets& sockets = *group().sockets_;
    TcpAsks tcp(sockets, service);
    bool by_datagram = false;
    bool over_tcp = false;
    const double end = sockets.now() + most_asking_s;
    double next = 0.0;
    for (double now = sockets.now(); !(by_datagram && over_tcp) && now < end; now = sockets.now()) {
      if (now >= next) {
        if (!by_datagram) sockets.send(service, head, nothing, group().sealer_);
        if (!over_tcp) tcp.ask(ask);
        sockets.flush();
        next = now + between_asks_s;
      }
      while (const auto bytes = sockets.receive()) by_datagram = by_datagram || answers(bytes);
      while (const auto bytes = tcp.receive()) over_tcp = over_tcp || answers(bytes);
      go_on_();
      sockets.rest();
    }
    return by_datagram && over_tcp;
  }

  void not_eager(std::string reason) {
    made_.not_eager = std::move(reason);
    group().repairs_.reset();
  }

  MPI_Comm communicator_;
  std::size_t ranks_;
  GroupWay way_;
  const std::function<void()>& go_on_;
  Invitation invitation_{};
  DatagramGroup::Opened made_{};
  Network network_{};
  bool shares_host_ = false;
};

DatagramGroup::Opened DatagramGroup::open(MPI_Comm communicator, std::size_t rank, std::span<const int> world_ranks,
                                          GroupWay way, const std::function<void()>& go_on) {
  return GroupOpening(communicator, rank, world_ranks, way, go_on).run();
}

}  // namespace trunkline::runtime
