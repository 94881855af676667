// SPDX-License-Identifier: Apache-2.0
// What a job's collective calls came to, as rank 0 of MPI_COMM_WORLD saw them: told at its end (TRUNKLINE_SUMMARY).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collective/collective.hpp"

namespace trunkline::runtime {

enum class CallForm : std::uint8_t { blocking, started, persistent };

/// What the job is, as far as the ranks know it: empty or 0 where they do not.
struct ReceiptHead {
  std::string mpi{};      ///< with its version
  std::string library{};  ///< Trunkline's version
  std::string cluster{};
  int ranks = 0;
  int hosts = 0;
};

/// Why a call ran what it ran.
struct ReceiptReason {
  std::string_view chosen_by;  ///< as TRUNKLINE_EXPLAIN=json says it
  std::string_view words;      ///< of what is native whatever anyone says; else empty
};

/// Of a call. What a call that does not block makes the program wait is not known.
struct Took {
  CallForm form = CallForm::blocking;
  double seconds = 0.0;  ///< in the call; of others from start to end, hidden or not, 0: native ones, which do not tell
};

/// An algorithm in trials.
struct Tried {
  std::string algorithm{};  ///< with its segment
  std::size_t timed = 0;    ///< calls of it
  double call_s = 0.0;      ///< their median
};

/// What trials found for the calls of one kind on one communicator.
struct TrialsFound {
  Collective collective{};
  std::uint64_t bytes = 0;  ///< the least of their class
  int ranks = 0;
  std::uint64_t calls = 0;
  std::string first{};              ///< what was predicted to be the fastest, with its segment
  std::string algorithm{};          ///< what runs
  std::uint64_t settled_after = 0;  ///< calls; 0: it is not
  bool known = false;               ///< by earlier jobs, from the first call on
  double runs_s = 0.0;              ///< medians of a call; not finite: too few were timed
  double native_s = 0.0;
  double saved_s = 0.0;  ///< beside native calls, by all of them, trials among them; below 0: lost
  double error_s = 0.0;  ///< 19 in 20 are off by less, as far as scatter of times tells
  std::vector<Tried> tried{};
};

/// Used by any number of threads.
class Receipt {
 public:
  /// `to`: "1", standard error, for people; else a file, as JSON, wherever the program goes meanwhile, or a folder, in
  /// which it is one of its own.
  Receipt(std::string to, ReceiptHead head);
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;

  /// A call; nothing: of unknown size.
  void count(Collective collective, std::optional<std::uint64_t> bytes, std::string_view algorithm,
             const ReceiptReason& why, const Took& took);
  void add(const TrialsFound& found);
  /// By how much calls of a communicator of `ranks` took longer while its ranks told each other their times.
  void add_meetings(double seconds, int ranks);

  /// At the end of the job.
  void tell();

 private:
  struct Sum {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    double seconds = 0.0;
  };
  /// Bytes as a count of bits, 0 of none: a power of two and what is below the next one; algorithm, whose choice, why.
  using Key = std::tuple<Collective, CallForm, int, std::string, std::string, std::string>;
  using KeyView = std::tuple<Collective, CallForm, int, std::string_view, std::string_view, std::string_view>;
  /// A call that is like one before asks for no memory.
  struct InOrder {
    using is_transparent = void;
    bool operator()(const KeyView& one, const KeyView& other) const { return one < other; }
  };

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

  std::string to_;
  bool is_folder_;
  ReceiptHead head_;
  std::chrono::system_clock::time_point began_at_ = std::chrono::system_clock::now();
  double began_s_;
  std::mutex mutex_{};
  std::map<Key, Sum, InOrder> sums_{};
  std::vector<TrialsFound> found_{};
  double meetings_s_ = 0.0;
  double meetings_rank_s_ = 0.0;  ///< each times its ranks
};

/// Of this process; null: it has none.
[[nodiscard]] Receipt* receipt();
/// To be called once, before calls are counted.
void begin_receipt(const std::string& to, const ReceiptHead& head);
/// Tells it, and ends it.
void end_receipt();

}  // namespace trunkline::runtime
