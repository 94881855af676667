// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

#include "blocks.hpp"
#include "report.hpp"
#include "source.hpp"
#include "target.hpp"

namespace trunkline::copy {

std::vector<std::string> gathered(const std::string& mine, MPI_Comm among) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(among, &rank);
  MPI_Comm_size(among, &ranks);
  const std::size_t count = rank == 0 ? static_cast<std::size_t>(ranks) : 0;
  std::vector<int> lengths(count);
  const int length = static_cast<int>(mine.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, among);
  std::vector<int> starts(count);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(count == 0 ? 0 : static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, among);
  std::vector<std::string> each;
  for (std::size_t one = 0; one < count; ++one) {
    each.push_back(all.substr(static_cast<std::size_t>(starts[one]), static_cast<std::size_t>(lengths[one])));
  }
  return each;
}

namespace {

/// A file on its way.
class Way {
 public:
  Way(const std::string& file, const Folder& to, const Writers& writers, const Options& options, Progress& progress)
      : to_(to),
        writers_(writers),
        options_(options),
        progress_(progress),
        result_{.file = file, .failure = {}, .left_out = {}, .failures = {}} {
    MPI_Comm_rank(writers.all, &rank_);
  }

  Result go(const std::string& file, const Identity* listed) {
    const double start = MPI_Wtime();
    Facts facts;
    if (rank_ == 0) {
      source_ = std::make_unique<Source>(file, listed);
      facts = source_->facts();
    }
    MPI_Bcast(&facts, sizeof facts, MPI_BYTE, 0, writers_.all);
    result_.bytes = facts.bytes;
    if (!facts.can_be_read) {
      result_.failure = rank_ == 0 ? source_->failure() : "rank 0 cannot read it";
      return result_;
    }
    blocks_ = {.file_bytes = facts.bytes, .block_bytes = options_.block_bytes};
    target_ = std::make_unique<Target>(to_, facts, options_.block_bytes, rank_ == 0);
    find_blocks();
    target_->start();
    if (somebody_writes()) send();
    if (result_.failure.empty()) check_source();
    if (result_.failure.empty()) {
      target_->finish(options_.reads_back, digests_);
    } else {
      target_->fail(result_.failure);
    }
    gather();
    result_.seconds = MPI_Wtime() - start;
    return std::move(result_);
  }

 private:
  /// Blocks that somebody lacks: all of them, unless somebody has something to compare.
  void find_blocks() {
    digests_.assign(blocks_.count(), {});
    int held = target_->holds_something() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_INT, MPI_MAX, writers_.all);
    std::vector<unsigned char> lacking(blocks_.count(), 1);
    if (held == 0) {
      target_->lack_all();
    } else {
      if (rank_ == 0) digest_source();
      for_pieces(digests_.size(), [&](std::size_t from, int count) {
        MPI_Bcast(&digests_[from], count * static_cast<int>(sizeof(Digest)), MPI_BYTE, 0, writers_.all);
      });
      const std::vector<bool>& mine = target_->compare(digests_);
      for (std::size_t block = 0; block < lacking.size(); ++block) lacking[block] = mine[block] ? 1 : 0;
      for_pieces(lacking.size(), [&](std::size_t from, int count) {
        MPI_Allreduce(MPI_IN_PLACE, &lacking[from], count, MPI_UNSIGNED_CHAR, MPI_MAX, writers_.all);
      });
    }
    for (std::uint64_t block = 0; block < lacking.size(); ++block) {
      if (lacking[block] != 0) sent_.push_back(block);
    }
  }

  /// Calls for as many elements at a time as a call of MPI takes.
  template <typename Call>
  static void for_pieces(std::size_t count, const Call& call) {
    constexpr std::size_t most = 1U << 20U;
    for (std::size_t from = 0; from < count; from += most) call(from, static_cast<int>(std::min(most, count - from)));
  }

  void digest_source() {
    Buffer buffer(options_.block_bytes);
    for (std::uint64_t block = 0; block < blocks_.count(); ++block) {
      source_->read(blocks_, block, buffer);
      digests_[block] = buffer.trailer().digest;
    }
  }

  /// Whether anything is lacking where it can be written.
  bool somebody_writes() {
    int writes = target_->failure().empty() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &writes, 1, MPI_INT, MPI_MAX, writers_.all);
    return writes == 1 && !sent_.empty();
  }

  void send() {
    std::vector<Buffer> buffers;
    const std::size_t count = std::min<std::size_t>(options_.buffers, std::max<std::size_t>(sent_.size(), 2));
    buffers.reserve(count);
    Queue unused;
    Queue filled;
    Queue arrived;
    for (std::size_t i = 0; i < count; ++i)
      unused.push(&buffers.emplace_back(std::min(options_.block_bytes, blocks_.file_bytes)));
    std::thread reader;
    if (rank_ == 0) reader = std::thread([&] { read_all(unused, filled); });
    std::thread writer([&] {
      while (Buffer* const buffer = arrived.pop()) {
        target_->write(*buffer);
        unused.push(buffer);
      }
    });
    for (const std::uint64_t block : sent_) {
      Buffer* const buffer = rank_ == 0 ? filled.pop() : unused.pop();
      if (rank_ != 0) buffer->hold(block, blocks_.bytes(block));
      MPI_Bcast(buffer->message().data(), static_cast<int>(buffer->message().size()), MPI_BYTE, 0, writers_.all);
      const Trailer trailer = buffer->trailer();
      if (trailer.error != 0) {
        result_.failure = "cannot read " + result_.file + ": " + std::strerror(static_cast<int>(trailer.error));
        unused.push(buffer);
        break;
      }
      digests_[block] = trailer.digest;
      result_.sent_bytes += blocks_.bytes(block);
      arrived.push(buffer);
      progress_.add(blocks_.bytes(block));
    }
    arrived.close();
    if (reader.joinable()) reader.join();
    writer.join();
  }

  /// The first block that cannot be read is the last one.
  void read_all(Queue& unused, Queue& filled) {
    for (const std::uint64_t block : sent_) {
      Buffer* const buffer = unused.pop();
      source_->read(blocks_, block, *buffer);
      const bool is_read = buffer->trailer().error == 0;
      filled.push(buffer);
      if (!is_read) return;
    }
  }

  /// Somebody who wrote to it meanwhile has made blocks of different times.
  void check_source() {
    int changed = rank_ == 0 && source_->has_changed() ? 1 : 0;
    MPI_Bcast(&changed, 1, MPI_INT, 0, writers_.all);
    if (changed == 1) result_.failure = result_.file + " has changed while it was copied";
  }

  void gather() {
    const std::vector<std::string> reasons = gathered(target_->failure(), writers_.all);
    const std::vector<std::string> hosts = gathered(writers_.host, writers_.all);
    if (!result_.failure.empty()) return;
    for (std::size_t one = 0; one < reasons.size(); ++one) {
      if (!reasons[one].empty()) result_.failures.push_back({hosts[one], reasons[one]});
    }
  }

  const Folder& to_;
  const Writers& writers_;
  const Options& options_;
  Progress& progress_;
  Result result_;
  int rank_ = 0;
  Blocks blocks_;
  std::unique_ptr<Source> source_;  ///< on rank 0
  std::unique_ptr<Target> target_;
  std::vector<std::uint64_t> sent_;  ///< blocks that are sent, alike on all
  std::vector<Digest> digests_;      ///< of all blocks
};

}  // namespace

Result transfer(const std::string& file, const Folder& to, const Identity* listed, const Writers& writers,
                const Options& options, Progress& progress) {
  return Way(file, to, writers, options, progress).go(file, listed);
}

}  // namespace trunkline::copy
