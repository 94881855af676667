// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/ids.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <chrono>
#include <random>
#include <span>
#include <thread>

namespace trunkline::runtime {
namespace {

constexpr unsigned word_bits = 64;
// Of the last word. Its other bits are the slice that comes next.
constexpr std::uint64_t proposed = 1;
constexpr unsigned next_shift = 1;
/// What one reduction looks at: little at first, which is all that most programs need.
constexpr std::size_t words_at_first = 1;
constexpr std::size_t words_at_once = 16;
/// Proposals in which another thread of some rank was at it, until a call goes without a number.
constexpr int most_attempts = 50;
/// Of every word the same bits. Threads that propose numbers of different slices are not in each other's way.
constexpr unsigned slices = 8;
static_assert(std::has_single_bit(slices) && word_bits % slices == 0);

constexpr std::uint64_t bits_of(unsigned slice) {
  constexpr unsigned width = word_bits / slices;
  return ((std::uint64_t{1} << width) - 1) << (width * slice);
}

std::minstd_rand& random_numbers() {
  // Different in threads of different ranks: no more is asked of them.
  thread_local std::minstd_rand numbers(
      static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
      static_cast<unsigned>(getpid()));
  return numbers;
}

/// Threads of different ranks that block each other must not try again at the same time.
void rest_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(random_numbers()() % 100)); }

/// Rank 0's word on the slice to try where this one is in use: all other ranks leave these bits to it.
std::uint64_t next_slice(bool is_first_rank) {
  const std::uint64_t next = is_first_rank ? random_numbers()() % slices : slices - 1;
  return next << next_shift;
}

}  // namespace

Ids::Ids(unsigned count) : free_(std::max(count / word_bits, 1U), ~std::uint64_t{0}) {
  if (count < word_bits) free_[0] = (std::uint64_t{1} << count) - 1;
  free_[0] &= ~std::uint64_t{1};
}

/// A slice's free numbers in some words, and a last word that says so; no numbers where another thread's proposal of
/// that slice is under way.
/// Settled when it goes out of scope, also where an error handler of the program leaves by an exception.
class Ids::Proposal {
 public:
  Proposal(Ids& ids, std::size_t first, unsigned slice, std::span<std::uint64_t> words)
      : ids_(ids), bits_(bits_of(slice)) {
    const std::scoped_lock lock(ids_.mutex_);
    mine_ = (ids_.proposing_ & bits_) == 0;
    if (!mine_) return;
    ids_.proposing_ |= bits_;
    for (std::size_t k = 0; k + 1 < words.size(); ++k) words[k] = ids_.free_[first + k] & bits_;
    words.back() |= proposed;
  }
  ~Proposal() {
    if (!mine_) return;
    const std::scoped_lock lock(ids_.mutex_);
    ids_.proposing_ &= ~bits_;
    if (taken_) ids_.free_[*taken_ / word_bits] &= ~(std::uint64_t{1} << *taken_ % word_bits);
  }
  Proposal(const Proposal&) = delete;
  Proposal& operator=(const Proposal&) = delete;

  void take(unsigned id) { taken_ = id; }

 private:
  Ids& ids_;
  std::uint64_t bits_;
  bool mine_ = false;
  std::optional<unsigned> taken_{};
};

/// Every member proposes the numbers that it has free, and the reduction keeps what all of them proposed. Of a
/// process's threads only one may propose a number at a time, or two might get the same one: where another thread is at
/// it the process proposes nothing and tells so, and all members try again with a slice of the numbers that rank 0
/// names. That thread may wait for long, for a rank that is late.
Ids::Agreed Ids::agree(MPI_Comm communicator, int rank) {
  std::array<std::uint64_t, words_at_once + 1> room{};  // without memory of its own a rank takes part
  unsigned slice = 0;
  std::bitset<slices> used_up;  // without a number that all members have free
  std::size_t first = 0;
  for (int attempts = 0; attempts < most_attempts;) {
    const std::size_t count = std::min(first == 0 ? words_at_first : words_at_once, free_.size() - first);
    const auto words = std::span(room).first(count + 1);
    std::ranges::fill(words, 0);
    words.back() = next_slice(rank == 0);
    {
      Proposal proposal(*this, first, slice, words);
      const int code = PMPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T,
                                      MPI_BAND, communicator);
      if (code != MPI_SUCCESS) return {.code = code};
      const auto end = words.end() - 1;
      const auto word = std::find_if(words.begin(), end, [](std::uint64_t bits) { return bits != 0; });
      if (word != end) {
        const auto place = first + static_cast<std::size_t>(word - words.begin());
        const auto id = static_cast<unsigned>(place * word_bits) + static_cast<unsigned>(std::countr_zero(*word));
        proposal.take(id);
        return {.id = id};
      }
    }
    const bool all_proposed = (words.back() & proposed) != 0;
    if (all_proposed && first + count < free_.size()) {
      first += count;
      continue;
    }
    first = 0;
    if (all_proposed) {
      used_up.set(slice);
      if (used_up.all()) return {};
    } else {
      slice = static_cast<unsigned>(words.back() >> next_shift) % slices;
      ++attempts;
      rest_a_little();
    }
    while (used_up.test(slice)) slice = (slice + 1) % slices;
  }
  return {.busy = true};
}

void Ids::release(unsigned id) {
  if (forget_) forget_(id);
  const std::scoped_lock lock(mutex_);
  free_[id / word_bits] |= std::uint64_t{1} << id % word_bits;
}

}  // namespace trunkline::runtime
