// SPDX-License-Identifier: Apache-2.0
// What one rank's trace file holds, byte by byte, little-endian: a header, a table of the kinds of calls, and a ring of
// records. docs/tracing.md describes it for readers; python/trunkline/trace/file.py reads it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::runtime {

static_assert(std::endian::native == std::endian::little, "trace files are little-endian");

/// Of the header, the kinds and the records.
inline constexpr std::uint32_t trace_version = 1;
inline constexpr char trace_magic[8] = {'t', 'r', 'k', 't', 'r', 'a', 'c', 'e'};
inline constexpr std::size_t most_call_kinds = 2048;
inline constexpr std::uint32_t no_host = 0xFFFFFFFF;

struct TraceHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;    ///< where the kinds begin
  std::uint32_t kind_bytes;      ///< of one
  std::uint32_t most_kinds;      ///< rows of kinds before the records
  std::uint32_t record_bytes;    ///< of one
  std::uint32_t rank;            ///< in MPI_COMM_WORLD
  std::uint32_t ranks;           ///< of MPI_COMM_WORLD
  std::uint32_t host;            ///< its number in the cluster, or no_host
  std::uint64_t capacity;        ///< of the ring, records; a power of two
  std::uint64_t start_ns;        ///< of this rank's monotonic clock; times of records count from there
  std::int64_t wall_ns;          ///< the same instant, since 1970
  std::int64_t clock_offset_ns;  ///< this rank's monotonic clock plus this is rank 0's
  std::uint64_t clock_error_ns;  ///< of that, at most, when the job began
  std::uint64_t head;            ///< records that were put in ever: where more than fit, the oldest are lost
  std::uint64_t unknown_kinds;   ///< calls whose kind had no place in the table
  std::uint32_t kinds;           ///< in the table
  std::uint32_t finished;        ///< 1: MPI_Finalize was called
  char job[48];                  ///< the same on all ranks of a job; ends with a zero, as all texts do
  char host_name[64];
  char mpi[32];
  char library[16];            ///< its version
  std::uint64_t end_ns;        ///< when the clocks were compared once more, of this rank's clock; 0: they were not
  std::int64_t end_offset_ns;  ///< as clock_offset_ns, then
  std::uint64_t end_error_ns;  ///< of that, at most
  std::uint32_t chosen;        ///< bits of TraceChoice: what was left out on purpose
  std::uint32_t reserved;
};
static_assert(sizeof(TraceHeader) == 296);
inline constexpr std::size_t trace_header_bytes = 4096;

/// Whether only some of all was to be traced.
enum TraceChoice : std::uint32_t { some_ranks = 1, some_collectives = 2, some_time = 4 };

/// What calls have in common that a record names in twelve bits.
struct CallKind {
  std::uint64_t plan;   ///< its identity, the same on all ranks; 0: native
  std::uint64_t bytes;  ///< of the call's data; native: as far as the library looked, else unknown_bytes
  std::uint64_t segment_bytes;
  std::uint32_t communicator;  ///< its number; native: whether it is MPI_COMM_WORLD, 1 or 0; or does_not_block
  std::int32_t root;           ///< rank of the communicator
  char collective[24];
  char algorithm[40];
};
static_assert(sizeof(CallKind) == 96);
/// A bit of CallKind::communicator, whose numbers are smaller.
inline constexpr std::uint32_t does_not_block = std::uint32_t{1} << 31U;
inline constexpr std::uint64_t unknown_bytes = ~std::uint64_t{0};
inline constexpr std::size_t unknown_kind = 4095;

/// time: nanoseconds since the start in the low 48 bits, the low bits of the rank's call number in the high 16. Numbers
///   follow each other; one is missing where calls in between were not traced.
/// what: the kind in the low 4 bits, then
///   begin: the call's kind (12 bits), its turn on the communicator (48); native: on MPI_COMM_WORLD its number among
///   all
///     calls there that the library sees, traced or not, else 0
///   over: whether an error came back (1 bit)
///   others: the tree (5 bits; 3 are free), the peer (20), the part (32)
///   told, heard: the same, with Event::Step for the tree; the peer has all bits set where it is all ranks
struct TraceRecord {
  std::uint64_t time;
  std::uint64_t what;
};
static_assert(sizeof(TraceRecord) == 16);

enum class RecordKind : std::uint8_t {
  empty = 0,
  begin = 1,
  over = 2,
  arrived = 3,
  handed_on = 4,
  complete = 5,
  told = 6,
  heard = 7,
  sum = 8
};

inline constexpr unsigned time_bits = 48;
inline constexpr std::uint64_t time_mask = (std::uint64_t{1} << time_bits) - 1;

[[nodiscard]] constexpr std::uint64_t begin_word(std::size_t kind, std::uint64_t turn) {
  return static_cast<std::uint64_t>(RecordKind::begin) | std::uint64_t{kind} << 4U | turn << 16U;
}

[[nodiscard]] constexpr std::uint64_t over_word(bool failed) {
  return static_cast<std::uint64_t>(RecordKind::over) | std::uint64_t{failed} << 4U;
}

[[nodiscard]] constexpr std::uint64_t event_word(RecordKind kind, unsigned tree, int peer, std::uint64_t part) {
  constexpr std::uint64_t peer_mask = (1U << 20U) - 1;
  return static_cast<std::uint64_t>(kind) | std::uint64_t{tree & 31U} << 4U |
         (static_cast<std::uint64_t>(peer) & peer_mask) << 12U | part << 32U;
}

/// Ends with a zero: `to` holds nothing but zeros before.
template <std::size_t size>
void copy_text(char (&to)[size], std::string_view text) {
  std::copy_n(text.data(), std::min(text.size(), size - 1), to);
}

}  // namespace trunkline::runtime
