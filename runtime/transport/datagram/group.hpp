// SPDX-License-Identifier: Apache-2.0
// The ranks of one communicator as a multicast group: its address and key, which they agree on over MPI, and this
// rank's sockets. docs/multicast.md says how it is opened.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi_api.hpp"
#include "transport/datagram/invitation.hpp"
#include "transport/datagram/left_behind.hpp"
#include "transport/datagram/repairs.hpp"
#include "transport/datagram/sockets.hpp"
#include "transport/datagram/tcp_asks.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

class DatagramCall;

/// Outlives its calls, of which several may be under way. Used by one thread at a time, as its communicator is.
class DatagramGroup {
 public:
  struct Opened {
    int code = MPI_SUCCESS;                  ///< MPI's, of which the communicator's error handler has heard
    std::shared_ptr<DatagramGroup> group{};  ///< null on all ranks where any cannot take part
    std::string reason{};                    ///< why that is so, where this rank knows; else empty
    std::string not_eager{};  ///< why no message of the group is eager, where it might be; the same on all
  };

  /// Collective over `communicator`, in which this process is `rank`; `world_ranks`: its members by their ranks of the
  /// private communicator. `go_on`: called again and again while this rank waits for
  /// datagrams, so that the library serves what the program has under way.
  [[nodiscard]] static Opened open(MPI_Comm communicator, std::size_t rank, std::span<const int> world_ranks,
                                   GroupWay way, const std::function<void()>& go_on);

  struct Heard {
    int code = MPI_SUCCESS;  ///< MPI's, of which the communicator's error handler has heard
    bool have_met = false;   ///< all ranks, just now
  };

  /// What others may still ask for is left behind.
  ~DatagramGroup();
  DatagramGroup(const DatagramGroup&) = delete;
  DatagramGroup& operator=(const DatagramGroup&) = delete;

  /// Before each call that may wait, with the communicator of open(). Collective now and then: all ranks meet, so that
  /// what was kept of eager messages is not wanted any more, and they know whether datagrams still reach all of them,
  /// or some rank has got at least half of the calls since the last time by messages. `before_they_meet`: waits until
  /// this rank's calls are over that do not block, and returns MPI's code.
  [[nodiscard]] Heard hears(MPI_Comm communicator, const std::function<int()>& before_they_meet);

  /// The same before one that does not block. Empty, or its number: then all ranks meet before it, which follows from
  /// the order of calls alone. Each comes to that meeting once its calls before are over, with its own words(), and all
  /// get the greatest of each.
  [[nodiscard]] std::optional<std::uint64_t> start_call() noexcept;
  static constexpr std::size_t words_of_meeting = 3;
  using Words = std::array<std::int64_t, words_of_meeting>;
  [[nodiscard]] Words words(std::uint64_t call) const;
  void have_met(std::uint64_t call, const Words& greatest);
  /// Of the communicator: which datagrams do not reach any more, as the ranks have found in a meeting. The same on all.
  [[nodiscard]] std::optional<int> deaf_rank() const noexcept { return deaf_rank_; }

  /// What this rank has seen of it.
  struct Tally {
    std::uint64_t calls = 0;     ///< that have begun
    std::uint64_t repaired = 0;  ///< of them: it got a part of the message by asking, or sent one again
    std::uint64_t strange = 0;   ///< datagrams that came and were dropped: with a wrong seal or length
    std::uint64_t early = 0;     ///< too early for their call, where too many waited already
  };
  [[nodiscard]] const Tally& tally() const noexcept { return tally_; }

  /// Datagrams that the kernel has dropped, as Sockets::dropped().
  [[nodiscard]] std::uint64_t dropped_by_kernel() const { return sockets_->dropped(); }

  /// How its datagrams reach all, for people.
  [[nodiscard]] const char* way() const { return way_in_words(group_); }

  /// The longest message whose root leaves once it has sent it; 0: none.
  [[nodiscard]] std::uint64_t most_eager_bytes() const noexcept {
    return repairs_ != nullptr ? std::uint64_t{eager_packets_} * payload_bytes_ : 0;
  }

 private:
  friend class DatagramCall;
  friend class GroupOpening;
  DatagramGroup(std::span<const int> world_ranks, std::size_t rank)
      : world_ranks_(world_ranks.begin(), world_ranks.end()), rank_(rank) {}

  /// Calls that do not block have begun since all ranks met, so that who has come to a later one may not be done with
  /// them.
  [[nodiscard]] bool may_overlap() const noexcept { return started_before_ > met_at_; }
  [[nodiscard]] DatagramCall* under_way(std::uint64_t turn) const;

  /// Of a turn that this rank has not come to, or of a call that another one has read it for.
  struct Early {
    std::uint64_t turn;
    std::vector<std::byte> bytes;
  };

  std::vector<int> world_ranks_;
  std::size_t rank_;
  std::int64_t number_ = 0;            ///< among the groups of these ranks
  LeftBehind* left_behind_ = nullptr;  ///< of these ranks; null until they have agreed on the number
  Sealer sealer_{Key{}};
  Address group_{};
  std::vector<Address> members_{};
  bool is_one_host_ = true;  ///< of all its ranks
  std::uint32_t payload_bytes_ = 0;
  std::uint32_t burst_ = 0;
  std::unique_ptr<Repairs> repairs_{};  ///< null on all ranks: there are no eager messages
  std::vector<Address> services_{};     ///< by rank: where its Repairs hears asks
  std::unique_ptr<Sockets> sockets_{};
  std::deque<Early> early_{};
  Tally tally_{};
  std::vector<DatagramCall*> calls_{};  ///< that are under way
  std::uint64_t begun_before_ = 0;      ///< no turn from here on has begun
  std::optional<int> deaf_rank_{};
  std::uint64_t met_at_ = 0;          ///< the call before which all ranks last met, or are to meet
  std::uint64_t started_before_ = 0;  ///< no call from here on has begun that does not block
  std::uint64_t told_at_ = 0;         ///< and told each other what they hear
  std::uint64_t unheard_calls_ = 0;   ///< since then
  std::uint64_t own_calls_ = 0;       ///< since then: this rank was the root
  std::uint32_t eager_packets_ = 0;   ///< of an eager message at most
  LossMeter loss_{};
  std::vector<std::uint64_t> turns_{};  ///< by rank: the latest of which something came
  double free_at_ = 0.0;
  double answer_s_ = Datagrams::first_answer_s;
};

/// Those of one call.
class DatagramCall final : public Datagrams {
 public:
  /// `turn`: how many calls came before on the communicator; `claim`: a digest of what all ranks must take the call
  /// for. The group must outlive it.
  DatagramCall(DatagramGroup& group, std::uint64_t turn, std::uint64_t claim);
  ~DatagramCall() override;

  [[nodiscard]] std::uint32_t payload_bytes() const noexcept override { return group_.payload_bytes_; }
  [[nodiscard]] int ranks() const noexcept override { return static_cast<int>(group_.world_ranks_.size()); }
  [[nodiscard]] std::uint32_t burst() const noexcept override { return group_.burst_; }
  void to_all(const Datagram& datagram) override;
  void to_one(int rank, const Datagram& datagram) override;
  void flush() override { group_.sockets_->flush(); }
  [[nodiscard]] std::optional<Datagram> next() override;
  [[nodiscard]] bool is_eager(std::uint32_t packets) const noexcept override;
  void keep(std::uint32_t first, std::span<const std::byte> packets) override;
  void forget_before(std::uint32_t first) override;
  void ask(int sender, std::uint32_t first, std::uint64_t packets) override;
  void is_meeting() noexcept override;
  void all_have_come() noexcept override;
  [[nodiscard]] bool is_ahead(int rank) const noexcept override;
  [[nodiscard]] bool comes_over_network(int rank) const noexcept override;
  [[nodiscard]] double& free_at() noexcept override { return group_.free_at_; }
  [[nodiscard]] double& answer_s() noexcept override { return group_.answer_s_; }
  void are_not_heard() noexcept override;
  [[nodiscard]] double now() const noexcept override { return group_.sockets_->now(); }
  void rest() override { group_.sockets_->rest(); }
  [[nodiscard]] LossMeter* loss() noexcept override { return &group_.loss_; }

 private:
  friend class DatagramGroup;
  void send(const Address& to, const Datagram& datagram);
  void is_repaired() noexcept;
  [[nodiscard]] std::size_t place_of(int rank) const;
  [[nodiscard]] std::optional<Datagram> judged(const ReadPacket& packet);
  void keep_early(const PacketHead& head, std::span<const std::byte> bytes);

  DatagramGroup& group_;
  std::uint64_t turn_;
  std::uint32_t claim_;
  bool is_heard_ = true;
  bool is_own_ = false;  ///< this rank sends to all
  bool has_asked_ = false;
  bool is_repaired_ = false;
  std::uint32_t end_ = 0;  ///< of the packets that it has sent
  /// Of a rank: asks since it has said anything.
  struct Asked {
    unsigned unanswered = 0;
    std::unique_ptr<TcpAsks> tcp{};
  };
  std::map<std::size_t, Asked> asked_{};  ///< by its place
  unsigned unheard_ = 0;                  ///< asks since any datagram has come
  std::vector<std::byte> kept_{};         ///< of the last one that had come early
};

}  // namespace trunkline::runtime
