// SPDX-License-Identifier: Apache-2.0
// Messages through memory that ranks share, between threads that each take themselves for a process: random traffic
// with hardly any room, and what becomes of messages that are dropped, too long or withdrawn.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "transport/memory/host_memory.hpp"
#include "transport/memory/mapping.hpp"

namespace trunkline::runtime {
namespace {

constexpr MemoryLimits tiny{.inbox = 2, .slot_bytes = 128, .own_slots = 1, .common_slots = 1, .tickets = 4};

constexpr MemoryLimits tiny_with_shelves{
    .inbox = 2, .slot_bytes = 128, .own_slots = 1, .common_slots = 1, .tickets = 4, .shelves = 3};

struct Freed {
  void operator()(std::byte* memory) const { std::free(memory); }
};

/// Ranks 0, 1, ... of one host, all in this process.
class Host {
 public:
  Host(std::uint32_t ranks, const MemoryLimits& limits, bool reads, bool is_threaded = false, long process = getpid())
      : limits_(limits) {
    MemoryHost host{.all_ranks = ranks, .is_threaded = is_threaded};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      host.ranks.push_back(static_cast<int>(rank));
      host.processes.push_back(process);
      const std::size_t bytes = (SharedSegment::bytes(limits, ranks) + 4095) / 4096 * 4096;
      areas_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
      std::memset(areas_.back().get(), 0, bytes);
    }
    for (host.own = 0; host.own < ranks; ++host.own) {
      ranks_.push_back(std::make_unique<HostMemory>(limits, host));
      for (std::uint32_t peer = 0; peer < ranks; ++peer) {
        ranks_.back()->attach(peer, SharedSegment(areas_[peer].get(), limits, ranks));
      }
      ranks_.back()->may_read(reads);
    }
  }
  HostMemory& operator[](std::uint32_t rank) { return *ranks_[rank]; }
  [[nodiscard]] bool sleeps(std::uint32_t rank) const {
    return SharedSegment(areas_[rank].get(), limits_, static_cast<std::uint32_t>(ranks_.size())).sleeps() != 0;
  }

 private:
  MemoryLimits limits_;
  std::vector<std::unique_ptr<std::byte, Freed>> areas_{};
  std::vector<std::unique_ptr<HostMemory>> ranks_{};
};

std::vector<unsigned char> content(std::uint32_t bytes, std::uint64_t seed) {
  std::vector<unsigned char> all(bytes);
  for (std::uint32_t i = 0; i < bytes; ++i) all[i] = static_cast<unsigned char>(seed * 131 + i * 7 + i / 256);
  return all;
}

MemoryOperation& sending(HostMemory& from, const MemoryCallKey& key, std::uint32_t to, const void* data,
                         std::uint32_t bytes, std::uint32_t longest, bool synchronous, std::uint16_t stream = 0) {
  MemoryOperation& one = from.operation();
  one.is_send = true;
  one.peer = to;
  one.stream = stream;
  one.bytes = bytes;
  one.at = static_cast<const std::byte*>(data);
  one.call = key;
  one.wants_ticket = synchronous;
  one.is_long = bytes > longest;
  one.by_pieces = one.is_long && !from.reads();
  return one;
}

MemoryOperation& receiving(HostMemory& at, MemoryCall& call, std::uint32_t from, void* data, std::uint32_t bytes,
                           std::uint16_t stream = 0) {
  MemoryOperation& one = at.operation();
  one.peer = from;
  one.stream = stream;
  one.chunk = {.at = static_cast<std::byte*>(data), .count = static_cast<int>(bytes), .bytes = static_cast<int>(bytes)};
  at.receive(one, call);
  return one;
}

/// One look, as a transport makes it.
bool is_over(HostMemory& at, MemoryOperation& one) {
  {
    const auto guard = at.guard();
    at.progress();
    if (at.is_over(one)) return true;
    if (one.state != MemoryOperation::State::lying) return false;
  }
  at.read(one);
  const auto guard = at.guard();
  at.finish_reading(one);
  return one.state == MemoryOperation::State::over;
}

struct Planned {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t bytes;
  std::uint16_t stream;
  bool synchronous;
  std::uint64_t seed;
};

/// The same on all ranks: so many messages of one call.
std::vector<Planned> plan_of(std::uint64_t seed, std::uint32_t ranks, int messages) {
  std::mt19937_64 random(seed);
  std::vector<Planned> all;
  for (int i = 0; i < messages; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % ranks);
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % (ranks - 1)) % ranks);
    constexpr std::array<std::uint32_t, 7> lengths{0, 8, 72, 73, 128, 129, 3000};
    all.push_back({.from = from,
                   .to = to,
                   .bytes = lengths[random() % lengths.size()],
                   .stream = static_cast<std::uint16_t>(random() % 3),
                   .synchronous = random() % 4 == 0,
                   .seed = random()});
  }
  return all;
}

/// One rank's part of one call on one communicator: starts all, some later than others, and waits for all.
void take_part(HostMemory& at, std::uint32_t rank, std::uint32_t ranks, std::uint32_t communicator, std::uint64_t turn,
               std::uint64_t seed) {
  const MemoryCallKey key{.communicator = communicator, .turn = turn, .claim = seed};
  const std::vector<Planned> plan = plan_of(seed, ranks, 60);
  std::vector<std::vector<unsigned char>> data(plan.size());
  std::vector<MemoryOperation*> under_way(plan.size());
  std::mt19937_64 random(seed * ranks + rank);
  MemoryCall* call = nullptr;
  {
    const auto guard = at.guard();
    call = &at.enter(key);
  }
  const auto finish_some = [&](std::size_t until, bool all) {
    for (bool left = true; left;) {
      left = false;
      for (std::size_t i = 0; i < until; ++i) {
        if (under_way[i] == nullptr) continue;
        if (!is_over(at, *under_way[i])) {
          left = all;
          continue;
        }
        const bool sent = under_way[i]->is_send;
        EXPECT_EQ(under_way[i]->code, MPI_SUCCESS);
        if (!sent) {
          EXPECT_EQ(under_way[i]->bytes, plan[i].bytes);
          EXPECT_EQ(data[i], content(plan[i].bytes, plan[i].seed)) << "message " << i;
        }
        const auto guard = at.guard();
        at.give_back(*under_way[i]);
        under_way[i] = nullptr;
        if (sent) std::ranges::fill(data[i], static_cast<unsigned char>(0xEE));  // nobody may still read it
      }
      std::this_thread::yield();
    }
  };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Planned& one = plan[i];
    if (one.from == rank) {
      data[i] = content(one.bytes, one.seed);
      const auto guard = at.guard();
      under_way[i] = &sending(at, key, one.to, data[i].data(), one.bytes, 128, one.synchronous, one.stream);
      at.send(*under_way[i]);
    } else if (one.to == rank) {
      data[i].resize(one.bytes);
      const auto guard = at.guard();
      under_way[i] = &receiving(at, *call, one.from, data[i].data(), one.bytes, one.stream);
    }
    if (random() % 5 == 0) finish_some(i + 1, false);
  }
  finish_some(plan.size(), true);
  const auto guard = at.guard();
  at.leave(*call);
}

void exchange_at_random(std::uint32_t ranks, std::uint32_t threads, const MemoryLimits& limits, bool reads) {
  Host host(ranks, limits, reads, threads > 1);
  std::vector<std::thread> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      all.emplace_back([&, rank, thread] {
        for (std::uint64_t turn = 0; turn < 20; ++turn) {
          take_part(host[rank], rank, ranks, thread, turn, 1000 * turn + thread);
        }
      });
    }
  }
  for (std::thread& one : all) one.join();
}

TEST(HostMemory, CarriesMessagesInOrder) { exchange_at_random(3, 1, {}, true); }
TEST(HostMemory, CarriesThemWithHardlyAnyRoom) { exchange_at_random(4, 1, tiny, true); }
TEST(HostMemory, CarriesThemByPieces) { exchange_at_random(4, 1, tiny, false); }
TEST(HostMemory, CarriesThemBetweenRanksThatRing) {
  exchange_at_random(9, 1, tiny, true);
  exchange_at_random(9, 1, tiny, false);
}
TEST(HostMemory, CarriesThoseOfSeveralThreads) {
  MemoryLimits limits = tiny;
  limits.tickets = 1000;  // of several calls at once each may need all of its own
  exchange_at_random(3, 3, limits, true);
  exchange_at_random(3, 3, limits, false);
}

/// The first page may be read, the others not: they are not there in the process that is read from.
TEST(HostMemory, SendsByPiecesWhatMayNotBeRead) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t bytes = 5 * page + 100;
  void* const at = mmap(nullptr, 6 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  ASSERT_EQ(madvise(static_cast<std::byte*>(at) + page, 5 * page, MADV_DONTFORK), 0);
  const std::vector<unsigned char> data = content(bytes, 3);
  std::memcpy(at, data.data(), bytes);
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  for (const MemoryLimits& limits : {MemoryLimits{}, tiny}) {
    Host host(3, limits, true, false, child);
    const MemoryCallKey key{.claim = 1};
    std::vector<MemoryOperation*> all;
    for (std::uint32_t to = 1; to < 3; ++to) all.push_back(&sending(host[0], key, to, at, bytes, 128, false));
    host[0].send_to_all(all);
    for (std::uint32_t rank = 1; rank < 3; ++rank) {
      MemoryCall& call = host[rank].enter(key);
      std::vector<unsigned char> got(bytes);
      MemoryOperation& one = receiving(host[rank], call, 0, got.data(), bytes);
      for (int looks = 0; !is_over(host[rank], one) && looks < 1000; ++looks) host[0].progress();
      ASSERT_EQ(one.state, MemoryOperation::State::over);
      EXPECT_EQ(one.code, MPI_SUCCESS);
      EXPECT_EQ(got, data);
      EXPECT_TRUE(is_over(host[0], *all[rank - 1]));
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  munmap(at, 6 * page);
}

TEST(HostMemory, CopiesOnceForSeveralReaders) {
  Host host(4, {}, true);
  const MemoryCallKey key{.turn = 7, .claim = 1};
  const std::vector<unsigned char> data = content(1000, 5);
  std::vector<MemoryOperation*> all;
  for (std::uint32_t to = 1; to < 4; ++to) all.push_back(&sending(host[0], key, to, data.data(), 1000, 16384, false));
  host[0].send_to_all(all);
  EXPECT_EQ(all[0]->slot, all[1]->slot);
  EXPECT_EQ(all[0]->slot, all[2]->slot);
  for (std::uint32_t rank = 1; rank < 4; ++rank) {
    MemoryCall& call = host[rank].enter(key);
    std::vector<unsigned char> got(1000);
    MemoryOperation& one = receiving(host[rank], call, 0, got.data(), 1000);
    EXPECT_TRUE(is_over(host[rank], one));
    EXPECT_EQ(got, data);
  }
}

TEST(HostMemory, KeepsWhatSeveralReadUntilTheLastHasIt) {
  Host host(3, {.own_slots = 1, .common_slots = 1}, true);
  const MemoryCallKey key{.turn = 7, .claim = 1};
  const std::vector<unsigned char> data = content(1000, 5);
  std::vector<MemoryOperation*> all;
  for (std::uint32_t to = 1; to < 3; ++to) all.push_back(&sending(host[0], key, to, data.data(), 1000, 16384, false));
  host[0].send_to_all(all);
  ASSERT_NE(all[0]->slot, SharedMessage::none);
  MemoryCall& soon = host[1].enter(key);
  std::vector<unsigned char> got(1000);
  EXPECT_TRUE(is_over(host[1], receiving(host[1], soon, 0, got.data(), 1000)));
  // What is sent now takes all slots that are free.
  const std::vector<unsigned char> later = content(1000, 6);
  for (int i = 0; i < 4; ++i) host[0].send(sending(host[0], key, 1, later.data(), 1000, 16384, false));
  MemoryCall& late = host[2].enter(key);
  EXPECT_TRUE(is_over(host[2], receiving(host[2], late, 0, got.data(), 1000)));
  EXPECT_EQ(got, data);
}

/// A rank that does not look keeps nobody from sending to others.
TEST(HostMemory, WritesInTurnWhereNobodyHasJustRead) {
  Host host(2, {.own_slots = 1, .common_slots = 6, .slots_in_turn = 4}, true);
  const MemoryCallKey key{.turn = 2, .claim = 1};
  MemoryCall& call = host[1].enter(key);
  const std::vector<unsigned char> data = content(100, 2);
  std::vector<std::uint32_t> slots;
  for (int i = 0; i < 12; ++i) {
    MemoryOperation& sent = sending(host[0], key, 1, data.data(), 100, 16384, false);
    host[0].send(sent);
    slots.push_back(sent.slot);
    std::vector<unsigned char> got(100);
    EXPECT_TRUE(is_over(host[1], receiving(host[1], call, 0, got.data(), 100)));
  }
  // Behind one for each peer.
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5}));
  host[1].leave(call);
}

TEST(HostMemory, ALateRankHoldsUpNobodyElse) {
  for (const bool reads : {true, false}) {
    Host host(3, tiny, reads);
    const MemoryCallKey key{.claim = 1};
    const MemoryCallKey other{.communicator = 1, .claim = 2};
    const std::vector<unsigned char> data = content(100, 1);
    for (int i = 0; i < 50; ++i) host[0].send(sending(host[0], key, 1, data.data(), 100, 128, false));
    MemoryCall& call = host[2].enter(other);
    for (int i = 0; i < 50; ++i) {
      std::vector<unsigned char> got(100);
      MemoryOperation& sent = sending(host[0], other, 2, data.data(), 100, 128, false);
      host[0].send(sent);
      MemoryOperation& one = receiving(host[2], call, 0, got.data(), 100);
      int looks = 0;
      while (!is_over(host[2], one) && ++looks < 1000) host[0].progress();
      ASSERT_LT(looks, 1000) << "message " << i;
      EXPECT_EQ(got, data);
    }
  }
}

/// By what comes for it, by what was done with its own, and by who wants its pieces: on a host of so many ranks.
void wake_by_all(std::uint32_t ranks) {
  for (const bool reads : {true, false}) {
    Host host(ranks, tiny, reads);
    const MemoryCallKey key{};
    const std::vector<unsigned char> data = content(3000, 1);
    std::vector<unsigned char> got(3000);
    MemoryCall& call = host[1].enter(key);
    host[1].lie_down();
    EXPECT_TRUE(host.sleeps(1));
    MemoryOperation& sent = sending(host[0], key, 1, data.data(), 3000, 128, false);
    host[0].send(sent);
    EXPECT_FALSE(host.sleeps(1));
    EXPECT_TRUE(host[0].may_sleep());
    host[0].lie_down();
    EXPECT_TRUE(host.sleeps(0));
    MemoryOperation& one = receiving(host[1], call, 0, got.data(), 3000);
    EXPECT_EQ(is_over(host[1], one), reads);
    EXPECT_FALSE(host.sleeps(0));
    EXPECT_EQ(host[0].may_sleep(), reads);
  }
}

TEST(HostMemory, WakesARankThatSleeps) { wake_by_all(2); }
TEST(HostMemory, WakesARankThatSleepsByRinging) { wake_by_all(9); }

TEST(HostMemory, DropsWhatAnEarlierCallLeftBehind) {
  Host host(2, {}, true);
  const std::vector<unsigned char> old = content(100, 1);
  const std::vector<unsigned char> data = content(100, 2);
  const MemoryCallKey before{.communicator = 3, .turn = 1, .claim = 9};
  const MemoryCallKey now{.communicator = 3, .turn = 2, .claim = 9};
  MemoryOperation& first = sending(host[0], before, 1, old.data(), 100, 16384, true);
  host[0].send(first);
  host[0].send(sending(host[0], now, 1, data.data(), 100, 16384, false));
  host[1].progress();
  EXPECT_FALSE(is_over(host[0], first));
  std::vector<unsigned char> got(100);
  MemoryCall& call = host[1].enter(now);
  MemoryOperation& one = receiving(host[1], call, 0, got.data(), 100);
  EXPECT_TRUE(is_over(host[1], one));
  EXPECT_EQ(got, data);
  EXPECT_TRUE(is_over(host[0], first));  // nobody is kept waiting
}

TEST(HostMemory, TellsOfOtherClaims) {
  for (const bool is_early : {true, false}) {
    Host host(2, {}, true);
    const std::vector<unsigned char> data = content(100, 1);
    const MemoryCallKey mine{.turn = 4, .claim = 1};
    MemoryCall* call = is_early ? nullptr : &host[1].enter(mine);
    host[0].send(sending(host[0], {.turn = 4, .claim = 2}, 1, data.data(), 100, 16384, false));
    host[1].progress();
    if (is_early) call = &host[1].enter(mine);
    EXPECT_TRUE(call->has_other_claims);
    std::vector<unsigned char> got(100);
    EXPECT_FALSE(is_over(host[1], receiving(host[1], *call, 0, got.data(), 100)));
  }
}

TEST(HostMemory, TellsOfMessagesThatAreTooLong) {
  for (const std::uint32_t bytes : {50U, 1000U, 40000U}) {
    Host host(2, {}, true);
    const std::vector<unsigned char> data = content(bytes, 1);
    const MemoryCallKey key{};
    MemoryOperation& sent = sending(host[0], key, 1, data.data(), bytes, 16384, true);
    host[0].send(sent);
    std::vector<unsigned char> got(bytes, 0);
    MemoryOperation& one = receiving(host[1], host[1].enter(key), 0, got.data(), bytes - 1);
    EXPECT_TRUE(is_over(host[1], one));
    EXPECT_EQ(one.code, MPI_ERR_TRUNCATE);
    EXPECT_THAT(got, testing::Each(0));
    EXPECT_TRUE(is_over(host[0], sent));
  }
}

TEST(HostMemory, ReadsNothingThatWasWithdrawn) {
  for (const bool reads : {true, false}) {
    Host host(2, tiny, reads);
    const MemoryCallKey key{};
    std::vector<unsigned char> data = content(3000, 1);
    MemoryCall& own = host[0].enter(key);
    MemoryOperation& sent = sending(host[0], key, 1, data.data(), 3000, 128, false);
    host[0].send(sent);
    EXPECT_FALSE(is_over(host[0], sent));
    EXPECT_FALSE(host[0].let_go(sent, own));
    std::memset(data.data(), 0, data.size());
    std::vector<unsigned char> got(3000, 0xAA);
    MemoryCall& call = host[1].enter(key);
    MemoryOperation& one = receiving(host[1], call, 0, got.data(), 3000);
    EXPECT_FALSE(is_over(host[1], one));
    EXPECT_FALSE(is_over(host[1], one));
    EXPECT_THAT(got, testing::Each(0xAA));
    EXPECT_FALSE(host[1].let_go(one, call));
    host[1].leave(call);
    host[0].leave(own);
    // Its ticket is free again: there are four.
    for (std::uint64_t turn = 1; turn <= 10; ++turn) {
      MemoryOperation& again = sending(host[0], {.turn = turn}, 1, data.data(), 8, 128, true);
      host[0].send(again);
      MemoryCall& next = host[1].enter({.turn = turn});
      MemoryOperation& come = receiving(host[1], next, 0, got.data(), 8);
      ASSERT_TRUE(is_over(host[1], come));
      ASSERT_TRUE(is_over(host[0], again));
      host[0].give_back(again);
      host[1].give_back(come);
    }
  }
}

TEST(HostMemory, LetsGoOfWhatIsHalfWay) {
  Host host(2, tiny, false);
  const MemoryCallKey key{};
  const std::vector<unsigned char> data = content(3000, 1);
  MemoryCall& own = host[0].enter(key);
  MemoryCall& call = host[1].enter(key);
  MemoryOperation& sent = sending(host[0], key, 1, data.data(), 3000, 128, false);
  host[0].send(sent);
  std::vector<unsigned char> got(3000);
  MemoryOperation& one = receiving(host[1], call, 0, got.data(), 3000);
  host[1].progress();
  host[0].progress();
  host[1].progress();
  EXPECT_GT(one.moved, 0U);
  EXPECT_LT(one.moved, 3000U);
  EXPECT_FALSE(host[1].let_go(one, call));
  for (int i = 0; i < 100 && !is_over(host[0], sent); ++i) host[1].progress();
  EXPECT_TRUE(is_over(host[0], sent));  // nobody is kept waiting
  host[0].leave(own);
}

/// Leaves what this rank has, together with whatever it finds. Returns it where it is all of the ranks', else 0.
std::uint64_t combine_on_shelf(HostMemory& at, MemoryCall& call, std::uint32_t ranks, std::uint64_t value) {
  std::uint32_t combined = 1;
  while (true) {
    while (const auto found = at.take_partial(call, 0)) {
      std::uint64_t other = 0;
      EXPECT_EQ(found->bytes, sizeof other);
      std::memcpy(&other, found->at, sizeof other);
      value += other;
      combined += found->ranks;
      at.put_back(*found);
    }
    if (combined == ranks) return value;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    const auto guard = at.guard();
    HostMemory::LeftPartial where;
    const Shelf::Left left = at.leave_partial(call, 0, bytes, sizeof value, combined, where);
    EXPECT_NE(left, Shelf::Left::not_now);
    if (left != Shelf::Left::more_to_take) return 0;
  }
}

/// The last one to combine has the sum of all, whoever comes first, call after call.
TEST(HostMemory, RanksCombineAsTheyCome) {
  constexpr std::uint32_t ranks = 4;
  constexpr std::uint64_t turns = 2000;
  Host host(ranks, tiny_with_shelves, true);
  std::vector<std::atomic<std::uint64_t>> sums(turns);
  std::vector<std::thread> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    all.emplace_back([&, rank] {
      for (std::uint64_t turn = 0; turn < turns; ++turn) {
        MemoryCall& call = host[rank].enter({.communicator = 1, .turn = turn, .claim = turn});
        if (const auto sum = combine_on_shelf(host[rank], call, ranks, turn + rank + 1)) sums[turn].store(sum);
        while (sums[turn].load() == 0) std::this_thread::yield();
        host[rank].leave(call);
      }
    });
  }
  for (std::thread& one : all) one.join();
  for (std::uint64_t turn = 0; turn < turns; ++turn) EXPECT_EQ(sums[turn].load(), ranks * turn + 10) << turn;
}

/// What is there from another call is neither combined nor, where that is a later one, taken away.
TEST(HostMemory, CombinesNothingOfAnotherCall) {
  Host host(3, tiny_with_shelves, true);
  const MemoryCallKey failed{.communicator = 1, .turn = 4, .claim = 9};
  const MemoryCallKey now{.communicator = 1, .turn = 5, .claim = 9};
  const MemoryCallKey odd{.communicator = 1, .turn = 5, .claim = 8};
  EXPECT_EQ(combine_on_shelf(host[1], host[1].enter(failed), 3, 1000), 0U);
  MemoryCall& late = host[2].enter(failed);
  MemoryCall& first = host[0].enter(now);
  EXPECT_EQ(combine_on_shelf(host[0], first, 2, 1), 0U);
  EXPECT_FALSE(host[2].take_partial(late, 0).has_value());
  HostMemory::LeftPartial where;
  EXPECT_EQ(host[2].leave_partial(late, 0, nullptr, 0, 1, where), Shelf::Left::not_now);
  MemoryCall& other = host[2].enter(odd);
  EXPECT_FALSE(host[2].take_partial(other, 0).has_value());
  EXPECT_TRUE(other.has_other_claims);
  EXPECT_EQ(host[2].leave_partial(other, 0, nullptr, 0, 1, where), Shelf::Left::not_now);
  EXPECT_EQ(combine_on_shelf(host[1], host[1].enter(now), 2, 2), 3U);
}

/// By who follows the plan, and takes nothing from there. Claims differ in their low bits or in others only.
TEST(HostMemory, SeesAnOperandOfTheSameCallUnderAnotherClaim) {
  Host host(3, tiny_with_shelves, true);
  constexpr std::uint64_t far_bit = std::uint64_t{1} << 40;
  const MemoryCallKey key{.communicator = 1, .turn = 5, .claim = 9};
  EXPECT_EQ(combine_on_shelf(host[1], host[1].enter(key), 3, 1000), 0U);
  const auto sees = [&](const MemoryCallKey& own) { return host[2].sees_other_claims(host[2].enter(own), 0); };
  EXPECT_FALSE(sees(key));
  EXPECT_TRUE(sees({.communicator = 1, .turn = 5, .claim = 8}));
  EXPECT_TRUE(sees({.communicator = 1, .turn = 5, .claim = 9 | far_bit}));
  EXPECT_FALSE(sees({.communicator = 1, .turn = 4, .claim = 8}));
  EXPECT_FALSE(sees({.communicator = 1, .turn = 6, .claim = 8}));
  EXPECT_FALSE(sees({.communicator = 2, .turn = 5, .claim = 8}));
  EXPECT_FALSE(host[2].sees_other_claims(host[2].enter({.communicator = 1, .turn = 5, .claim = 8}), 1));
}

/// What nobody has taken goes with the call that left it; what somebody has stays there for its reader.
TEST(HostMemory, TakesBackWhatNobodyHasTaken) {
  Host host(2, tiny_with_shelves, true);
  const std::uint64_t value = 7;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
  for (std::uint64_t turn = 0; turn < 10; ++turn) {
    const MemoryCallKey key{.communicator = 1, .turn = turn};
    MemoryCall& call = host[1].enter(key);
    MemoryCall& others = host[0].enter(key);
    HostMemory::LeftPartial left;
    ASSERT_EQ(host[1].leave_partial(call, 0, bytes, sizeof value, 1, left), Shelf::Left::here) << turn;
    host[1].take_back(1, left);
    EXPECT_FALSE(host[0].take_partial(others, 0).has_value());
    ASSERT_EQ(host[1].leave_partial(call, 0, bytes, sizeof value, 1, left), Shelf::Left::here) << turn;
    const auto found = host[0].take_partial(others, 0);
    ASSERT_TRUE(found.has_value());
    host[1].take_back(1, left);
    EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(found->at), value);
    host[0].put_back(*found);
  }
}

/// As long as nobody has put back what was left, its slot is taken; a number for another communicator begins anew.
TEST(HostMemory, ClearsItsShelf) {
  Host host(2, tiny_with_shelves, true);
  for (std::uint64_t time = 0; time < 10; ++time) {
    EXPECT_EQ(combine_on_shelf(host[1], host[1].enter({.communicator = 1, .turn = 50}), 2, 7), 0U) << time;
    host[0].clear_shelf(1);
    EXPECT_FALSE(host[0].take_partial(host[0].enter({.communicator = 1, .turn = 50}), 0).has_value());
  }
}

TEST(HostMemory, WhoIsHandedASumNeedNotKnowByWhom) {
  for (const bool is_early : {true, false}) {
    Host host(3, {}, true);
    const MemoryCallKey key{.turn = 2, .claim = 1};
    const std::vector<unsigned char> data = content(100, 1);
    std::vector<unsigned char> got(100);
    const auto hand = [&] { host[2].send(sending(host[2], key, 0, data.data(), 100, 16384, true, handed_over)); };
    if (is_early) hand();
    host[0].progress();
    MemoryOperation& one = receiving(host[0], host[0].enter(key), anybody, got.data(), 100, handed_over);
    if (!is_early) hand();
    EXPECT_TRUE(is_over(host[0], one));
    EXPECT_EQ(got, data);
  }
}

TEST(Mapping, LeavesTheProgramMostOfItsAddressSpace) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit most = before;
  most.rlim_cur = rlim_t{16} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &most), 0);
  const bool may_a_fourth = Mapping::may_map(std::size_t{4} << 30);
  const bool may_more = Mapping::may_map((std::size_t{4} << 30) + 1);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_TRUE(may_a_fourth);
  EXPECT_FALSE(may_more);
  if (before.rlim_cur == RLIM_INFINITY) {
    EXPECT_TRUE(Mapping::may_map(std::size_t{1} << 50));
  }
}

}  // namespace
}  // namespace trunkline::runtime
