// SPDX-License-Identifier: Apache-2.0
// Reductions of every size on every kind of communicator, from every root, mixed with each other and with late ranks.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "suite.hpp"

namespace suite {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers operand(int rank, std::size_t count) {
  Numbers data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<std::int64_t>(i * 31) + rank * 1000003;
  return data;
}

Numbers sum_of(int ranks, std::size_t count) {
  Numbers data(count);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = static_cast<std::int64_t>(i * 31) * ranks + std::int64_t{1000003} * ranks * (ranks - 1) / 2;
  }
  return data;
}

void allreduce(Run& run, MPI_Comm communicator, std::size_t count, bool in_place, const std::string& what) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const Numbers own = operand(rank, count);
  Numbers got = in_place ? own : Numbers(count, -1);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : own.data(), got.data(), static_cast<int>(count), MPI_INT64_T, MPI_SUM,
                communicator);
  run.expect(got == sum_of(ranks, count), what + ": wrong");
  run.expect_ran("allreduce", ranks > 1 && count > 0, what);
}

void reduce(Run& run, MPI_Comm communicator, std::size_t count, int root, bool in_place, const std::string& what) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const bool here = rank == root;
  if (!run.accelerates("reduce")) in_place = false;  // MPICH 4.0.2 itself ends the program there
  const Numbers own = operand(rank, count);
  Numbers got = here && in_place ? own : Numbers(count, -1);
  MPI_Reduce(here && in_place ? MPI_IN_PLACE : own.data(), got.data(), static_cast<int>(count), MPI_INT64_T, MPI_SUM,
             root, communicator);
  run.expect(got == (here ? sum_of(ranks, count) : Numbers(count, -1)), what + ": wrong");
  run.expect_ran("reduce", ranks > 1 && count > 0, what);
}

/// Of an exscan the first rank gets nothing.
void scan(Run& run, MPI_Comm communicator, std::size_t count, bool in_place, const std::string& what) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const Numbers own = operand(rank, count);
  const auto elements = static_cast<int>(count);
  Numbers got = in_place ? own : Numbers(count, -1);
  MPI_Scan(in_place ? MPI_IN_PLACE : own.data(), got.data(), elements, MPI_INT64_T, MPI_SUM, communicator);
  run.expect(got == sum_of(rank + 1, count), what + ": wrong scan");
  run.expect_ran("scan", ranks > 1 && count > 0, what + " scan");
  got = in_place ? own : Numbers(count, -1);
  MPI_Exscan(in_place ? MPI_IN_PLACE : own.data(), got.data(), elements, MPI_INT64_T, MPI_SUM, communicator);
  run.expect(got == (rank > 0 ? sum_of(rank, count) : in_place ? own : Numbers(count, -1)), what + ": wrong exscan");
  run.expect_ran("exscan", ranks > 1 && count > 0, what + " exscan");
}

void every_length(Run& run) {
  for (const std::size_t count : {0U, 1U, 2U, 7U, 12U, 13U, 100U, 1000U, 20000U}) {
    const std::string what = std::to_string(count) + " numbers";
    allreduce(run, MPI_COMM_WORLD, count, false, what);
    allreduce(run, MPI_COMM_WORLD, count, true, what + " in place");
    reduce(run, MPI_COMM_WORLD, count, 0, count % 2 == 0, what + " to a root");
    scan(run, MPI_COMM_WORLD, count, false, what);
    scan(run, MPI_COMM_WORLD, count, true, what + " in place");
  }
}

void to_every_root(Run& run) {
  for (int root = 0; root < run.ranks; ++root) {
    reduce(run, MPI_COMM_WORLD, 400, root, root % 2 == 1, "root " + std::to_string(root));
  }
}

void other_communicators(Run& run) {
  const auto on = [&](MPI_Comm communicator, const std::string& what) {
    int ranks = 1;
    MPI_Comm_size(communicator, &ranks);
    allreduce(run, communicator, 333, false, what);
    reduce(run, communicator, 333, ranks - 1, false, what);
    allreduce(run, communicator, 50, true, what);
    scan(run, communicator, 333, ranks % 2 == 0, what);
  };
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  on(made, "a duplicate");
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -run.rank, &made);
  on(made, "ranks reversed");
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, run.rank % 2, run.rank, &made);
  on(made, "a half");
  MPI_Comm_free(&made);
  on(MPI_COMM_SELF, "MPI_COMM_SELF");
}

/// Floating point: any order of operands rounds otherwise, so equal bits show the same order. Where ranks combine as
/// they come it may be another one in each call; but all ranks of a call get the same bits.
void equal_bits(Run& run) {
  const bool by_arrival = std::getenv("TRUNKLINE_WITHIN_HOSTS") != nullptr;
  std::vector<double> own(700);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = 1.0 / (3.0 + static_cast<double>(i) + run.rank * 0.7);
  std::vector<double> first(own.size());
  MPI_Allreduce(own.data(), first.data(), 700, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int again = 0; again < 5; ++again) {
    if (again == run.rank) usleep(2000);
    std::vector<double> next(own.size());
    MPI_Allreduce(own.data(), next.data(), 700, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (by_arrival) {
      first = next;
      MPI_Bcast(first.data(), 700, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    run.expect(std::memcmp(first.data(), next.data(), sizeof(double) * own.size()) == 0, "other bits the next time");
  }
  std::vector<double> of_first_rank = first;
  PMPI_Bcast(of_first_rank.data(), 700, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  run.expect(std::memcmp(first.data(), of_first_rank.data(), sizeof(double) * own.size()) == 0,
             "other bits than rank 0");
}

/// Back to back, so that one call's messages meet the next one's; somebody is late now and then.
void one_after_another(Run& run) {
  for (int turn = 0; turn < 120; ++turn) {
    if (turn % 30 == 7 && turn % run.ranks == run.rank) usleep(20000);
    const auto count = static_cast<std::size_t>(turn * 37 % 900 + 1);
    const std::string what = "turn " + std::to_string(turn);
    if (turn % 4 == 0) {
      broadcast_bytes(run, count, turn % run.ranks, MPI_COMM_WORLD, what);
    } else if (turn % 4 == 1) {
      reduce(run, MPI_COMM_WORLD, count, turn * 3 % run.ranks, turn % 8 == 1, what);
    } else if (turn % 4 == 2) {
      allreduce(run, MPI_COMM_WORLD, count, true, what);
    } else {
      scan(run, MPI_COMM_WORLD, count, turn % 8 == 3, what);
    }
  }
}

void reductions_in_two_threads(Run& run) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  std::vector<std::string> wrong(2);
  const auto work = [&](int which) {
    const MPI_Comm communicator = which == 0 ? MPI_COMM_WORLD : own;
    for (int turn = 0; turn < 30; ++turn) {
      const std::size_t count = 200 + static_cast<std::size_t>(which) * 77;
      Numbers got = operand(run.rank, count);
      MPI_Allreduce(MPI_IN_PLACE, got.data(), static_cast<int>(count), MPI_INT64_T, MPI_SUM, communicator);
      if (got != sum_of(run.ranks, count)) wrong[static_cast<std::size_t>(which)] = "wrong numbers";
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (const std::string& one : wrong) run.expect(one.empty(), one);
  MPI_Comm_free(&own);
}

void between_communicators(Run& run) {
  if (run.ranks < 2) return;
  const bool left = run.rank < run.ranks / 2;
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, left ? 0 : 1, run.rank, &side);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, left ? run.ranks / 2 : 0, 6, &between);
  const std::vector<int> own(600, 1);
  std::vector<int> got(600, 0);
  MPI_Allreduce(own.data(), got.data(), 600, MPI_INT, MPI_SUM, between);
  const int others = left ? run.ranks - run.ranks / 2 : run.ranks / 2;
  run.expect(std::ranges::all_of(got, [&](int one) { return one == others; }), "wrong between two communicators");
  run.expect_ran("allreduce", false, "between two communicators");
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);
}

/// Every 16th element has the same operands, so it has the same bits, whatever the length, where the order is one. Each
/// kind of them shows one other order in two.
void one_order(Run& run) {
  constexpr std::size_t kinds = 16;
  using Bits = std::array<float, kinds>;
  const auto operands = [&](std::size_t length) {
    std::vector<float> values(length);
    for (std::size_t i = 0; i < length; ++i) {
      values[i] = static_cast<float>(1.0 / (3 + run.rank * 7 + static_cast<int>(i % kinds * 5)));
    }
    return values;
  };
  Bits all{};
  Bits at_root{};
  Bits share{};
  const auto check = [&](const std::vector<float>& got, Bits& first, const char* what) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      float& same = first[i % kinds];
      if (same == 0.0F) same = got[i];
      if (!run.expect(same == got[i], std::string(what) + ": other bits in " + std::to_string(got.size()))) return;
    }
  };
  for (const int count : {1, 2, 7, 300, 1000, 5008, 40000}) {
    const auto length = static_cast<std::size_t>(count);
    const std::vector<float> own = operands(length);
    std::vector<float> got(length);
    MPI_Allreduce(own.data(), got.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    check(got, all, "allreduce");
    MPI_Reduce(own.data(), got.data(), count, MPI_FLOAT, MPI_SUM, run.ranks - 1, MPI_COMM_WORLD);
    if (run.rank == run.ranks - 1) check(got, at_root, "reduce");
  }
  for (const std::size_t length : {kinds, 10 * kinds, 1000 * kinds}) {
    const std::vector<float> own = operands(length * static_cast<std::size_t>(run.ranks));
    std::vector<float> got(length);
    MPI_Reduce_scatter_block(own.data(), got.data(), static_cast<int>(length), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    check(got, share, "reduce-scatter-block");
  }
}

/// What an operation takes of 0 and -0, by its operands' order alone: the same bits everywhere, whatever the length, in
/// place or not, and the same on all ranks.
template <class Number>
void one_zero(Run& run, MPI_Datatype type, MPI_Op operation, const std::string& name) {
  int sign = -1;
  for (const int count : {1, 2, 3, 5, 8, 13, 33, 1000, 5003, 40001}) {
    for (const bool in_place : {false, true}) {
      const auto length = static_cast<std::size_t>(count);
      const std::vector<Number> own(length, run.rank % 2 == 0 ? Number{0} : -Number{0});
      std::vector<Number> got = own;
      MPI_Allreduce(in_place ? MPI_IN_PLACE : own.data(), got.data(), count, type, operation, MPI_COMM_WORLD);
      if (sign < 0) sign = std::signbit(got[0]) ? 1 : 0;
      const bool same = std::ranges::all_of(got, [&](Number one) { return std::signbit(one) == (sign == 1); });
      run.expect(same, name + ": another zero in " + std::to_string(count) + (in_place ? " in place" : ""));
    }
  }
  MPI_Bcast(&sign, 1, MPI_INT, 0, MPI_COMM_WORLD);
  run.expect(sign == (operation == MPI_MIN ? 1 : 0), name + ": the other zero");
}

void one_zero_of_two(Run& run) {
  if (run.ranks < 2) return;
  one_zero<float>(run, MPI_FLOAT, MPI_MAX, "greatest float");
  one_zero<double>(run, MPI_DOUBLE, MPI_MAX, "greatest double");
  one_zero<double>(run, MPI_DOUBLE, MPI_MIN, "least double");
  one_zero<long double>(run, MPI_LONG_DOUBLE, MPI_MIN, "least long double");
}

/// MPI_MAXLOC keeps the value of one of its two operands where they are equal.
void one_zero_with_place(Run& run) {
  struct Pair {
    double value;
    int place;
  };
  int sign = -1;
  for (const int count : {1, 3, 1000, 5003}) {
    for (const bool in_place : {false, true}) {
      const std::vector<Pair> own(static_cast<std::size_t>(count), Pair{run.rank % 2 == 0 ? 0.0 : -0.0, run.rank});
      std::vector<Pair> got = own;
      MPI_Allreduce(in_place ? MPI_IN_PLACE : own.data(), got.data(), count, MPI_DOUBLE_INT, MPI_MAXLOC,
                    MPI_COMM_WORLD);
      if (sign < 0) sign = std::signbit(got[0].value) ? 1 : 0;
      const bool same = std::ranges::all_of(
          got, [&](const Pair& one) { return std::signbit(one.value) == (sign == 1) && one.place == 0; });
      run.expect(same, "another zero in " + std::to_string(count) + (in_place ? " in place" : ""));
    }
  }
}

}  // namespace

std::vector<Case> reduction_cases() {
  return {{"one order", "bits do not depend on the length", one_order},
          {"one order", "0 or -0", one_zero_of_two},
          {"one order", "0 or -0, with its place", one_zero_with_place},
          {"reductions", "every size", every_length},
          {"reductions", "every root", to_every_root},
          {"reductions", "other communicators", other_communicators},
          {"reductions", "equal bits", equal_bits},
          {"reductions", "one after another", one_after_another},
          {"reductions", "two threads", reductions_in_two_threads},
          {"reductions", "between two communicators", between_communicators}};
}

}  // namespace suite
