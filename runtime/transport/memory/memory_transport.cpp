// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/memory_transport.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "transport/looks.hpp"
#include "transport/memory/packing.hpp"
#include "transport/yields.hpp"

namespace trunkline::runtime {
namespace {

/// What tells a message of ours from one of MPI's: pointers have their highest two bits alike, and so have numbers that
/// were as short as an int.
constexpr std::uintptr_t memory_mark = std::uintptr_t{1} << 62U;
constexpr std::uintptr_t mark_bits = std::uintptr_t{3} << 62U;
static_assert(sizeof(std::uintptr_t) == 8);

/// That this thread has had of a processor: neither waiting nor others' work counts.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

bool is_in_memory(const Pending& pending) { return (pending.word & mark_bits) == memory_mark; }

MemoryOperation& operation_of(const Pending& pending) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Pending holds a number
  return *reinterpret_cast<MemoryOperation*>(pending.word & ~mark_bits);
}

/// While only memory is waited for, MPI is looked at after these looks at memory, and after each sleep: what it has
/// under way goes on, requests of the program's own above all. A look at memory takes some tens of nanoseconds, one at
/// MPI up to a microsecond, and longer where the library sleeps in it.
constexpr unsigned looks_to_one_at_mpi = 32;
constexpr unsigned crowded_looks_to_one_at_mpi = 4;  ///< each of which lets others run
constexpr unsigned idle_looks_to_one_at_mpi = 256;   ///< at first, of a process that has sent nothing over MPI lately
constexpr unsigned dear_looks_to_one_at_mpi = 8;     ///< of an executor that looks for datagrams in between
/// A look that costs the processor so much may have moved data of the program's own messages, and the next ones come
/// without a pause for a while; for longer where there was another such look a moment ago. One in a thousand costs so
/// much and has found nothing: what interrupts a thread counts, too.
constexpr auto fruitful_look = std::chrono::microseconds(40);
/// One that costs so much may have moved a piece of such a message: the next look comes at once, and two of them in a
/// row are as good as a fruitful one. Where nothing is under way a look costs less than a microsecond.
constexpr auto busy_look = std::chrono::microseconds(5);
constexpr auto looks_on_for = std::chrono::microseconds(300);
constexpr auto looks_on_again_for = std::chrono::milliseconds(1);
/// Looks before a rank lets others run: at most a few microseconds, none where there are more ranks than processors.
constexpr unsigned looks_before_rest = 256;
constexpr unsigned looks_between_rests = 16;
constexpr unsigned looks_before_sleep = 64;

}  // namespace

MemoryTransport::MemoryTransport(HostMemory& memory, MpiTransport& mpi, PrivateCommunicator& ours,
                                 const MemoryCallKey& key)
    : memory_(memory),
      mpi_(mpi),
      ours_(ours),
      call_([&]() -> MemoryCall& {
        const auto guard = memory.guard();
        return memory.enter(key);
      }()),
      has_lately_used_mpi_(memory.has_lately_used_mpi(HostMemory::Clock::now())) {
  mpi_.hear_of_other_claims(*this);
}

MemoryTransport::~MemoryTransport() {
  done();
  memory_.take_back(call_.key.communicator, left_);
  const auto guard = memory_.guard();
  memory_.leave(call_);
}

MemoryTransport::Row MemoryTransport::row_of(const Chunk& chunk) const {
  if (chunk.type == MPI_BYTE) return {.at = chunk.at, .bytes = static_cast<std::uint32_t>(chunk.bytes)};
  int most = 0;
  check(PMPI_Pack_size(chunk.count, chunk.type, ours_.alone(), &most));
  auto packed = std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(most));
  int bytes = 0;
  check(pack_chunk(chunk, packed.get(), most, bytes, ours_.alone()));
  const std::byte* const at = packed.get();
  return {.at = at, .bytes = static_cast<std::uint32_t>(bytes), .packed = std::move(packed)};
}

/// With the guard.
MemoryOperation& MemoryTransport::sending(const Row& row, std::uint32_t peer, int to, unsigned stream, bool synchronous,
                                          std::size_t readers) {
  MemoryOperation& one = memory_.operation();
  one.is_send = true;
  one.peer = peer;
  one.stream = static_cast<std::uint16_t>(stream);
  one.bytes = row.bytes;
  one.at = row.at;
  one.row = row.packed;
  one.call = call_.key;
  one.wants_ticket = ours_.backlog().due(to, row.bytes, synchronous);
  one.is_long = row.bytes > memory_.limits().slot_bytes;
  const bool is_read = memory_.reads() && (readers > 1 || row.bytes >= memory_.limits().read_from_bytes);
  one.by_pieces = one.is_long && !is_read;
  return one;
}

void MemoryTransport::keep(MemoryOperation& one, Pending& pending) {
  if (one.state == MemoryOperation::State::over && one.code == MPI_SUCCESS && one.is_send) {
    memory_.give_back(one);
    pending = {};
    return;
  }
  pending.word = reinterpret_cast<std::uintptr_t>(&one) | memory_mark;
}

void MemoryTransport::send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) {
  const auto peer = memory_.peer(to);
  if (!peer) {
    uses_mpi();
    return mpi_.send(chunk, to, stream, synchronous, pending);
  }
  const Row row = row_of(chunk);
  const auto guard = memory_.guard();
  MemoryOperation& one = sending(row, *peer, to, stream, synchronous, 1);
  memory_.send(one);
  keep(one, pending);
}

/// Over the network first, since that takes longest, unless the plan has a rank of the host stand first: one that hands
/// on itself.
void MemoryTransport::send_to(const Chunk& chunk, std::span<const int> to, unsigned stream, bool synchronous,
                              std::span<Pending> pending) {
  const bool memory_first = !to.empty() && memory_.peer(to.front()).has_value();
  if (memory_first) send_within_host(chunk, to, stream, synchronous, pending);
  bool leaves_host = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (memory_.peer(to[i])) continue;
    leaves_host = true;
    mpi_.send(chunk, to[i], stream, synchronous, pending[i]);
  }
  if (leaves_host) uses_mpi();
  if (!memory_first) send_within_host(chunk, to, stream, synchronous, pending);
}

void MemoryTransport::send_within_host(const Chunk& chunk, std::span<const int> to, unsigned stream, bool synchronous,
                                       std::span<Pending> pending) {
  const auto here =
      static_cast<std::size_t>(std::ranges::count_if(to, [&](int rank) { return memory_.peer(rank).has_value(); }));
  if (here == 0) return;
  const Row row = row_of(chunk);
  const auto guard = memory_.guard();
  several_.clear();
  several_.reserve(here);
  for (const int rank : to) {
    if (const auto peer = memory_.peer(rank)) several_.push_back(&sending(row, *peer, rank, stream, synchronous, here));
  }
  memory_.send_to_all(several_);
  auto next = several_.begin();
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (memory_.peer(to[i])) keep(**next++, pending[i]);
  }
}

void MemoryTransport::receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) {
  const auto peer = memory_.peer(from);
  if (!peer) return mpi_.receive(chunk, from, stream, pending);
  const auto guard = memory_.guard();
  MemoryOperation& one = memory_.operation();
  one.peer = *peer;
  one.stream = static_cast<std::uint16_t>(stream);
  one.chunk = chunk;
  memory_.receive(one, call_);
  keep(one, pending);
}

/// Its bytes. With the guard.
int MemoryTransport::finish(MemoryOperation& one, Pending& pending) {
  const int bytes = static_cast<int>(one.bytes);
  const int code = one.code;
  memory_.give_back(one);
  pending = {};
  fruitless_ = 0;
  is_lying_down_ = false;
  check(code);
  return bytes;
}

/// Of one that lies; none where its sender has withdrawn it.
std::optional<int> MemoryTransport::read(MemoryOperation& one, Pending& pending) {
  memory_.read(one);
  const auto guard = memory_.guard();
  memory_.finish_reading(one);
  return one.state == MemoryOperation::State::over ? std::optional(finish(one, pending)) : std::nullopt;
}

std::optional<MemoryTransport::Over> MemoryTransport::test_any(std::span<Pending* const> pending, bool receiving,
                                                               Watchdog& watchdog) {
  return look(pending, receiving, watchdog, false);
}

std::optional<MemoryTransport::Over> MemoryTransport::look(std::span<Pending* const> pending, bool receiving,
                                                           Watchdog& watchdog, bool may_sleep) {
  mpi_pending_.clear();
  mpi_places_.clear();
  std::optional<std::size_t> lying;
  const bool is_dear = !may_sleep;
  {
    const auto guard = memory_.guard();
    memory_.progress();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (!is_in_memory(*pending[i])) {
        mpi_pending_.push_back(pending[i]);
        mpi_places_.push_back(i);
        continue;
      }
      MemoryOperation& one = operation_of(*pending[i]);
      if (memory_.is_over(one)) return Over{.index = i, .bytes = finish(one, *pending[i])};
      if (!lying && one.state == MemoryOperation::State::lying) lying = i;
    }
    may_sleep = may_sleep && !moves_others_data_ && mpi_pending_.empty() && !lying && memory_.may_sleep();
  }
  if (lying) {
    if (const auto bytes = read(operation_of(*pending[*lying]), *pending[*lying])) {
      return Over{.index = *lying, .bytes = *bytes};
    }
  }
  if (looks_at_mpi(!mpi_pending_.empty(), pending.empty() || !mpi_pending_.empty(), is_dear, watchdog)) {
    const bool others_alone = mpi_pending_.empty() && memory_.is_crowded();  // else no rank sleeps
    const auto before = others_alone ? processor_time() : std::chrono::nanoseconds();
    if (const auto over = mpi_.test_any(mpi_pending_, receiving, watchdog)) {
      fruitless_ = 0;
      return Over{.index = mpi_places_[over->index], .bytes = over->bytes};
    }
    if (others_alone) notes_look(processor_time() - before);
  }
  rest(may_sleep && !moves_others_data_);
  return {};
}

/// `has_some`: something of MPI's is waited for. `must`: that, or nothing is. `is_dear`: the caller has other things to
/// look at in between.
bool MemoryTransport::looks_at_mpi(bool has_some, bool must, bool is_dear, Watchdog& watchdog) {
  ++fruitless_;
  const bool has_slept = std::exchange(has_slept_, false);
  if (within_progress) return has_some || fruitless_ % idle_looks_to_one_at_mpi == 0;
  if (must || moves_others_data_) return true;
  if (has_slept) {
    watchdog.hurry();
    return true;
  }
  if (is_dear) return fruitless_ % dear_looks_to_one_at_mpi == 0;
  if (!has_lately_used_mpi_ && fruitless_ < idle_looks_to_one_at_mpi) return false;
  return fruitless_ % (memory_.is_crowded() ? crowded_looks_to_one_at_mpi : looks_to_one_at_mpi) == 0;
}

/// At MPI, where nothing of ours was under way there.
void MemoryTransport::notes_look(std::chrono::nanoseconds took) {
  const bool is_busy = took > busy_look;
  const bool is_fruitful = took > fruitful_look || (is_busy && was_busy_);
  was_busy_ = is_busy;
  if (!is_busy && !moves_others_data_) return;
  const auto now = HostMemory::Clock::now();
  if (is_fruitful) looks_until_ = now + (now < looks_until_ ? looks_on_again_for : looks_on_for);
  moves_others_data_ = is_busy || now < looks_until_;
}

void MemoryTransport::uses_mpi() {
  has_lately_used_mpi_ = true;
  memory_.has_used_mpi(HostMemory::Clock::now());
}

void MemoryTransport::rest(bool may_sleep) {
  const bool is_crowded = memory_.is_crowded();
  if (!is_crowded && (fruitless_ < looks_before_rest || fruitless_ % looks_between_rests != 0)) return;
  if (is_crowded && may_sleep && fruitless_ >= looks_before_sleep) {
    if (is_lying_down_) {
      memory_.sleep();
      has_slept_ = true;
    } else {
      memory_.lie_down();
    }
    is_lying_down_ = !is_lying_down_;
    return;
  }
  is_lying_down_ = false;
  yield_in_turn();
}

MemoryTransport::Over MemoryTransport::wait_any(std::span<Pending* const> pending, bool receiving) {
  Watchdog watchdog;
  while (true) {
    if (const auto over = look(pending, receiving, watchdog, true)) return *over;
  }
}

bool MemoryTransport::test_all(std::span<Pending> pending, Watchdog& watchdog) {
  for (Pending& one : pending) {
    if (one.is_none()) continue;
    Pending* const alone = &one;
    if (!test_any({&alone, 1}, false, watchdog)) return false;
    watchdog.got_on();
  }
  return true;
}

void MemoryTransport::wait_all(std::span<Pending> pending) {
  for (; !pending.empty(); pending = pending.subspan(1)) {
    Watchdog watchdog;
    Pending* const alone = &pending.front();
    while (!alone->is_none()) static_cast<void>(look({&alone, 1}, false, watchdog, true));
  }
}

bool MemoryTransport::let_go(std::span<Pending> pending, bool cancel) noexcept {
  const Uncancelled uncancelled;
  bool left_over = false;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    Pending& one = pending[i];
    if (one.is_none()) continue;
    if (!is_in_memory(one)) {
      left_over = mpi_.let_go(pending.subspan(i, 1), cancel) || left_over;
      continue;
    }
    const auto guard = memory_.guard();
    left_over = memory_.let_go(operation_of(one), call_) || left_over;
    one = {};
  }
  return left_over;
}

}  // namespace trunkline::runtime
