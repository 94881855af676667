// SPDX-License-Identifier: Apache-2.0
// Where simulated ranks of a host leave partial results for each other: their program has one memory. Copies take the
// time of the hosts' processors, and what is handed over goes as messages within a host do.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rendezvous.hpp"
#include "shared_in_simulation.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/shelf.hpp"

namespace trunkline::runtime {
namespace {

/// Ranks take turns within one thread.
struct Place {
  std::vector<std::byte> bytes{};
  unsigned ranks = 0;  ///< 0: nothing is there
};

class SimulatedShelf final : public Shelf {
 public:
  SimulatedShelf(MpiTransport& mpi, unsigned communicator) : mpi_(mpi), communicator_(communicator) {}

  [[nodiscard]] std::uint64_t most_bytes() const noexcept override { return longest_partial; }
  [[nodiscard]] bool reaches(int /*rank*/) const noexcept override { return true; }

  [[nodiscard]] std::optional<Partial> take(int keeper, const Chunk& room) override {
    Place& place = of(keeper);
    if (place.ranks == 0) return {};
    taken_.swap(place.bytes);
    const unsigned ranks = std::exchange(place.ranks, 0);
    trunkline_simulate_copy(room.bytes, true);
    if (static_cast<int>(taken_.size()) != room.bytes) throw MpiError{MPI_ERR_TRUNCATE};
    Chunk data = room;
    if (room.type == MPI_BYTE) {
      data.at = taken_.data();
    } else {
      int at = 0;
      check(PMPI_Unpack(taken_.data(), room.bytes, &at, room.at, room.count, room.type, MPI_COMM_SELF));
    }
    return Partial{.data = data, .ranks = ranks};
  }
  void done() noexcept override {}

  [[nodiscard]] Left leave(const Chunk& partial, unsigned ranks, int keeper) override {
    std::vector<std::byte> bytes(static_cast<std::size_t>(partial.bytes));
    if (partial.type == MPI_BYTE) {
      std::memcpy(bytes.data(), partial.at, bytes.size());
    } else {
      int at = 0;
      check(PMPI_Pack(partial.at, partial.count, partial.type, bytes.data(), partial.bytes, &at, MPI_COMM_SELF));
    }
    trunkline_simulate_copy(partial.bytes, false);
    Place& place = of(keeper);
    if (place.ranks > 0) return Left::more_to_take;
    place = {.bytes = std::move(bytes), .ranks = ranks};
    return Left::here;
  }

  void hand_over(const Chunk& sum, int to, Pending& pending) override { mpi_.send(sum, to, stream, false, pending); }
  void await(const Chunk& sum, Pending& pending) override { mpi_.receive_from_any(sum, stream, pending); }

 private:
  static constexpr unsigned stream = sum_stream + streams_of_sums;  ///< a free one

  Place& of(int keeper) {
    const auto name = [&] { return "shelf " + std::to_string(communicator_) + " " + std::to_string(keeper); };
    return *shared_in_simulation<std::shared_ptr<Place>>(name, [] { return std::make_shared<Place>(); })->get();
  }

  MpiTransport& mpi_;
  unsigned communicator_;
  std::vector<std::byte> taken_{};
};

}  // namespace

std::unique_ptr<Shelf> simulated_shelf(MpiTransport& mpi, unsigned communicator) {
  return std::make_unique<SimulatedShelf>(mpi, communicator);
}

}  // namespace trunkline::runtime
