// SPDX-License-Identifier: Apache-2.0
// What one rank was told, before the ranks agree on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/collective.hpp"
#include "decide/wish.hpp"
#include "transport/group_way.hpp"

namespace trunkline::runtime {

/// By collective.
using Wishes = std::array<Wish, most_collectives>;

/// How the ranks of a host may hand data on in memory.
enum class HostMemoryWish : std::uint8_t {
  none,
  copied,  ///< but none reads another one's own memory
  any,
};

/// How the ranks of a host combine operands of an allreduce.
enum class WithinHosts : std::uint8_t {
  plan,     ///< as the plan says who sends to whom
  arrival,  ///< as they come
};

/// What goes on with calls that do not block.
enum class Progress : std::uint8_t {
  calls,   ///< the program's calls of MPI
  thread,  ///< and a thread of ours
};

/// Whether calls try out what is fastest.
enum class Learn : std::uint8_t {
  none,
  exact,  ///< those whose result is the same to the last bit whatever runs them
  any,
  only_known,  ///< nothing is tried: what earlier jobs have found runs
};

/// How it is said what ran for which call.
enum class Explain : std::uint8_t {
  none,
  words,  ///< once for calls that are alike, for people
  json,   ///< a line for each call, for programs
};

struct RankRange {
  int first = 0;
  int last = 0;
};

/// What of all a trace is to have.
struct Traced {
  std::vector<RankRange> ranks{};                 ///< of MPI_COMM_WORLD; empty: all
  std::uint32_t collectives = ~std::uint32_t{0};  ///< a bit each, by their numbers
  bool starts = true;                             ///< else the program turns it on
  std::uint64_t from_ns = 0;                      ///< after MPI_Init
  std::uint64_t until_ns = ~std::uint64_t{0};
};
static_assert(most_collectives <= 32, "a bit for each collective");

struct Setup {
  std::string cluster{};     ///< bundled name or file; empty: none
  std::string plan{};        ///< file; empty: none
  std::string tuning{};      ///< file; empty: none
  std::string measured{};    ///< file; empty: none
  std::string host_costs{};  ///< what messages cost the hosts, as host_costs_from() reads it; empty: the library's
  std::string host{};        ///< this rank's host; empty: the processor's name
  Wishes wishes{};
  std::string trace{};                                  ///< folder; empty: none
  std::uint64_t trace_bytes = std::uint64_t{32} << 20;  ///< of each rank's file
  Traced traced{};
  double patience_s = 20.0;        ///< for ranks that have not loaded the library
  bool reproducible = false;       ///< reductions combine operands in one order, whatever their number
  bool multicasts = true;          ///< `auto` may take plans that go by datagrams
  GroupWay way = GroupWay::usual;  ///< of datagrams
  HostMemoryWish host_memory = HostMemoryWish::any;
  WithinHosts within_hosts = WithinHosts::plan;
  Progress progress = Progress::calls;
  bool follow = false;  ///< calls follow the cluster file when it changes
  Learn learn = Learn::none;
  std::string learned{};  ///< folders of what jobs have found, with colons between; "0": none; empty: the usual ones
  Explain explain = Explain::none;
  std::string summary{};  ///< "1": at the end, for people; else a file or folder; empty: none
  bool strict = false;
  bool disable = false;
};

}  // namespace trunkline::runtime
