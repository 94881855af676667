// SPDX-License-Identifier: Apache-2.0
// What the trials of jobs have found, kept for jobs to come: a file for jobs that are alike, in it an entry for calls
// that are alike.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "collective/operand_order.hpp"
#include "learn/trials.hpp"
#include "network/placement.hpp"
#include "text/fault.hpp"

namespace trunkline {

/// Jobs whose calls take the same, as far as is known before.
struct AlikeJobs {
  std::string cluster{};  ///< its name, for people; no part of what is alike
  std::uint64_t cluster_fingerprint = 0;
  std::string mpi{};          ///< "mpich" or "openmpi"
  std::string mpi_version{};  ///< "4.0.2"
  std::uint64_t build = 0;    ///< of the preload library: plans follow from its code
  std::uint32_t hosts = 0;
  std::uint32_t ranks = 0;
  std::uint64_t placement = 0;   ///< placement_digest() of all ranks
  std::uint64_t conditions = 0;  ///< digest of what else times follow from, such as host costs

  /// Of all but the cluster's name: two are the same where the jobs are alike.
  [[nodiscard]] std::uint64_t digest() const;
  /// "mpich-4.0.2-0123456789abcdef.yaml"
  [[nodiscard]] std::string file_name() const;
};

/// Calls that are tried together.
struct AlikeCalls {
  Collective collective{};
  Rank root = 0;
  std::uint64_t bytes = 0;  ///< the least of their class (choose/size_class.hpp)
  OperandOrder order{};
  std::uint32_t ranks = 0;      ///< of the communicator
  std::uint64_t placement = 0;  ///< placement_digest() of them

  friend auto operator<=>(const AlikeCalls&, const AlikeCalls&) = default;  // NOLINT(modernize-use-nullptr)
};

/// What one algorithm took: the median of a call, and between what the median of all such calls is, as Samples say it.
struct LearnedArm {
  std::string algorithm{};
  std::uint64_t segment_bytes = 0;  ///< 0: native
  std::uint32_t calls = 0;          ///< that were timed
  double median_s = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
};

struct LearnedEntry {
  AlikeCalls like{};
  std::string algorithm{};          ///< that runs: one of the arms
  std::uint64_t segment_bytes = 0;  ///< 0: native
  std::vector<LearnedArm> arms{};
  std::uint32_t trial_calls = 0;  ///< after so many calls trials had found it
  std::uint32_t calls = 0;        ///< that jobs have made since
  std::uint32_t jobs = 0;         ///< that found it, or ran it and did not find otherwise
  std::int64_t when_s = 0;        ///< when the last one of them ended: seconds since 1970, UTC

  [[nodiscard]] const LearnedArm& runs() const;
  /// Whether a job should try all anew: trials take a thousandth of the calls, whatever is found.
  [[nodiscard]] bool is_due() const;
};

struct Learned {
  AlikeJobs jobs{};
  std::vector<LearnedEntry> entries{};  ///< ascending, by what they are like

  /// Null: there is none.
  [[nodiscard]] const LearnedEntry* find(const AlikeCalls& like) const;
  /// In the place of the one for the same calls. Where there are too many the one goes that was of use the longest time
  /// ago.
  void put(LearnedEntry entry);
  /// What a job has to say of `before`, that it began with and no trials of its own have replaced: its calls and jobs
  /// are added; none: it is refuted, and goes. Where another job has found something else since, that stays.
  void put_after(const LearnedEntry& before, const std::optional<LearnedEntry>& entry);
  /// With entries of another one of the same jobs: for the same calls the one that was of use last.
  void merge(const Learned& other);
};

/// In a file: what a job takes in at its start, and tells all ranks. An entry of five arms has less than two
/// kilobytes.
inline constexpr std::size_t most_learned_entries = 1024;
inline constexpr std::size_t most_learned_bytes = most_learned_entries << 11U;

/// Of where ranks sit: who share a host, and the links between the hosts. The same for hosts elsewhere on the cluster
/// that are joined alike; where messages go by routes, and not by the spanning tree, for the same hosts alone.
[[nodiscard]] std::uint64_t placement_digest(const Cluster& cluster, const Placement& placement);

/// The arm that calls run which `entry` is for: the same algorithm, and the same segment where there are several of it;
/// none: it is not among them.
[[nodiscard]] std::optional<std::size_t> arm_of(const LearnedEntry& entry, const std::vector<Arm>& arms);

/// What there is to keep of a job's trials that end at `now_s`. `before`: the entry that they began with; null: with
/// none. Empty: nothing has been settled.
[[nodiscard]] std::optional<LearnedEntry> learned_from(const Trials& trials, const AlikeCalls& like,
                                                       const LearnedEntry* before, std::int64_t now_s);

/// Throws FaultyFile with all faults.
[[nodiscard]] Learned parse_learned(std::string_view yaml, const std::string& file);
[[nodiscard]] Learned read_learned(const std::string& path);
[[nodiscard]] std::string write_learned(const Learned& learned);

/// "2026-11-29T15:40:24Z"
[[nodiscard]] std::string utc_text(std::int64_t seconds);

}  // namespace trunkline
