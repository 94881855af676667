// SPDX-License-Identifier: Apache-2.0
#include "conduit/ids.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <random>
#include <thread>

namespace trunkline::runtime {
namespace {

constexpr unsigned word_bits = 64;
// Of the last word.
constexpr std::uint64_t proposed = 1;
constexpr std::uint64_t wished = 2;
/// Numbers that one reduction looks at: 128 bytes.
constexpr std::size_t words_at_once = 16;
/// Reductions in which another thread of some rank was at it, until a call goes without a number.
constexpr int most_attempts = 50;

/// Threads of different ranks that block each other must not try again at the same time.
void rest_a_little() {
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
}

}  // namespace

Ids::Ids(unsigned count) : free_(std::max(count / word_bits, 1U), ~std::uint64_t{0}) {
  if (count < word_bits) free_[0] = (std::uint64_t{1} << count) - 1;
  free_[0] &= ~std::uint64_t{1};
}

/// The free numbers of some words, and a last word that says so; nothing where another thread's proposal is under way.
/// Settled when it goes out of scope, also where an error handler of the program leaves by an exception.
class Ids::Proposal {
 public:
  Proposal(Ids& ids, std::size_t first, Words& words, bool wish) : ids_(ids) {
    const std::scoped_lock lock(ids_.mutex_);
    mine_ = !ids_.proposing_;
    if (!mine_) return;
    ids_.proposing_ = true;
    std::copy_n(ids_.free_.begin() + static_cast<std::ptrdiff_t>(first), words.size() - 1, words.begin());
    words.back() = proposed | (wish ? wished : 0);
  }
  ~Proposal() {
    if (!mine_) return;
    const std::scoped_lock lock(ids_.mutex_);
    ids_.proposing_ = false;
    if (taken_) ids_.free_[*taken_ / word_bits] &= ~(std::uint64_t{1} << *taken_ % word_bits);
  }
  Proposal(const Proposal&) = delete;
  Proposal& operator=(const Proposal&) = delete;

  void take(unsigned id) { taken_ = id; }

 private:
  Ids& ids_;
  bool mine_ = false;
  std::optional<unsigned> taken_{};
};

/// Every member proposes the numbers that it has free, and the reduction keeps what all of them proposed. Of a
/// process's threads only one may propose at a time, or two might get the same number; the other one proposes nothing
/// and tells so, and its communicator tries again.
Ids::Agreed Ids::agree(MPI_Comm communicator, bool wish) {
  Words words;
  int attempts = 0;
  for (std::size_t first = 0; first < free_.size();) {
    const std::size_t count = std::min(words_at_once, free_.size() - first);
    words.assign(count + 1, 0);
    {
      Proposal proposal(*this, first, words, wish);
      const int code = PMPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T,
                                      MPI_BAND, communicator);
      if (code != MPI_SUCCESS) return {.code = code};
      const auto end = words.end() - 1;
      const auto word = std::find_if(words.begin(), end, [](std::uint64_t bits) { return bits != 0; });
      if (word != end) {
        const auto place = first + static_cast<std::size_t>(word - words.begin());
        const auto id = static_cast<unsigned>(place * word_bits) + static_cast<unsigned>(std::countr_zero(*word));
        proposal.take(id);
        return {.id = id, .all_wish = (words.back() & wished) != 0};
      }
    }
    const bool all_proposed = (words.back() & proposed) != 0;
    if (all_proposed) {
      first += count;
    } else if (++attempts < most_attempts) {
      rest_a_little();
    } else {
      return {.busy = true};
    }
  }
  return {};
}

void Ids::release(unsigned id) {
  const std::scoped_lock lock(mutex_);
  free_[id / word_bits] |= std::uint64_t{1} << id % word_bits;
}

}  // namespace trunkline::runtime
