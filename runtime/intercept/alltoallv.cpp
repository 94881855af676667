// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoallv and MPI_Alltoallw at MPI's edge, in all their forms.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "datatype/exchanged.hpp"
#include "datatype/message.hpp"
#include "datatype/operands.hpp"
#include "datatype/predefined.hpp"
#include "intercept/call.hpp"
#include "intercept/entry_points.hpp"
#include "intercept/shares.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

/// A block for each rank, or of each.
struct PairSide {
  const void* buffer;
  Shares blocks;  ///< by rank; they begin after so many elements, or bytes where each has a datatype of its own
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< of all
  const MPI_Datatype* types = nullptr;    ///< or of each

  [[nodiscard]] MPI_Datatype type_of(int rank) const { return types != nullptr ? types[rank] : type; }
  [[nodiscard]] bool has_types() const { return types != nullptr || type != MPI_DATATYPE_NULL; }
  [[nodiscard]] void* place_of(int rank) const {
    const MPI_Count start = blocks.start(rank);
    return types != nullptr ? moved(buffer, static_cast<std::ptrdiff_t>(start)) : element_place(buffer, type, start);
  }
};

/// What a side has been given, in the program's own arrays, in memory of ours.
class KeptSide {
 public:
  /// May be called again where it has thrown. Throws std::bad_alloc.
  void keep(PairSide& side, int ranks) {
    if (side.types != nullptr) {
      std::vector<MPI_Datatype> kept(side.types, side.types + ranks);
      side.types = kept.data();
      types_ = std::move(kept);
    }
    blocks_.keep(side.blocks, ranks);
  }

 private:
  KeptShares blocks_{};
  std::vector<MPI_Datatype> types_{};
};

/// As the program gave them.
struct VectorExchangeArguments {
  PairSide send;
  PairSide receive;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] bool is_left_to_mpi(Collective /*collective*/, const VectorExchangeArguments& /*given*/) {
  return !watching.load(std::memory_order_relaxed);
}

int ranks_of(MPI_Comm communicator) {
  int ranks = 0;
  return PMPI_Comm_size(communicator, &ranks) == MPI_SUCCESS ? ranks : 0;
}

bool has_arrays(const PairSide& side) {
  const Shares& all = side.blocks;
  const bool has_counts = all.counts != nullptr || all.long_counts != nullptr;
  return has_counts && all.has_starts() && side.has_types();
}

/// Whether MPI may report a block of a side. It has the same datatype as the one before, mostly, which is asked of
/// once.
class Doubts {
 public:
  explicit Doubts(const PairSide& side) : side_(side) {}

  [[nodiscard]] bool about(int rank) {
    const MPI_Count count = side_.blocks.count(rank);
    const MPI_Datatype type = side_.type_of(rank);
    if (count < 0 || type == MPI_DATATYPE_NULL) return true;
    if (type != last_) {
      last_ = type;
      is_usable_ = type_bytes(type).has_value();
    }
    if (!is_usable_ || count == 0) return !is_usable_;
    return side_.buffer == MPI_IN_PLACE || (side_.buffer == nullptr && is_null(side_.place_of(rank), type));
  }

 private:
  const PairSide& side_;
  MPI_Datatype last_ = MPI_DATATYPE_NULL;
  bool is_usable_ = false;
};

/// The blocks of a side, each a message of its own, which `messages` keeps.
std::vector<PairBlock> blocks_of(const PairSide& side, int ranks, MPI_Comm silent,
                                 std::vector<std::unique_ptr<Message>>& messages) {
  std::vector<PairBlock> by_rank(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const MPI_Count count = side.blocks.count(rank);
    if (count <= 0) continue;
    messages.push_back(std::make_unique<Message>(side.place_of(rank), count, side.type_of(rank), silent));
    Message& message = *messages.back();
    by_rank[static_cast<std::size_t>(rank)] = {.message = &message, .offset = 0, .bytes = message.bytes()};
  }
  return by_rank;
}

/// What lies in the blocks now, in a row.
std::vector<std::byte> copied(const std::vector<PairBlock>& blocks) {
  std::size_t bytes = 0;
  for (const PairBlock& one : blocks) bytes += one.bytes;
  std::vector<std::byte> copy(bytes);
  std::byte* next = copy.data();
  for (const PairBlock& one : blocks) {
    if (one.bytes > 0) one.message->read(0, one.bytes, std::exchange(next, next + one.bytes));
  }
  return copy;
}

/// The same blocks in a row in another message.
std::vector<PairBlock> in_a_row(std::vector<PairBlock> blocks, Message& row) {
  std::uint64_t offset = 0;
  for (PairBlock& one : blocks) {
    one.message = &row;
    one.offset = std::exchange(offset, offset + one.bytes);
  }
  return blocks;
}

class VectorExchange final : public CallOf<VectorExchangeArguments> {
 public:
  VectorExchange(Collective collective, const VectorExchangeArguments& given, Native* native)
      : CallOf(given, native,
               {.collective = collective,
                .buffer = nullptr,  // one for each side
                .count = -1,        // not known
                .type = MPI_BYTE,
                .root = 0,
                .communicator = given.communicator}) {}

  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] OwnLengths own_lengths(int rank, int ranks) const override {
    OwnLengths own;
    for (int other = 0; other < ranks; ++other) {
      const MPI_Count count = sent().blocks.count(other);
      if (other == rank || count <= 0) continue;
      const std::uint64_t bytes = static_cast<std::uint64_t>(count) * type_bytes(sent().type_of(other)).value_or(0);
      own.bytes += bytes;
      own.blocks += bytes > 0 ? 1 : 0;
    }
    return own;
  }

  [[nodiscard]] bool is_doubtful(int /*rank*/) const override {
    if (!has_arrays(given_.receive) || !has_arrays(sent())) return true;
    if (given_.send.buffer == given_.receive.buffer) return true;
    const int ranks = ranks_of(given_.communicator);
    Doubts of_received(given_.receive);
    Doubts of_sent(sent());
    for (int rank = 0; rank < ranks; ++rank) {
      if (of_received.about(rank) || of_sent.about(rank)) return true;
    }
    return false;
  }

  [[nodiscard]] int judged(MPI_Comm alone, int /*rank*/) const override {
    if (!has_arrays(given_.receive) || !has_arrays(sent())) {
      VectorExchangeArguments own = given_;
      own.communicator = alone;
      return native_(own);
    }
    const int ranks = ranks_of(given_.communicator);
    int code = given_.send.buffer == given_.receive.buffer ? judged_block(alone, 0) : MPI_SUCCESS;
    Doubts of_received(given_.receive);
    Doubts of_sent(sent());
    for (int rank = 0; rank < ranks && code == MPI_SUCCESS; ++rank) {
      if (of_received.about(rank) || of_sent.about(rank)) code = judged_block(alone, rank);
    }
    return code;
  }

  /// Of blocks that are not empty: those of others may be anything.
  [[nodiscard]] std::vector<MPI_Datatype> types(int ranks) const override {
    std::vector<MPI_Datatype> all;
    for (const PairSide* const side : {&given_.receive, &sent()}) {
      for (int rank = 0; rank < ranks; ++rank) {
        const MPI_Datatype type = side->type_of(rank);
        if (side->blocks.count(rank) > 0 && !predefined_bytes(type)) all.push_back(type);
      }
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void keep_counts(int ranks) override {
    kept_receive_.keep(given_.receive, ranks);
    if (!is_in_place()) kept_send_.keep(given_.send, ranks);
  }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const MPI_Comm silent = private_communicator()->communicator();
    const int ranks = transport.ranks();
    messages_.clear();  // of the start before
    exchanged_ = {
        .received = blocks_of(given_.receive, ranks, silent, messages_), .is_even = false, .in_place = is_in_place()};
    if (is_in_place()) {
      before_.emplace(copied(exchanged_.received));
      messages_.push_back(std::make_unique<Message>(before_->data(), before_->count(), MPI_BYTE, silent));
      exchanged_.sent = in_a_row(exchanged_.received, *messages_.back());
    } else {
      exchanged_.sent = blocks_of(given_.send, ranks, silent, messages_);
    }
    return decision.plan->part->exchange(transport, exchanged_, decision.pace());
  }

  void succeeded() noexcept override {
    if (before_) before_->let_go();
  }

 private:
  [[nodiscard]] bool is_in_place() const { return given_.send.buffer == MPI_IN_PLACE; }
  /// What this rank sends: of a call in place, the same as it receives.
  [[nodiscard]] const PairSide& sent() const { return is_in_place() ? given_.receive : given_.send; }
  /// Alone, with the blocks for that rank and of it: empty ones, as far as there is no doubt about them.
  [[nodiscard]] int judged_block(MPI_Comm alone, int rank) const {
    const bool doubts_receive = Doubts(given_.receive).about(rank);
    const bool doubts_send = Doubts(sent()).about(rank);
    const OneShare received(given_.receive.blocks, doubts_receive ? given_.receive.blocks.count(rank) : 0);
    const OneShare to_send(sent().blocks, doubts_send ? sent().blocks.count(rank) : 0);
    const MPI_Datatype received_type = given_.receive.type_of(rank);
    const MPI_Datatype sent_type = sent().type_of(rank);
    VectorExchangeArguments own = given_;
    own.communicator = alone;
    own.receive.blocks = received.shares();
    if (own.receive.types != nullptr) own.receive.types = &received_type;
    if (is_in_place()) return native_(own);
    own.send.blocks = to_send.shares();
    if (own.send.types != nullptr) own.send.types = &sent_type;
    // MPICH asks whether counts and datatypes of both sides are the same arrays.
    const Shares& counts = given_.receive.blocks;
    if (given_.send.blocks.counts == counts.counts && given_.send.blocks.long_counts == counts.long_counts) {
      own.send.blocks = own.receive.blocks = (doubts_send ? to_send : received).shares();
    }
    if (given_.send.types == given_.receive.types) own.send.types = own.receive.types;
    return native_(own);
  }

  KeptSide kept_send_{};
  KeptSide kept_receive_{};
  std::vector<std::unique_ptr<Message>> messages_{};  ///< that blocks are, or one of all that is sent
  std::optional<KeptForSends> before_{};              ///< what is sent, where it lies in place
  Exchanged exchanged_{};
};

template <class Count>
int pass_alltoallv(auto* next, const VectorExchangeArguments& a, auto... more) {
  return next(a.send.buffer, a.send.blocks.counts_in<Count>(), a.send.blocks.starts_in<Count>(), a.send.type,
              const_cast<void*>(a.receive.buffer), a.receive.blocks.counts_in<Count>(),
              a.receive.blocks.starts_in<Count>(), a.receive.type, a.communicator, more...);
}

template <class Count>
int pass_alltoallw(auto* next, const VectorExchangeArguments& a, auto... more) {
  return next(a.send.buffer, a.send.blocks.counts_in<Count>(), a.send.blocks.starts_in<Count>(), a.send.types,
              const_cast<void*>(a.receive.buffer), a.receive.blocks.counts_in<Count>(),
              a.receive.blocks.starts_in<Count>(), a.receive.types, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                                 \
  const void *send, const Count send_counts[], const Start send_starts[], MPI_Datatype send_type, void *receive, \
      const Count receive_counts[], const Start receive_starts[], MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN                                                                            \
  {                                                                                      \
    {send, shares_of(send_counts, send_starts), send_type},                              \
        {receive, shares_of(receive_counts, receive_starts), receive_type}, communicator \
  }

TRUNKLINE_ENTRY_POINTS(Alltoallv, alltoallv, pass_alltoallv, Collective::alltoallv, VectorExchange,
                       VectorExchangeArguments)

#undef PARAMETERS
#undef GIVEN

#define PARAMETERS(Count, Start)                                                                                     \
  const void *send, const Count send_counts[], const Start send_starts[], const MPI_Datatype send_types[],           \
      void *receive, const Count receive_counts[], const Start receive_starts[], const MPI_Datatype receive_types[], \
      MPI_Comm communicator
#define GIVEN                                                                                                \
  {                                                                                                          \
    {send, shares_of(send_counts, send_starts), MPI_DATATYPE_NULL, send_types},                              \
        {receive, shares_of(receive_counts, receive_starts), MPI_DATATYPE_NULL, receive_types}, communicator \
  }

TRUNKLINE_ENTRY_POINTS(Alltoallw, alltoallw, pass_alltoallw, Collective::alltoallv, VectorExchange,
                       VectorExchangeArguments)

#undef PARAMETERS
#undef GIVEN
