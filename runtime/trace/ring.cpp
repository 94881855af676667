// SPDX-License-Identifier: Apache-2.0
#include "trace/ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "text/fnv.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::size_t table_bytes = most_call_kinds * sizeof(CallKind);
constexpr std::size_t before_records = trace_header_bytes + table_bytes;
constexpr std::uint64_t least_records = 256;
constexpr std::size_t places_of_kinds = 2 * most_call_kinds;

std::string reason(int error) { return std::generic_category().message(error); }

/// 0, or why there is no room for so many bytes. A file above the limit of the shell would end the program by a signal.
int take_room(int file, std::uint64_t bytes) {
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && bytes > most.rlim_cur) return EFBIG;
  int error = 0;
  do error = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  while (error == EINTR);
  return error;
}

bool is_want_of_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

/// What tells one kind from another.
std::uint64_t digest(const CallKind& kind) { return hash({reinterpret_cast<const char*>(&kind), sizeof(kind)}); }

}  // namespace

std::unique_ptr<Ring> Ring::make(const std::string& path, const TraceHeader& header, std::uint64_t bytes,
                                 std::string& problem) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) {
    problem = "cannot create " + path + ": " + reason(errno);
    return nullptr;
  }
  const auto without = [&](const std::string& what, int error) {
    problem = "cannot " + what + " " + path + ": " + reason(error);
    close(file);
    unlink(path.c_str());
    return nullptr;
  };
  std::uint64_t records =
      std::bit_floor((std::max(bytes, std::uint64_t{before_records}) - before_records) / sizeof(TraceRecord));
  records = std::max(records, least_records);
  const std::uint64_t wanted = records;
  const auto size = [&] { return before_records + records * sizeof(TraceRecord); };
  int error = take_room(file, size());
  const int first_error = error;
  while (is_want_of_room(error) && records > least_records) {
    records /= 2;
    error = take_room(file, size());
  }
  if (error != 0) return without("take room for", error);
  // An attempt that failed may have left a longer file.
  if (ftruncate(file, static_cast<off_t>(size())) != 0) return without("size", errno);
  void* const memory = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (memory == MAP_FAILED) return without("map", errno);
  if (records < wanted) {
    problem = "no room for more than " + std::to_string(records) + " of " + std::to_string(wanted) + " records in " +
              path + " (" + reason(first_error) + "): only the latest ones are kept";
  }
  std::unique_ptr<Ring> ring(new Ring(file, {static_cast<std::byte*>(memory), size()}));
  TraceHeader& own = *ring->header_;
  own = header;
  own.version = trace_version;
  own.header_bytes = trace_header_bytes;
  own.kind_bytes = sizeof(CallKind);
  own.most_kinds = most_call_kinds;
  own.record_bytes = sizeof(TraceRecord);
  own.capacity = records;
  std::memcpy(own.magic, trace_magic, sizeof(trace_magic));
  ring->start_ = header.start_ns;
  ring->mask_ = records - 1;
  return ring;
}

Ring::Ring(int file, std::span<std::byte> memory)
    : file_(file),
      memory_(memory),
      header_(reinterpret_cast<TraceHeader*>(memory.data())),
      kinds_(reinterpret_cast<CallKind*>(memory.data() + trace_header_bytes)),
      records_(reinterpret_cast<TraceRecord*>(memory.data() + before_records)),
      places_(places_of_kinds) {}

Ring::~Ring() {
  munmap(memory_.data(), memory_.size());
  close(file_);
}

/// The place where the kind stands, or the free one where it belongs.
std::size_t Ring::find(const CallKind& kind, std::size_t place) const {
  while (true) {
    const std::uint16_t number = places_[place].load(std::memory_order_acquire);
    if (number == 0 || std::memcmp(&kinds_[number - 1], &kind, sizeof(kind)) == 0) return place;
    place = (place + 1) % places_.size();
  }
}

std::size_t Ring::number_of(const CallKind& kind, bool& is_new) {
  is_new = false;
  const std::size_t first = digest(kind) % places_.size();
  if (const auto known = places_[find(kind, first)].load(std::memory_order_acquire); known != 0) return known - 1U;
  const std::scoped_lock lock(mutex_);
  std::atomic<std::uint16_t>& place = places_[find(kind, first)];
  if (place != 0) return place - 1U;  // another thread's, meanwhile
  const std::uint32_t number = header_->kinds;
  if (number == most_call_kinds) {
    ++header_->unknown_kinds;
    return unknown_kind;
  }
  is_new = true;
  kinds_[number] = kind;
  std::atomic_ref(header_->kinds).store(number + 1, std::memory_order_release);
  place.store(static_cast<std::uint16_t>(number + 1), std::memory_order_release);
  return number;
}

void Ring::compare_clocks_again(std::uint64_t ns, std::int64_t offset_ns, std::uint64_t error_ns) noexcept {
  header_->end_offset_ns = offset_ns;
  header_->end_error_ns = error_ns;
  header_->end_ns = ns;
}

void Ring::finish() noexcept {
  header_->finished = 1;
  const std::uint64_t used = std::min(header_->head, header_->capacity);
  static_cast<void>(ftruncate(file_, static_cast<off_t>(before_records + used * sizeof(TraceRecord))));
}

}  // namespace trunkline::runtime
