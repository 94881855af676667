// SPDX-License-Identifier: Apache-2.0
// runtime-aliases FILE CASE:WHO...: calls whose buffers MPI forbids, one after another in one job; WHO is the rank that
// alone has such buffers, or "all". Rank 0 writes a line for each to FILE: "CASE:WHO error C", the least class that a
// rank heard of; else "CASE:WHO right" or "CASE:WHO wrong". So jobs with and without the preload library can be
// compared: what MPI reports natively must be reported, and what it takes must be right.
//
// Where one rank hears of an error, the others may wait for it for ever: each call has a thread and a communicator of
// its own, which are left alone then. After a few of those the job ends, without a line for the cases that are left.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t count = 5000;  ///< of a share, and of a vector

int rank = 0;
int ranks = 1;
thread_local bool concerned = true;  ///< this rank is one of those with forbidden buffers
thread_local MPI_Comm communicator = MPI_COMM_NULL;

using Numbers = std::vector<int>;

int value(int of, std::size_t i) { return static_cast<int>(i * 31) + of * 1003; }

Numbers operand(std::size_t length) {
  Numbers own(length);
  for (std::size_t i = 0; i < length; ++i) own[i] = value(rank, i);
  return own;
}

/// Sums of all ranks' operands, from `first` on.
bool is_sum(const Numbers& got, std::size_t first, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    int sum = 0;
    for (int of = 0; of < ranks; ++of) sum += value(of, first + i);
    if (got[i] != sum) return false;
  }
  return true;
}

struct Ended {
  int code;
  bool right;
};

std::size_t at(int of) { return static_cast<std::size_t>(of) * count; }

bool is_gathered(const Numbers& all) {
  for (int of = 0; of < ranks; ++of) {
    for (std::size_t i = 0; i < count; ++i) {
      if (all[at(of) + i] != value(of, i)) return false;
    }
  }
  return true;
}

/// From `place` of the receive buffer; ranks that are not concerned send from elsewhere.
Ended gather_from(std::size_t place, bool by_rank) {
  Numbers own = operand(count);
  Numbers all(at(ranks), -1);
  if (concerned) std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(place));
  const int* const send = concerned ? all.data() + place : own.data();
  const Numbers counts(static_cast<std::size_t>(ranks), count);
  Numbers starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  const int code =
      by_rank ? MPI_Allgatherv(send, count, MPI_INT, all.data(), counts.data(), starts.data(), MPI_INT, communicator)
              : MPI_Allgather(send, count, MPI_INT, all.data(), count, MPI_INT, communicator);
  return {code, is_gathered(all)};
}

Ended allgather_own_place() { return gather_from(at(rank), false); }
Ended allgatherv_own_place() { return gather_from(at(rank), true); }
Ended allgather_same() { return gather_from(0, false); }

/// Numbers with gaps between them, from the place of the rank that sends them.
Ended allgather_gaps_own_place() {
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
  MPI_Type_commit(&apart);
  Numbers own(2 * count, -1);
  Numbers all(2 * at(ranks), -1);
  int* const send = concerned ? all.data() + 2 * at(rank) : own.data();
  for (std::size_t i = 0; i < count; ++i) send[2 * i] = value(rank, i);
  const int code = MPI_Allgather(send, count, apart, all.data(), count, apart, communicator);
  bool right = true;
  for (std::size_t i = 0; i < at(ranks); ++i) {
    right = right && all[2 * i] == value(static_cast<int>(i / count), i % count) && all[2 * i + 1] == -1;
  }
  MPI_Type_free(&apart);
  return {code, right};
}

Ended allreduce_same() {
  Numbers own = operand(count);
  Numbers sum(count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Allreduce(own.data(), result, count, MPI_INT, MPI_SUM, communicator);
  return {code, is_sum(concerned ? own : sum, 0, count)};
}

Ended reduce_same() {
  Numbers own = operand(count);
  Numbers sum(count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Reduce(own.data(), result, count, MPI_INT, MPI_SUM, 1, communicator);
  return {code, rank != 1 || is_sum(concerned ? own : sum, 0, count)};
}

Ended reduce_scatter_same() {
  Numbers own = operand(at(ranks));
  Numbers sum(count);
  const Numbers counts(static_cast<std::size_t>(ranks), count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Reduce_scatter(own.data(), result, counts.data(), MPI_INT, MPI_SUM, communicator);
  return {code, is_sum(concerned ? own : sum, at(rank), count)};
}

Ended reduce_scatter_block_same() {
  Numbers own = operand(at(ranks));
  Numbers sum(count);
  int* const result = concerned ? own.data() : sum.data();
  const int code = MPI_Reduce_scatter_block(own.data(), result, count, MPI_INT, MPI_SUM, communicator);
  return {code, is_sum(concerned ? own : sum, at(rank), count)};
}

/// The last rank gets nothing, and has no buffer for it; concerned ones say MPI_IN_PLACE for it.
Ended reduce_scatter_nothing() {
  Numbers own = operand(at(ranks - 1));
  Numbers sum(count);
  Numbers counts(static_cast<std::size_t>(ranks), count);
  counts.back() = 0;
  void* const nowhere = concerned ? MPI_IN_PLACE : nullptr;
  void* const result = rank == ranks - 1 ? nowhere : sum.data();
  const int code = MPI_Reduce_scatter(own.data(), result, counts.data(), MPI_INT, MPI_SUM, communicator);
  return {code, rank == ranks - 1 || is_sum(sum, at(rank), count)};
}

Ended bcast_null() {
  Numbers data(count, rank == 0 ? 7 : 0);
  const int code = MPI_Bcast(concerned ? nullptr : data.data(), count, MPI_INT, 0, communicator);
  return {code, data.back() == 7 || concerned};
}

Ended allreduce_null() {
  Numbers own = operand(count);
  Numbers sum(count);
  const int code = MPI_Allreduce(own.data(), concerned ? nullptr : sum.data(), count, MPI_INT, MPI_SUM, communicator);
  return {code, concerned || is_sum(sum, 0, count)};
}

Ended allgather_null() {
  Numbers own = operand(count);
  Numbers all(at(ranks), -1);
  const int code =
      MPI_Allgather(own.data(), count, MPI_INT, concerned ? nullptr : all.data(), count, MPI_INT, communicator);
  return {code, concerned || is_gathered(all)};
}

Ended both_in_place() {
  Numbers own = operand(count);
  const int code =
      MPI_Allreduce(MPI_IN_PLACE, concerned ? MPI_IN_PLACE : own.data(), count, MPI_INT, MPI_SUM, communicator);
  return {code, concerned || is_sum(own, 0, count)};
}

/// Where it is no root's business.
Ended reduce_in_place() {
  Numbers own = operand(count);
  const bool wrong = concerned && rank != 1;
  const int code =
      MPI_Reduce(wrong || rank == 1 ? MPI_IN_PLACE : own.data(), own.data(), count, MPI_INT, MPI_SUM, 1, communicator);
  return {code, rank != 1 || is_sum(own, 0, count)};
}

/// Of an MPI_Alltoallv, or an MPI_Alltoallw; some blocks are empty. All numbers are alike, so that it is no matter in
/// which order they are overwritten.
struct Exchanged {
  Numbers counts = lengths();
  Numbers starts = places(1);
  Numbers bytes_before = places(sizeof(int));
  std::vector<MPI_Datatype> types = std::vector<MPI_Datatype>(static_cast<std::size_t>(ranks), MPI_INT);
  Numbers from = Numbers(at(ranks), 7);
  Numbers to = Numbers(at(ranks), -1);

  [[nodiscard]] static bool is_empty(int other) { return (rank + other) % 3 == 1; }
  [[nodiscard]] static Numbers lengths() {
    Numbers all;
    for (int other = 0; other < ranks; ++other) all.push_back(is_empty(other) ? 0 : static_cast<int>(count));
    return all;
  }
  [[nodiscard]] static Numbers places(std::size_t unit) {
    Numbers all;
    for (int other = 0; other < ranks; ++other) all.push_back(static_cast<int>(at(other) * unit));
    return all;
  }
  [[nodiscard]] static bool is_right(const Numbers& got) {
    for (int other = 0; other < ranks; ++other) {
      if (!is_empty(other) && (got[at(other)] != 7 || got[at(other) + count - 1] != 7)) return false;
    }
    return true;
  }
};

/// What one side has that MPI may forbid.
enum class Forbidden { same_arrays, same_counts, null, negative, in_place };

Ended alltoallv_with(Forbidden what) {
  Exchanged own;
  const Exchanged other;
  const void* send = own.from.data();
  void* receive = own.to.data();
  const Numbers* counts = &other.counts;
  const Numbers* starts = &other.starts;
  Numbers wrong_counts = own.counts;
  const bool same = what == Forbidden::same_arrays || what == Forbidden::same_counts;
  if (concerned && same) {
    receive = own.from.data();
    counts = &own.counts;
    if (what == Forbidden::same_arrays) starts = &own.starts;
  }
  if (concerned && what == Forbidden::null) send = nullptr;
  if (concerned && what == Forbidden::negative) wrong_counts[1] = -1;
  if (concerned && what == Forbidden::in_place) receive = MPI_IN_PLACE;
  const int* const send_counts = what == Forbidden::negative ? wrong_counts.data() : own.counts.data();
  const int code = MPI_Alltoallv(send, send_counts, own.starts.data(), MPI_INT, receive, counts->data(), starts->data(),
                                 MPI_INT, communicator);
  const bool has_result = !concerned || same;
  return {code, !has_result || Exchanged::is_right(concerned && same ? own.from : own.to)};
}

Ended alltoallv_same() { return alltoallv_with(Forbidden::same_arrays); }
Ended alltoallv_same_counts() { return alltoallv_with(Forbidden::same_counts); }
Ended alltoallv_null() { return alltoallv_with(Forbidden::null); }
Ended alltoallv_negative() { return alltoallv_with(Forbidden::negative); }
Ended alltoallv_into_in_place() { return alltoallv_with(Forbidden::in_place); }

/// Of empty blocks.
Ended alltoallw_without_types() {
  Exchanged own;
  for (int other = 0; concerned && other < ranks; ++other) {
    if (Exchanged::is_empty(other)) own.types[static_cast<std::size_t>(other)] = MPI_DATATYPE_NULL;
  }
  const Exchanged types = own;
  const int code =
      MPI_Alltoallw(own.from.data(), own.counts.data(), own.bytes_before.data(), own.types.data(), own.to.data(),
                    types.counts.data(), own.bytes_before.data(), types.types.data(), communicator);
  return {code, Exchanged::is_right(own.to)};
}

const std::map<std::string, std::function<Ended()>> cases{
    {"alltoallv-same", alltoallv_same},
    {"alltoallv-same-counts", alltoallv_same_counts},
    {"alltoallv-null", alltoallv_null},
    {"alltoallv-negative", alltoallv_negative},
    {"alltoallv-into-in-place", alltoallv_into_in_place},
    {"alltoallw-without-types", alltoallw_without_types},
    {"allgather-own-place", allgather_own_place},
    {"allgather-gaps-own-place", allgather_gaps_own_place},
    {"allgather-same", allgather_same},
    {"allgatherv-own-place", allgatherv_own_place},
    {"allreduce-same", allreduce_same},
    {"reduce-same", reduce_same},
    {"reduce-scatter-same", reduce_scatter_same},
    {"reduce-scatter-block-same", reduce_scatter_block_same},
    {"reduce-scatter-nothing", reduce_scatter_nothing},
    {"bcast-null", bcast_null},
    {"allreduce-null", allreduce_null},
    {"allgather-null", allgather_null},
    {"both-in-place", both_in_place},
    {"reduce-in-place", reduce_in_place},
};

using Clock = std::chrono::steady_clock;
constexpr auto longest_call = std::chrono::seconds(60);
constexpr auto grace = std::chrono::milliseconds(300);  ///< for others to hear of an error too
constexpr int most_stuck = 4;
constexpr int result_tag = 1;
constexpr int next_tag = 2;

/// What one rank has to say of a case.
struct Said {
  int error_class;
  int right;
};

/// A case on this rank. Its thread may outlive everything.
struct Call {
  std::atomic<bool> is_over{false};
  Said said{};
};

std::shared_ptr<Call> start(const std::string& name, bool is_concerned, MPI_Comm on) {
  auto call = std::make_shared<Call>();
  std::thread([=] {
    concerned = is_concerned;
    communicator = on;
    const auto [code, right] = cases.at(name)();
    MPI_Error_class(code, &call->said.error_class);
    call->said.right = right ? 1 : 0;
    call->is_over = true;
  }).detach();
  return call;
}

/// What the ranks of a case said, as far as they are known; rank 0's.
class Verdict {
 public:
  void add(const Said& said) {
    ++known_;
    if (said.error_class == MPI_SUCCESS) {
      is_right_ = is_right_ && said.right != 0;
      return;
    }
    if (error_class_ == MPI_SUCCESS) since_ = Clock::now();
    error_class_ = error_class_ == MPI_SUCCESS ? said.error_class : std::min(error_class_, said.error_class);
  }
  [[nodiscard]] bool has_all() const { return known_ == ranks; }
  [[nodiscard]] bool is_over() const {
    const auto waited = Clock::now() - since_;
    if (error_class_ == MPI_SUCCESS && waited > longest_call) MPI_Abort(MPI_COMM_WORLD, 1);
    return has_all() || (error_class_ != MPI_SUCCESS && waited > grace);
  }
  [[nodiscard]] std::string text() const {
    if (error_class_ != MPI_SUCCESS) return "error " + std::to_string(error_class_);
    return is_right_ ? "right" : "wrong";
  }

 private:
  Clock::time_point since_ = Clock::now();  ///< the begin, or the first error
  int known_ = 0;
  int error_class_ = MPI_SUCCESS;
  bool is_right_ = true;
};

/// All ranks' words on a case come to rank 0, which then tells all to go on. `ours` is for that alone. Returns whether
/// every rank has come to the end of it.
bool meet(Call& call, MPI_Comm ours, std::ofstream& file, const std::string& word) {
  Verdict verdict;
  Said told{};  // must stay until it has been sent
  MPI_Request telling = MPI_REQUEST_NULL;
  for (bool has_told = false;; usleep(1000)) {
    if (!has_told && call.is_over) {
      has_told = true;
      told = call.said;
      if (rank == 0) verdict.add(told);
      if (rank != 0) MPI_Isend(&told, 2, MPI_INT, 0, result_tag, ours, &telling);
    }
    int found = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, rank == 0 ? result_tag : next_tag, ours, &found, &status);
    if (rank != 0 && found != 0) {
      int is_sound = 0;
      MPI_Recv(&is_sound, 1, MPI_INT, 0, next_tag, ours, MPI_STATUS_IGNORE);
      if (has_told) MPI_Wait(&telling, MPI_STATUS_IGNORE);
      return is_sound != 0;
    }
    if (found != 0) {
      Said said{};
      MPI_Recv(&said, 2, MPI_INT, status.MPI_SOURCE, result_tag, ours, MPI_STATUS_IGNORE);
      verdict.add(said);
    }
    if (rank != 0 || !verdict.is_over()) continue;
    file << word << ' ' << verdict.text() << std::endl;
    const int is_sound = verdict.has_all() ? 1 : 0;
    for (int to = 1; to < ranks; ++to) MPI_Send(&is_sound, 1, MPI_INT, to, next_tag, ours);
    return is_sound != 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // which Open MPI asks about some of them
  if (argc < 3 || provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  std::ofstream file(rank == 0 ? argv[1] : "/dev/null");
  int stuck = 0;
  for (int i = 2; i < argc && stuck < most_stuck; ++i) {
    const std::string word(argv[i]);
    const std::string who = word.substr(word.find(':') + 1);
    MPI_Comm ours = MPI_COMM_NULL;  // a late word on one case is none on the next
    MPI_Comm theirs = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    MPI_Comm_dup(MPI_COMM_WORLD, &theirs);
    MPI_Comm_set_errhandler(theirs, MPI_ERRORS_RETURN);
    const auto call = start(word.substr(0, word.find(':')), who == "all" || std::atoi(who.c_str()) == rank, theirs);
    if (!meet(*call, ours, file, word)) {
      ++stuck;
      continue;
    }
    MPI_Comm_free(&theirs);
    MPI_Comm_free(&ours);
  }
  if (stuck > 0) {
    PMPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
  }
  MPI_Finalize();
  return 0;
}
