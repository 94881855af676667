// SPDX-License-Identifier: Apache-2.0
// Barriers, and collectives in which each rank has a share: of equal and of different lengths, empty ones among them.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "suite.hpp"

namespace suite {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t untouched = -1;

std::int64_t value(int rank, std::size_t i) { return static_cast<std::int64_t>(i * 31) + rank * 1000003; }

/// The shares of the ranks of a communicator.
struct ShareJob {
  Run& run;
  MPI_Comm communicator;
  int rank = 0;
  int ranks = 1;
  std::vector<int> counts;
  std::vector<int> starts;  ///< with a gap behind each share
  std::string what;

  ShareJob(Run& of, MPI_Comm on, std::size_t count, bool even, std::string name)
      : run(of), communicator(on), what(std::move(name)) {
    MPI_Comm_rank(on, &rank);
    MPI_Comm_size(on, &ranks);
    int start = 0;
    for (int i = 0; i < ranks; ++i) {
      const auto length = static_cast<int>(count);
      counts.push_back(even ? length : (i % 3 == 1 ? 0 : length * (i % 4 + 1) / 3));
      starts.push_back(start);
      start += counts.back() + (even ? 0 : 1);
    }
  }

  [[nodiscard]] std::size_t own() const { return static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]); }
  [[nodiscard]] std::size_t total() const {
    std::size_t all = 0;
    for (const int count : counts) all += static_cast<std::size_t>(count);
    return all;
  }
  void ran(const char* collective) const { run.expect_ran(collective, ranks > 1 && total() > 0, what + collective); }
};

void allgather(const ShareJob& job, bool in_place) {
  const std::size_t count = job.own();
  Numbers own(count);
  for (std::size_t i = 0; i < count; ++i) own[i] = value(job.rank, i);
  Numbers got(count * static_cast<std::size_t>(job.ranks) + 1, untouched);
  if (in_place) std::copy(own.begin(), own.end(), got.begin() + static_cast<std::ptrdiff_t>(count) * job.rank);
  MPI_Allgather(in_place ? MPI_IN_PLACE : own.data(), in_place ? 0 : static_cast<int>(count),
                in_place ? MPI_DATATYPE_NULL : MPI_INT64_T, got.data(), static_cast<int>(count), MPI_INT64_T,
                job.communicator);
  bool right = got.back() == untouched;
  for (int rank = 0; rank < job.ranks; ++rank) {
    for (std::size_t i = 0; i < count; ++i) {
      right = right && got[static_cast<std::size_t>(rank) * count + i] == value(rank, i);
    }
  }
  job.run.expect(right, job.what + " allgather is wrong");
  job.ran("allgather");
}

void allgatherv(const ShareJob& job, bool in_place) {
  Numbers own(job.own());
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = value(job.rank, i);
  Numbers expected(static_cast<std::size_t>(job.starts.back() + job.counts.back() + 1), untouched);
  for (int rank = 0; rank < job.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (int i = 0; i < job.counts[at]; ++i) {
      expected[static_cast<std::size_t>(job.starts[at] + i)] = value(rank, static_cast<std::size_t>(i));
    }
  }
  Numbers got(expected.size(), untouched);
  if (in_place) std::copy(own.begin(), own.end(), got.begin() + job.starts[static_cast<std::size_t>(job.rank)]);
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : own.data(), static_cast<int>(own.size()), MPI_INT64_T, got.data(),
                 job.counts.data(), job.starts.data(), MPI_INT64_T, job.communicator);
  job.run.expect(got == expected, job.what + " allgatherv is wrong");
  job.ran("allgatherv");
}

/// Each rank's block for each other one begins at another place of what it has.
void alltoall(const ShareJob& job, bool in_place) {
  const std::size_t count = job.own();
  const auto all = count * static_cast<std::size_t>(job.ranks);
  Numbers own(all);
  for (std::size_t i = 0; i < all; ++i) own[i] = value(job.rank, i);
  Numbers got(all + 1, untouched);
  if (in_place) std::copy(own.begin(), own.end(), got.begin());
  MPI_Alltoall(in_place ? MPI_IN_PLACE : own.data(), in_place ? 0 : static_cast<int>(count),
               in_place ? MPI_DATATYPE_NULL : MPI_INT64_T, got.data(), static_cast<int>(count), MPI_INT64_T,
               job.communicator);
  bool right = got.back() == untouched;
  for (std::size_t i = 0; i < all; ++i) {
    const auto from = static_cast<int>(i / count);
    right = right && got[i] == value(from, static_cast<std::size_t>(job.rank) * count + i % count) &&
            own[i] == value(job.rank, i);
  }
  job.run.expect(right, job.what + " alltoall is wrong");
  job.ran("alltoall");
}

/// Elements that one rank has for another, in place the same both ways; some pairs have none.
int between(const ShareJob& job, int from, int to, bool in_place) {
  return (job.counts.front() + 1) * ((from + (in_place ? 1 : 2) * to) % 4) / 2;
}

/// Where blocks begin, with a gap behind each, and one behind all: elements, or bytes.
std::vector<int> starts_of(const std::vector<int>& counts, int unit) {
  std::vector<int> starts{0};
  for (const int count : counts) starts.push_back(starts.back() + (count + 1) * unit);
  return starts;
}

/// Each rank has more for some than for others; `typed`: MPI_Alltoallw.
void alltoallv(const ShareJob& job, bool in_place, bool typed) {
  std::vector<int> sent;
  std::vector<int> received;
  for (int other = 0; other < job.ranks; ++other) {
    sent.push_back(between(job, job.rank, other, in_place));
    received.push_back(between(job, other, job.rank, in_place));
  }
  const auto filled = [&](const std::vector<int>& counts, bool is_own) {
    const std::vector<int> starts = starts_of(counts, 1);
    Numbers all(static_cast<std::size_t>(starts.back()), untouched);
    for (int other = 0; other < job.ranks; ++other) {
      const auto at = static_cast<std::size_t>(other);
      for (int i = 0; i < counts[at]; ++i) {
        all[static_cast<std::size_t>(starts[at] + i)] =
            value(is_own ? job.rank * 100 + other : other * 100 + job.rank, static_cast<std::size_t>(i));
      }
    }
    return all;
  };
  const Numbers own = filled(sent, true);
  const Numbers expected = filled(received, false);
  Numbers got = in_place ? own : Numbers(expected.size(), untouched);
  const void* const send = in_place ? MPI_IN_PLACE : own.data();
  if (typed) {
    constexpr int unit = sizeof(std::int64_t);
    const auto types = [&](const std::vector<int>& counts, MPI_Datatype type) {
      return std::vector<MPI_Datatype>(counts.size(), type);
    };
    MPI_Alltoallw(send, sent.data(), starts_of(sent, unit).data(), types(sent, MPI_INT64_T).data(), got.data(),
                  received.data(), starts_of(received, unit).data(), types(received, MPI_INT64_T).data(),
                  job.communicator);
  } else {
    MPI_Alltoallv(send, sent.data(), starts_of(sent, 1).data(), MPI_INT64_T, got.data(), received.data(),
                  starts_of(received, 1).data(), MPI_INT64_T, job.communicator);
  }
  job.run.expect(got == expected, job.what + (typed ? " alltoallw" : " alltoallv") + " is wrong");
  job.run.expect_ran("alltoallv", job.ranks > 1, job.what + " alltoallv");
}

/// To each root, and back from it.
void gather_and_scatter(const ShareJob& job, bool in_place) {
  const std::size_t count = job.own();
  const auto share = static_cast<int>(count);
  for (int root = 0; root < job.ranks; root += std::max(job.ranks - 1, 1)) {
    const bool is_root = job.rank == root;
    Numbers own(count + 1, untouched);
    for (std::size_t i = 0; i < count; ++i) own[i] = value(job.rank, i);
    Numbers all(is_root ? count * static_cast<std::size_t>(job.ranks) + 1 : 1, untouched);
    const bool lies_there = in_place && is_root;
    if (lies_there) std::copy(own.begin(), own.end() - 1, all.begin() + static_cast<std::ptrdiff_t>(count) * root);
    MPI_Gather(lies_there ? MPI_IN_PLACE : own.data(), share, MPI_INT64_T, is_root ? all.data() : nullptr,
               is_root ? share : -1, is_root ? MPI_INT64_T : MPI_DATATYPE_NULL, root, job.communicator);
    bool right = all.back() == untouched;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      right = right && all[i] == value(static_cast<int>(i / count), i % count);
    job.run.expect(right, job.what + " gather is wrong");
    job.ran("gather");
    if (!lies_there) std::ranges::fill(own, untouched);
    MPI_Scatter(is_root ? all.data() : nullptr, is_root ? share : -1, is_root ? MPI_INT64_T : MPI_DATATYPE_NULL,
                lies_there ? MPI_IN_PLACE : own.data(), share, MPI_INT64_T, root, job.communicator);
    right = own.back() == untouched;
    for (std::size_t i = 0; i < count; ++i) right = right && own[i] == value(job.rank, i);
    job.run.expect(right, job.what + " scatter is wrong");
    job.ran("scatter");
  }
}

/// Sums of all ranks' vectors, of which this rank keeps what begins `first` numbers in.
Numbers share_of_sums(const ShareJob& job, std::size_t first, std::size_t count) {
  Numbers sums(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int rank = 0; rank < job.ranks; ++rank) sums[i] += value(rank, first + i);
  }
  return sums;
}

void reduce_scatter(const ShareJob& job, bool in_place, bool block) {
  Numbers own(job.total() + 1, untouched);
  for (std::size_t i = 0; i < job.total(); ++i) own[i] = value(job.rank, i);
  Numbers got = in_place ? own : Numbers(job.own() + 1, untouched);
  const void* const send = in_place ? MPI_IN_PLACE : own.data();
  if (block) {
    MPI_Reduce_scatter_block(send, got.data(), static_cast<int>(job.own()), MPI_INT64_T, MPI_SUM, job.communicator);
  } else {
    MPI_Reduce_scatter(send, got.data(), job.counts.data(), MPI_INT64_T, MPI_SUM, job.communicator);
  }
  std::size_t first = 0;
  for (int rank = 0; rank < job.rank; ++rank)
    first += static_cast<std::size_t>(job.counts[static_cast<std::size_t>(rank)]);
  const bool beyond = in_place || got[job.own()] == untouched;
  got.resize(job.own());
  job.run.expect(beyond && got == share_of_sums(job, first, job.own()), job.what + " reduce-scatter is wrong");
  job.ran(block ? "reduce-scatter-block" : "reduce-scatter");
}

void every_call(Run& run, MPI_Comm communicator, std::size_t count, bool in_place, const std::string& what) {
  const ShareJob even(run, communicator, count, true, what);
  allgather(even, in_place);
  reduce_scatter(even, in_place, true);
  alltoall(even, in_place);
  gather_and_scatter(even, in_place);
  const ShareJob uneven(run, communicator, count, false, what + " uneven");
  allgatherv(uneven, in_place);
  reduce_scatter(uneven, in_place, false);
  alltoallv(uneven, in_place, false);
  alltoallv(uneven, in_place, true);
}

void shares_of_every_length(Run& run) {
  for (const std::size_t count : {0U, 1U, 2U, 7U, 12U, 100U, 1000U, 5000U}) {
    for (const bool in_place : {false, true}) {
      every_call(run, MPI_COMM_WORLD, count, in_place, std::to_string(count) + (in_place ? " in place" : ""));
    }
  }
}

void shares_on_other_communicators(Run& run) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -run.rank, &made);
  every_call(run, made, 333, false, "ranks reversed");
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, run.rank % 2, run.rank, &made);
  every_call(run, made, 333, true, "a half");
  MPI_Comm_free(&made);
  every_call(run, MPI_COMM_SELF, 333, false, "MPI_COMM_SELF");
}

/// Ranks describe the same bytes by different datatypes, with gaps and without.
void shares_of_other_datatypes(Run& run) {
  constexpr int count = 300;
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT64_T, &pairs);  // two numbers, one left out between them
  MPI_Type_commit(&pairs);
  const bool gaps = run.rank % 2 == 0;
  Numbers own(gaps ? std::size_t{count} / 2 * 3 : count, untouched);
  for (std::size_t i = 0; i < count; ++i) own[gaps ? i / 2 * 3 + i % 2 * 2 : i] = value(run.rank, i);
  const auto place = [&](std::size_t i) { return gaps ? i : i / 2 * 3 + i % 2 * 2; };
  Numbers got(static_cast<std::size_t>(run.ranks) * count * 2, untouched);
  MPI_Allgather(own.data(), gaps ? count / 2 : count, gaps ? pairs : MPI_INT64_T, got.data(), gaps ? count : count / 2,
                gaps ? MPI_INT64_T : pairs, MPI_COMM_WORLD);
  Numbers expected(got.size(), untouched);
  for (int rank = 0; rank < run.ranks; ++rank) {
    for (std::size_t i = 0; i < count; ++i) {
      expected[place(static_cast<std::size_t>(rank) * count + i)] = value(rank, i);
    }
  }
  run.expect(got == expected, "wrong numbers, or some in gaps");
  run.expect_ran("allgather", run.ranks > 1, "other datatypes");
  const auto all = static_cast<std::size_t>(run.ranks) * count;
  own.assign(gaps ? all / 2 * 3 : all, untouched);
  for (std::size_t i = 0; i < all; ++i) own[gaps ? i / 2 * 3 + i % 2 * 2 : i] = value(run.rank, i);
  std::ranges::fill(got, untouched);
  MPI_Alltoall(own.data(), gaps ? count / 2 : count, gaps ? pairs : MPI_INT64_T, got.data(), gaps ? count : count / 2,
               gaps ? MPI_INT64_T : pairs, MPI_COMM_WORLD);
  std::ranges::fill(expected, untouched);
  for (std::size_t i = 0; i < all; ++i) {
    expected[place(i)] = value(static_cast<int>(i / count), static_cast<std::size_t>(run.rank) * count + i % count);
  }
  run.expect(got == expected, "wrong numbers of an alltoall, or some in gaps");
  run.expect_ran("alltoall", run.ranks > 1, "other datatypes of an alltoall");
  std::ranges::fill(got, untouched);
  const int root = run.ranks - 1;
  MPI_Gather(own.data(), gaps ? count / 2 : count, gaps ? pairs : MPI_INT64_T, got.data(), gaps ? count : count / 2,
             gaps ? MPI_INT64_T : pairs, root, MPI_COMM_WORLD);
  std::ranges::fill(expected, untouched);
  for (std::size_t i = 0; i < all && run.rank == root; ++i) {
    expected[place(i)] = value(static_cast<int>(i / count), i % count);
  }
  run.expect(got == expected, "wrong numbers of a gather, or some in gaps");
  run.expect_ran("gather", run.ranks > 1, "other datatypes of a gather");
  Numbers back(static_cast<std::size_t>(count) * 2, untouched);
  MPI_Scatter(got.data(), gaps ? count : count / 2, gaps ? MPI_INT64_T : pairs, back.data(), gaps ? count / 2 : count,
              gaps ? pairs : MPI_INT64_T, root, MPI_COMM_WORLD);
  Numbers own_back(back.size(), untouched);
  for (std::size_t i = 0; i < count; ++i) own_back[gaps ? i / 2 * 3 + i % 2 * 2 : i] = value(run.rank, i);
  run.expect(back == own_back, "wrong numbers of a scatter, or some in gaps");
  run.expect_ran("scatter", run.ranks > 1, "other datatypes of a scatter");
  MPI_Type_free(&pairs);
}

void shares_one_after_another(Run& run) {
  for (int turn = 0; turn < 60; ++turn) {
    if (turn % 20 == 7 && turn % run.ranks == run.rank) usleep(20000);
    const auto count = static_cast<std::size_t>(turn * 37 % 400 + 1);
    const ShareJob job(run, MPI_COMM_WORLD, count, turn % 2 == 0, "turn " + std::to_string(turn));
    if (turn % 5 == 0) {
      broadcast_bytes(run, count, turn % run.ranks, MPI_COMM_WORLD, job.what);
    } else if (turn % 5 == 1) {
      allgatherv(job, turn % 3 == 0);
    } else if (turn % 5 == 2) {
      reduce_scatter(job, turn % 3 == 0, false);
    } else if (turn % 5 == 3) {
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      const ShareJob even(run, MPI_COMM_WORLD, count, true, job.what);
      allgather(even, turn % 3 == 0);
      alltoall(even, turn % 3 == 1);
      alltoallv(job, turn % 3 == 2, turn % 2 == 1);
      reduce_scatter(even, turn % 3 == 0, true);
      gather_and_scatter(even, turn % 3 == 2);
    }
  }
}

/// Nobody leaves before the last one has come: that one's word is there when the others look, without waiting.
void nobody_leaves_early(Run& run) {
  for (int late = 0; late < run.ranks; ++late) {
    constexpr int tag = 77;
    if (run.rank == late) {
      usleep(20000);
      for (int other = 0; other < run.ranks; ++other) {
        if (other != late) MPI_Send(&late, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (run.rank == late) continue;
    // MPI may deliver the word a little later than the barrier's messages: it was sent before, so soon.
    int is_there = 0;
    for (int look = 0; look < 200 && is_there == 0; ++look) {
      MPI_Iprobe(late, tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
      if (is_there == 0 && look > 100) usleep(10);
    }
    run.expect(is_there != 0, "left before rank " + std::to_string(late) + " came");
    int word = -1;
    MPI_Recv(&word, 1, MPI_INT, late, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  run.expect_ran("barrier", run.ranks > 1, "barrier");
}

}  // namespace

std::vector<Case> share_cases() {
  return {{"shares", "every size", shares_of_every_length},
          {"shares", "other communicators", shares_on_other_communicators},
          {"shares", "other datatypes", shares_of_other_datatypes},
          {"shares", "one after another", shares_one_after_another},
          {"shares", "nobody leaves early", nobody_leaves_early}};
}

}  // namespace suite
