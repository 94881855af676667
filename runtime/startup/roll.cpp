// SPDX-License-Identifier: Apache-2.0
#include "startup/roll.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi_api.hpp"
#include "report.hpp"
#include "startup/name_service.hpp"

// Rank 0 calls the roll. It announces itself by the launcher's name service; the others look for that, so none of them
// sends to a rank 0 that has no library. Then each tells rank 0 that it is there and waits for the verdict. Rank 0 has
// posted a receive for each of them in MPI_Init, before any of the program's, and sends only to those that came.

namespace trunkline::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int hello_tag = 32001;
constexpr int verdict_tag = 32002;
constexpr const char* roll = "roll";
constexpr const char* is_open = "open";
constexpr const char* is_closed = "closed";
/// Without a name service a rank 0 that is late cannot be told from one that has no library: more patience.
constexpr int patience_without_service = 3;

struct Hello {
  std::int32_t version = 1;  ///< of this exchange
  std::int32_t strict = 0;
};
struct Verdict {
  std::int32_t all_here = 0;
};

/// Of rank 0: hellos that have not come.
std::vector<MPI_Request>& missing() {
  static auto* const requests = new std::vector<MPI_Request>;
  return *requests;
}
std::vector<Hello>& hellos() {
  static auto* const received = new std::vector<Hello>;
  return *received;
}

/// Between looks, longer each time.
class Pause {
 public:
  void operator()() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(next_ * 2, milliseconds(50));
  }

 private:
  milliseconds next_{1};
};

/// Polls without taking the processor from ranks that are still on their way.
class Yield {
 public:
  void operator()() {
    if (++looks_ < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

 private:
  int looks_ = 0;
};

std::string seconds(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

/// The end, or a warning: ranks without the library are native, so all have to be.
void say_silent(const std::vector<int>& silent, const Setup& setup, bool strict) {
  const std::string text = std::string(silent.size() == 1 ? "rank " : "ranks ") + listed(silent) +
                           " of MPI_COMM_WORLD " + (silent.size() == 1 ? "has" : "have") +
                           " not loaded Trunkline's preload library within " + seconds(setup.patience_s) +
                           ": have the launcher hand LD_PRELOAD on to all ranks";
  if (strict) end_job(text);
  warn(text +
       "\ntrunkline: warning: every collective runs natively on all ranks (TRUNKLINE_STRICT=1 ends the job instead; "
       "TRUNKLINE_PATIENCE=SECONDS waits longer)");
}

class RollCall {
 public:
  RollCall(const Setup& setup, int rank, int ranks)
      : setup_(setup), rank_(rank), ranks_(ranks), deadline_(Clock::now() + patience()) {}

  bool lead() {
    hellos().assign(static_cast<std::size_t>(ranks_), Hello{});
    missing().assign(static_cast<std::size_t>(ranks_), MPI_REQUEST_NULL);
    hellos().front().strict = setup_.strict ? 1 : 0;
    for (int other = 1; other < ranks_; ++other) {
      const auto at = static_cast<std::size_t>(other);
      check(PMPI_Irecv(&hellos()[at], sizeof(Hello), MPI_BYTE, other, hello_tag, MPI_COMM_WORLD, &missing()[at]));
    }
    const bool announced = has_names() && names_.publish(roll, is_open);
    const bool all = all_came();
    if (announced) names_.withdraw(roll, is_open);
    const Verdict verdict{.all_here = all ? 1 : 0};
    std::vector<int> silent;
    bool strict = false;
    for (int other = 0; other < ranks_; ++other) {
      const auto at = static_cast<std::size_t>(other);
      if (missing()[at] != MPI_REQUEST_NULL) {
        silent.push_back(other);
        continue;
      }
      strict = strict || hellos()[at].strict != 0;
      if (other == 0) continue;
      check(PMPI_Send(&verdict, sizeof verdict, MPI_BYTE, other, verdict_tag, MPI_COMM_WORLD));
    }
    if (all) return true;
    // After the verdicts: who still waits for one when it sees this gets none.
    if (announced && !names_.publish(roll, is_closed)) warn("the launcher's name service failed");
    say_silent(silent, setup_, strict);
    return false;
  }

  bool follow() {
    const Leader leader = find_leader();
    if (leader == Leader::closed) return false;  // rank 0 has named this rank among the silent ones
    if (leader == Leader::silent) {
      if (is_to_speak()) say_silent({0}, setup_, setup_.strict);
      return false;
    }
    const Hello hello{.strict = setup_.strict ? 1 : 0};
    check(PMPI_Send(&hello, sizeof hello, MPI_BYTE, 0, hello_tag, MPI_COMM_WORLD));
    Verdict verdict;
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Irecv(&verdict, sizeof verdict, MPI_BYTE, 0, verdict_tag, MPI_COMM_WORLD, &request));
    Yield yield;
    int fruitless = 0;
    Clock::time_point next_look = deadline_;
    if (leader == Leader::unknown) next_look += (patience_without_service - 1) * patience();
    for (int here = 0; here == 0; yield()) {
      check(PMPI_Test(&request, &here, MPI_STATUS_IGNORE));
      if (here != 0 || Clock::now() < next_look) continue;
      next_look += std::chrono::seconds(1);
      if (leader == Leader::present && names_.look_up(roll) != is_closed) continue;
      // A verdict sent before that may still be on its way.
      if (++fruitless < 2) continue;
      PMPI_Cancel(&request);
      MPI_Status status{};
      int cancelled = 0;
      check(PMPI_Wait(&request, &status));
      check(PMPI_Test_cancelled(&status, &cancelled));
      if (cancelled == 0) break;  // it came after all
      if (leader == Leader::unknown && rank_ <= 2) say_silent({0}, setup_, setup_.strict);
      return false;
    }
    return verdict.all_here != 0;
  }

 private:
  enum class Leader : std::uint8_t {
    present,
    closed,   ///< and has stopped waiting
    silent,   ///< has no library, as far as one can tell in time
    unknown,  ///< the launcher offers no name service
  };

  [[nodiscard]] Clock::duration patience() const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(setup_.patience_s));
  }

  /// Jobs that a program spawns may share its launcher's service without a name of their own.
  static bool spawned() {
    MPI_Comm parent = MPI_COMM_NULL;
    check(PMPI_Comm_get_parent(&parent));
    return parent != MPI_COMM_NULL;
  }

  static bool has_names() { return !spawned() && NameService::may_be_asked(); }

  Leader find_leader() {
    if (!has_names()) return Leader::unknown;
    Pause pause;
    constexpr int until_trial = 5;
    for (int looks = 1; Clock::now() < deadline_; ++looks, pause()) {
      if (const auto word = names_.look_up(roll)) return word == is_open ? Leader::present : Leader::closed;
      if (looks == until_trial && !names_.works(rank_)) return Leader::unknown;
    }
    return Leader::silent;
  }

  /// Of the ranks that find out that rank 0 is silent one speaks: the one that the service knows by that name. Some
  /// services keep the first word published, others keep all and tell one.
  bool is_to_speak() {
    constexpr milliseconds until_all_have{300};
    const std::string own = std::to_string(rank_);
    static_cast<void>(names_.publish("speaker", own));
    std::this_thread::sleep_for(until_all_have);
    return names_.look_up("speaker") == own;
  }

  /// Of all other ranks, in time.
  bool all_came() {
    Yield yield;
    for (int all = 0; all == 0; yield()) {
      check(PMPI_Testall(ranks_, missing().data(), &all, MPI_STATUSES_IGNORE));
      if (all != 0) return true;
      if (Clock::now() >= deadline_) break;
    }
    // MPI_Testall frees none before all are over.
    for (MPI_Request& request : missing()) {
      int here = 0;
      check(PMPI_Test(&request, &here, MPI_STATUS_IGNORE));
    }
    return std::ranges::all_of(missing(), [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
  }

  const Setup& setup_;
  int rank_;
  int ranks_;
  Clock::time_point deadline_;
  NameService names_;
};

}  // namespace

bool call_roll(const Setup& setup) {
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (ranks == 1) return true;
  RollCall call(setup, rank, ranks);
  return rank == 0 ? call.lead() : call.follow();
}

bool is_waiting_for_silent_ranks() {
  return std::ranges::any_of(missing(), [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
}

void forget_silent_ranks() {
  for (MPI_Request& request : missing()) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
  }
}

}  // namespace trunkline::runtime
