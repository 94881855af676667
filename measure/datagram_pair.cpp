// SPDX-License-Identifier: Apache-2.0
#include "datagram_pair.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "transport/datagram/invitation.hpp"
#include "transport/datagram/networks.hpp"
#include "transport/datagram/sockets.hpp"

namespace trunkline::measure {
namespace {

using namespace trunkline::runtime;

/// As many as the root of a multicast hands over at a time, or fewer; any socket buffer holds them.
constexpr std::size_t in_a_batch = 32;
constexpr std::array<std::uint32_t, 4> sizes_below_a_frame{8, 256, 512, 1024};
/// Batches that have not come as a whole, before nothing is known.
constexpr std::size_t most_lost = 40;
constexpr unsigned most_looks = 1000;
/// From the word that a batch has left until the receiver looks: words go no faster than datagrams, but stacks differ.
constexpr double settling_s = 0.002;
constexpr int datagram_tag = 7;

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One of two ranks: both call the same functions in the same order.
class DatagramPair {
 public:
  DatagramPair(MPI_Comm two, double byte_s, const Limits& limits) : two_(two), byte_s_(byte_s), limits_(limits) {
    int rank = 0;
    MPI_Comm_rank(two, &rank);
    sends_ = rank == 0;
  }

  Unheard open() {
    Invitation invitation;
    if (sends_) invitation = Invitation::drawn(0);
    MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, two_);
    const HostCard own = own_card();
    std::array<HostCard, 2> cards;
    MPI_Allgather(&own, sizeof own, MPI_BYTE, cards.data(), sizeof own, MPI_BYTE, two_);
    const auto places = shared_network(cards);
    if (!places) return Unheard::no_network;
    const Network& network = own.networks[(*places)[sends_ ? 0 : 1]];
    std::uint32_t mtu = network.mtu;
    MPI_Allreduce(MPI_IN_PLACE, &mtu, 1, MPI_UINT32_T, MPI_MIN, two_);
    sealer_ = Sealer(invitation.key);
    group_ = invitation.address_on(network, GroupWay::usual);
    full_bytes_ = payload_bytes_of(mtu, group_);
    sockets_ = Sockets::open(Address(network.address, 0, network.interface), group_, sealer_, false);
    int has_any = sockets_ != nullptr ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &has_any, 1, MPI_INT, MPI_MIN, two_);
    return has_any != 0 ? Unheard::no : Unheard::no_socket;
  }

  [[nodiscard]] std::vector<std::uint32_t> sizes() const {
    std::vector<std::uint32_t> all;
    std::ranges::copy_if(sizes_below_a_frame, std::back_inserter(all), [&](auto size) { return size < full_bytes_; });
    all.push_back(full_bytes_);
    return all;
  }

  /// Complete on the one that sends. Without a size: too few batches have come.
  DatagramPoint point(std::uint32_t bytes) {
    const std::vector<std::byte> payload(bytes, std::byte{1});
    std::vector<std::byte> copy(bytes);
    Samples sent;
    Samples received;
    std::size_t lost = 0;
    bool is_warm = false;  // the first batch pays for pages and routes
    const double since = MPI_Wtime();
    for (int more = 1; more != 0;) {
      const double spent_s = sends_ ? send(payload) : receive(copy);
      if (sends_) {
        double heard_s = -1.0;
        MPI_Recv(&heard_s, 1, MPI_DOUBLE, 1, datagram_tag, two_, MPI_STATUS_IGNORE);
        if (heard_s < 0.0) {
          ++lost;
        } else if (std::exchange(is_warm, true)) {
          sent.add(spent_s);
          received.add(heard_s);
        }
        const double took_s = MPI_Wtime() - since;
        more = lost < most_lost && !(sent.enough(limits_, took_s) && received.enough(limits_, took_s)) ? 1 : 0;
      } else {
        MPI_Send(&spent_s, 1, MPI_DOUBLE, 0, datagram_tag, two_);
      }
      MPI_Bcast(&more, 1, MPI_INT, 0, two_);
    }
    if (!sends_ || sent.count() < limits_.least) return {};
    return {.bytes = bytes,
            .send_s = sent.median(),
            .receive_s = received.median(),
            .spread = std::max(sent.spread(), received.spread())};
  }

 private:
  double send(std::span<const std::byte> payload) {
    MPI_Barrier(two_);
    const double start_s = processor_s();
    for (std::size_t i = 0; i < in_a_batch; ++i) {
      sockets_->send(group_, {.number = static_cast<std::uint32_t>(i)}, payload, sealer_);
    }
    sockets_->flush();
    const double spent_s = (processor_s() - start_s) / in_a_batch;
    MPI_Send(nullptr, 0, MPI_BYTE, 1, datagram_tag, two_);
    return spent_s;
  }

  /// Below zero where they have not all come.
  double receive(std::span<std::byte> to) {
    while (sockets_->receive()) {  // late ones of the batch before
    }
    MPI_Barrier(two_);
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, datagram_tag, two_, MPI_STATUS_IGNORE);
    const double on_wire_s = in_a_batch * static_cast<double>(full_bytes_) * byte_s_;
    std::this_thread::sleep_for(std::chrono::duration<double>(settling_s + on_wire_s));
    std::size_t come = 0;
    const double start_s = processor_s();
    for (unsigned looks = 0; come < in_a_batch && looks < most_looks; ++looks) {
      while (const auto bytes = sockets_->receive()) {
        const auto packet = read_packet(*bytes, sealer_);
        if (!packet || packet->payload.size() != to.size()) continue;
        std::memcpy(to.data(), packet->payload.data(), to.size());
        ++come;
      }
    }
    return come == in_a_batch ? (processor_s() - start_s) / in_a_batch : -1.0;
  }

  MPI_Comm two_;
  double byte_s_;
  Limits limits_;
  bool sends_ = false;
  Sealer sealer_{Key{}};
  Address group_{};
  std::uint32_t full_bytes_ = 0;
  std::unique_ptr<Sockets> sockets_{};
};

/// What the one that sends has.
DatagramFigures figures_of(MPI_Comm two, double byte_s, const Limits& limits) {
  DatagramFigures figures;
  DatagramPair pair(two, byte_s, limits);
  figures.why = pair.open();
  if (figures.why != Unheard::no) return figures;
  for (const std::uint32_t bytes : pair.sizes()) {
    figures.points.push_back(pair.point(bytes));
    int is_known = figures.points.back().bytes > 0 ? 1 : 0;
    MPI_Bcast(&is_known, 1, MPI_INT, 0, two);
    if (is_known == 0) return {.points = {}, .why = Unheard::lost};
  }
  return figures;
}

}  // namespace

const char* reason_of(Unheard why) {
  switch (why) {
    case Unheard::no_network:
      return "they share no network";
    case Unheard::no_socket:
      return "the system gives one of them no socket for it";
    case Unheard::lost:
      return "the second one does not hear them, or they get lost on the way";
    case Unheard::no:
      break;
  }
  return "";
}

DatagramFigures measure_datagrams(std::pair<int, int> ranks, double byte_s, const Limits& limits) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool takes_part = rank == ranks.first || rank == ranks.second;
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 1 : MPI_UNDEFINED, rank, &two);
  DatagramFigures figures;
  if (takes_part) {
    figures = figures_of(two, byte_s, limits);
    MPI_Comm_free(&two);
  }
  MPI_Bcast(&figures.why, sizeof figures.why, MPI_BYTE, ranks.first, MPI_COMM_WORLD);
  if (figures.why != Unheard::no) return {.points = {}, .why = figures.why};
  int count = static_cast<int>(figures.points.size());
  MPI_Bcast(&count, 1, MPI_INT, ranks.first, MPI_COMM_WORLD);
  figures.points.resize(static_cast<std::size_t>(count));
  const auto bytes = static_cast<int>(figures.points.size() * sizeof(DatagramPoint));
  MPI_Bcast(figures.points.data(), bytes, MPI_BYTE, ranks.first, MPI_COMM_WORLD);
  return figures;
}

}  // namespace trunkline::measure
