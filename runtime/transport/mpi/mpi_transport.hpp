// SPDX-License-Identifier: Apache-2.0
// The messages of one collective call on one communicator of the program, over MPI, on the private communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi_api.hpp"
#include "transport/looks.hpp"
#include "transport/mpi/private_communicator.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// A call, as the program knows it.
struct ProgramCall {
  MPI_Comm communicator = MPI_COMM_NULL;
  std::string_view name{};  ///< "MPI_Bcast"
  std::optional<int> root{};
  std::uint64_t bytes = 0;
  bool is_blocking = true;  ///< else the program has other things to do than to wait for it
};

/// What else than messages of MPI's may tell that a member takes a call for another one.
class OtherClaims {
 public:
  virtual ~OtherClaims() = default;
  OtherClaims(const OtherClaims&) = delete;
  OtherClaims& operator=(const OtherClaims&) = delete;

  /// `members`: as of MpiTransport.
  [[nodiscard]] virtual bool are_known(std::span<const int> members) = 0;

 protected:
  OtherClaims() = default;
};

/// That a rank has given a call up.
struct Notice {
  std::uint64_t turn;
  std::int64_t code;  ///< an error class, which means the same on all ranks
};

/// Ranks are those of the private communicator, so of MPI_COMM_WORLD.
class MpiTransport final : public Transport {
 public:
  /// `members`: the ranks of the communicator; `id`: its number; `number`: how many such calls came before on it;
  /// `claim`: a digest of what all members must take the call for; `streams` of the plan. All must
  /// outlive the object.
  MpiTransport(PrivateCommunicator& ours, std::span<const int> members, unsigned id, std::uint64_t number,
               std::uint64_t claim, std::size_t streams)
      : ours_(ours), members_(members), id_(id), number_(number), claim_(claim), streams_(streams) {}
  ~MpiTransport() override;

  /// Once a rank has revoked the program's communicator, whoever waits gives up, with MPI's code for that.
  void belongs_to(const ProgramCall& call) noexcept { user_ = call; }

  /// Asked by whoever has waited for long. It must outlive the object.
  void hear_of_other_claims(OtherClaims& others) noexcept { other_claims_ = &others; }

  /// Those of this call, which must outlive the object.
  void use(Datagrams& datagrams) noexcept { datagrams_ = &datagrams; }
  [[nodiscard]] Datagrams* datagrams() noexcept override { return datagrams_; }
  /// Of this call. It must outlive the object.
  void use(Shelf& shelf) noexcept { shelf_ = &shelf; }
  [[nodiscard]] Shelf* shelf() noexcept override { return shelf_; }

  [[nodiscard]] int ranks() const noexcept override { return static_cast<int>(members_.size()); }

  /// An ordinary message unless `synchronous`, or unless the receiver is far behind.
  void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) override;
  void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) override;
  void receive_from_any(const Chunk& chunk, unsigned stream, Pending& pending) override {
    receive(chunk, MPI_ANY_SOURCE, stream, pending);
  }
  [[nodiscard]] int sender() const noexcept override { return sender_; }
  using Transport::receive;
  using Transport::send;

  [[nodiscard]] Over wait_any(std::span<Pending* const> pending, bool receiving) override;
  [[nodiscard]] std::optional<Over> test_any(std::span<Pending* const> pending, bool receiving,
                                             Watchdog& watchdog) override;
  void wait_all(std::span<Pending> pending) override;
  [[nodiscard]] bool test_all(std::span<Pending> pending, Watchdog& watchdog) override;

  void give_up(int code) noexcept override { tell_ranks(members_, code); }
  void give_up_too(int code, std::span<const int> peers) noexcept override { tell_ranks(peers, code); }
  void say_long_wait(std::span<const int> awaited, bool receiving) const override;
  [[nodiscard]] bool let_go(std::span<Pending> pending, bool cancel) noexcept override;
  /// The library's progress goes on with it in each of its calls.
  [[nodiscard]] bool outlives(int /*rank*/) const noexcept override { return true; }
  void outlive(std::shared_ptr<void> memory, Pending& receive) noexcept override;
  /// Never synchronous: a rank that has left may be away for long.
  void send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) override;

 private:
  [[nodiscard]] int tag(unsigned stream) const { return ours_.tags().tag(id_, number_, claim_, streams_, stream); }
  [[nodiscard]] bool is_member(int rank) const;
  void tell_ranks(std::span<const int> ranks, int code) noexcept;
  [[nodiscard]] bool is_due(Watchdog& watchdog) const {
    return watchdog.is_due(is_alert_) || (owes_a_look_ && !must_not_look());
  }
  void look_for_trouble(bool receiving, const Watchdog& watchdog);
  [[nodiscard]] Over over_at(std::size_t index, const MPI_Status& status);
  void look_for_notice();
  void ask_for_notice();
  void heed(const Notice& notice, int from);
  void look_for_other_claims();

  PrivateCommunicator& ours_;
  std::span<const int> members_;
  unsigned id_;
  std::uint64_t number_;
  std::uint64_t claim_;
  std::size_t streams_;
  ProgramCall user_{};
  Datagrams* datagrams_ = nullptr;
  Shelf* shelf_ = nullptr;
  OtherClaims* other_claims_ = nullptr;
  int sender_ = -1;                     ///< of the message that was over last
  bool is_alert_ = false;               ///< somebody has given the call up: others may follow soon
  std::vector<MPI_Request> handles_{};  ///< scratch of wait_any()
  bool owes_a_look_ = false;            ///< for trouble, once it is allowed
  /// A receive of the next one, where it must not be looked for; it lies there.
  Pending notice_{};
  std::shared_ptr<Notice> notice_room_{};
};

/// While it lives this thread is not cancelled: nothing may unwind a destructor.
class Uncancelled {
 public:
  Uncancelled();
  ~Uncancelled();
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = 0;
};

}  // namespace trunkline::runtime
