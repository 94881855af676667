// SPDX-License-Identifier: Apache-2.0
#include "intercept/under_way.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "communicator/gate.hpp"
#include "communicator/members.hpp"
#include "intercept/planned_call.hpp"
#include "intercept/state.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "revoked.hpp"
#include "startup/progress_hook.hpp"
#include "startup/progress_thread.hpp"
#include "transport/looks.hpp"
#include "transport/watchdog.hpp"
#include "transport/yields.hpp"

// Two locks. One is over all that is under way: it is tried, and waited for only where the program frees something,
// since functions of the program run under it where a call combines operands with an operation of its own, which may
// wait for another thread, and since the MPI library may hold locks of its own when it calls us. The other is over what
// has been started since: it is held for a moment.

namespace trunkline::runtime {
namespace {

/// What a request tells, from the start of its call until the program has let go of it. It owns nothing of the MPI
/// library's: MPICH is locked while it lets go of a request.
struct Outcome {
  std::shared_ptr<const NumberInUse> number;
  MPI_Comm communicator;
  std::atomic<int> code = MPI_SUCCESS;
  std::atomic<bool> is_told = false;
};

struct StartedCall {
  std::shared_ptr<const ReadyCall> ready;
  Prepared prepared;  ///< with its turn
  MPI_Request request = MPI_REQUEST_NULL;
  Outcome* outcome = nullptr;  ///< null: a persistent one
  int tag = 0;                 ///< of that
  double start_s = 0.0;        ///< where somebody wants to know
  std::optional<TracedCall> traced{};
  std::optional<PlannedCall> planned{};  ///< once it may send

  [[nodiscard]] const NumberInUse& number() const { return *ready->prepared.number; }
  [[nodiscard]] MPI_Comm communicator() const {
    return number().is_communicator_freed() ? MPI_COMM_NULL : ready->user->arguments().communicator;
  }
};

/// All members meet before that turn: because of its tags, or for their group of datagrams.
struct Meeting {
  Meeting(std::shared_ptr<const ReadyCall> call, std::uint64_t before, std::optional<std::uint64_t> call_of_group)
      : behind(std::move(call)),
        turn(before),
        group_call(call_of_group),
        gate(*private_communicator(), *behind->prepared.members->processes().world_ranks,
             behind->prepared.members->processes().rank, number().number(), turn) {}

  [[nodiscard]] const NumberInUse& number() const { return *behind->prepared.number; }

  /// Whether it is over.
  [[nodiscard]] bool step() {
    if (!group_call) return gate.step();
    DatagramGroup& group = *behind->prepared.group;
    if (!words) words = group.words(*group_call);
    if (!gate.step(*words)) return false;
    group.have_met(*group_call, *words);
    return true;
  }

  std::shared_ptr<const ReadyCall> behind;
  std::uint64_t turn;
  std::optional<std::uint64_t> group_call;      ///< of the group, where it is for that
  std::optional<DatagramGroup::Words> words{};  ///< once it has begun
  Gate gate;
};

/// This thread goes on with calls: what they ask of the MPI library may call us back.
constinit thread_local bool is_going_on __attribute__((tls_model("initial-exec"))) = false;

/// While it does. It is not cancelled then: frames of the MPI library's are around us.
class Inside {
 public:
  explicit Inside(bool in_progress) {
    is_going_on = true;
    within_progress = in_progress;
  }
  ~Inside() { is_going_on = within_progress = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Uncancelled uncancelled_{};
};

/// Meanwhile it runs a function of the program's, which may call MPI for anything.
class Outside {
 public:
  explicit Outside(std::unique_lock<std::mutex>& stepping) : stepping_(stepping) {
    is_going_on = false;
    stepping_.unlock();
  }
  ~Outside() {
    while (!stepping_.try_lock()) yield_in_turn();
    is_going_on = true;
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  std::unique_lock<std::mutex>& stepping_;
};

class CallsUnderWay {
 public:
  [[nodiscard]] int start(std::shared_ptr<const ReadyCall> ready, MPI_Request* request, std::optional<int> tag);
  /// `in_progress`: within the MPI library's own, which may hold locks, and has looked at the network. Returns how much
  /// got on; empty: another thread is at it.
  std::optional<int> go_on(bool in_progress) noexcept;
  /// By a thread of ours from now on, too. Throws std::system_error.
  void begin_thread();
  void end_thread();
  /// Before the program's communicator is freed, while another thread may be asking something of it.
  void let_go_of(MPI_Comm communicator);
  /// The communicator of a call under way that has this request; empty: there is none.
  [[nodiscard]] std::optional<MPI_Comm> communicator_of(MPI_Request request);
  /// Whether one has to, or another thread is going on with calls and this one cannot tell; also below.
  [[nodiscard]] bool must_wait(const NumberInUse& number, const NumberInUse::Turn& turn);
  [[nodiscard]] bool may_any_meet(const NumberInUse& number);
  [[nodiscard]] bool may_any_multicast(const NumberInUse& number);
  [[nodiscard]] bool may_be_any_on(MPI_Comm communicator);
  [[nodiscard]] bool has_any() const { return has_any_.load(std::memory_order_relaxed); }
  void stop();

 private:
  template <class T>
  using List = std::vector<std::unique_ptr<T>>;

  [[nodiscard]] static std::uint64_t half_round(std::uint64_t turn) {
    return turn / (private_communicator()->tags().turns() / 2);
  }
  void adopt_those_started();
  [[nodiscard]] bool may_be(const auto& is_so);
  [[nodiscard]] bool is_any_to_meet(const NumberInUse& number) const;
  [[nodiscard]] bool is_any_a_round_before(const NumberInUse& number, std::uint64_t turn) const;
  [[nodiscard]] bool is_any_multicast_before(const NumberInUse& number, std::uint64_t turn) const;
  [[nodiscard]] bool is_behind_a_meeting(const StartedCall& call) const;
  [[nodiscard]] int meet();
  [[nodiscard]] std::optional<int> step(StartedCall& call) const;
  static void end(StartedCall& call, int code);
  /// Waits for a thread that is stepping, unless it is this one.
  [[nodiscard]] std::unique_lock<std::mutex> stop_stepping();
  void hook_or_not();

  std::unique_ptr<ProgressThread> thread_{};  ///< where the user wants one; changes while it rests alone

  std::mutex stepping_{};
  List<StartedCall> calls_{};
  List<Meeting> meetings_{};  ///< of each communicator in order

  std::mutex starting_{};
  List<StartedCall> started_{};
  List<Meeting> meetings_started_{};
  std::size_t count_ = 0;              ///< of calls and meetings, in all lists
  std::atomic<bool> has_any_ = false;  ///< the same, for a look
};

/// Never destroyed: programs may complete requests while static objects are.
CallsUnderWay& under_way() {
  static auto* const instance = with_reserve([] { return new CallsUnderWay; });
  return *instance;
}
/// Whether any call has been started: all that others pay for this file where there is none.
constinit std::atomic<bool> has_any_started{false};

int go_on() { return under_way().go_on(true).value_or(0); }
std::optional<int> go_on_by_thread() { return under_way().go_on(false); }

// Of generalized requests. The MPI library calls them in the program's own call that completes one; the second one
// maybe in a thread that has completed it.

/// Once.
void tell_communicator(Outcome& outcome) {
  if (outcome.code == MPI_SUCCESS || outcome.is_told.exchange(true)) return;
  if (!outcome.number->is_communicator_freed()) PMPI_Comm_call_errhandler(outcome.communicator, outcome.code);
}

int tell(void* extra, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  Outcome& outcome = *static_cast<Outcome*>(extra);
  tell_communicator(outcome);
  return outcome.code;
}

int let_go(void* extra) {
  delete static_cast<Outcome*>(extra);
  return MPI_SUCCESS;
}

/// MPI forbids it for requests of collectives.
int cancel(void* /*extra*/, int /*is_complete*/) { return MPI_SUCCESS; }

#ifndef OPEN_MPI
int tell_nothing(void* /*extra*/, MPI_Status* /*status*/) { return MPI_SUCCESS; }
int let_go_of_nothing(void* /*extra*/) { return MPI_SUCCESS; }
#endif

/// Of a call that is started once.
int start_request(const ReadyCall& call, MPI_Request* request, Outcome*& outcome) {
  auto made = with_reserve([&] {
    return std::unique_ptr<Outcome>(
        new Outcome{.number = call.prepared.number, .communicator = call.user->arguments().communicator});
  });
  const int code = PMPI_Grequest_start(tell, runtime::let_go, cancel, made.get(), request);
  if (code == MPI_SUCCESS) outcome = made.release();
  return code;
}

int CallsUnderWay::start(std::shared_ptr<const ReadyCall> ready, MPI_Request* request, std::optional<int> tag) {
  const Arguments& arguments = ready->user->arguments();
  Outcome* outcome = nullptr;
  const int code = tag ? PMPI_Start(request) : start_request(*ready, request, outcome);
  if (code != MPI_SUCCESS) return code;
  const LocalDecision& decision = *ready->prepared.decision;
  last_run(arguments.collective) = {.algorithm = decision.plan->name,
                                    .segment_bytes = decision.segment_bytes,
                                    .multicast = ready->prepared.multicast};
  {
    const std::scoped_lock lock(starting_);
    NumberInUse& number = *ready->prepared.number;
    const NumberInUse::Turn turn = number.next_turn(private_communicator()->tags());
    number.has_started();
    const auto group_call = ready->prepared.group != nullptr ? ready->prepared.group->start_call() : std::nullopt;
    const bool meets = turn.meets || group_call;
    with_reserve([&] {
      started_.reserve(started_.size() + 1);
      meetings_started_.reserve(meetings_started_.size() + 1);
    });
    if (meets) {
      meetings_started_.push_back(
          with_reserve([&] { return std::make_unique<Meeting>(ready, turn.turn, group_call); }));
    }
    auto call = with_reserve(
        [&] { return std::unique_ptr<StartedCall>(new StartedCall{.ready = ready, .prepared = ready->prepared}); });
    call->prepared.turn = turn.turn;
    call->request = *request;
    call->outcome = outcome;
    call->tag = tag.value_or(0);
    if (are_told()) call->start_s = PMPI_Wtime();
    call->traced.emplace(recorder(), arguments.collective, false);  // persistent ones start in any order
    started_.push_back(std::move(call));
    count_ += meets ? 2 : 1;
    hook_or_not();
  }
  has_any_started.store(true, std::memory_order_relaxed);
  static_cast<void>(go_on(world()->has_hook));
  // Nothing else would go on with it, in MPI_Finalize.
  while (!simulated && thread_ == nullptr && !world()->has_hook && has_any()) {
    static_cast<void>(go_on(false));
    yield_in_turn();
  }
  return MPI_SUCCESS;
}

void CallsUnderWay::begin_thread() { thread_ = std::make_unique<ProgressThread>(go_on_by_thread); }

void CallsUnderWay::end_thread() {
  if (thread_ == nullptr) return;
  thread_->end();
  thread_.reset();
}

void CallsUnderWay::let_go_of(MPI_Comm communicator) {
  if (!world()->has_threads || !has_any()) return;
  const std::unique_lock lock = stop_stepping();
  adopt_those_started();
  for (const auto& call : calls_) {
    if (call->communicator() == communicator) call->ready->prepared.number->communicator_is_freed();
  }
}

std::optional<MPI_Comm> CallsUnderWay::communicator_of(MPI_Request request) {
  const std::unique_lock lock = stop_stepping();
  adopt_those_started();
  const auto found = std::ranges::find_if(
      calls_, [&](const auto& call) { return call->outcome != nullptr && call->request == request; });
  return found != calls_.end() ? std::optional((*found)->communicator()) : std::nullopt;
}

std::unique_lock<std::mutex> CallsUnderWay::stop_stepping() {
  std::unique_lock lock(stepping_, std::defer_lock);
  while (!is_going_on && !lock.try_lock()) yield_in_turn();
  return lock;
}

/// Under the lock of those started. A library that has given its hook to us before gives it again.
void CallsUnderWay::hook_or_not() {
  has_any_.store(count_ > 0, std::memory_order_relaxed);
  if (thread_ != nullptr) thread_->work(count_ > 0);
  if (!world()->has_hook) return;
  if (count_ == 0) {
    unhook();
  } else if (!hook_up(runtime::go_on)) {
    end_job("the MPI library no longer lets calls that do not block go on within its own");
  }
}

std::optional<int> CallsUnderWay::go_on(bool in_progress) noexcept {
  if (!has_any() || is_going_on) return 0;
  std::unique_lock lock(stepping_, std::try_to_lock);
  if (!lock) return {};
  const Inside inside(in_progress);
  adopt_those_started();
  int got_on = meetings_.empty() ? 0 : meet();
  for (std::size_t i = 0; i < calls_.size();) {
    const auto code = step(*calls_[i]);
    if (!code) {
      ++i;
      continue;
    }
    const std::unique_ptr<StartedCall> over = std::move(calls_[i]);
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
    over->planned.reset();
    ++got_on;
    // In the program's call, locked, MPICH could not.
    if (*code != MPI_SUCCESS && over->outcome != nullptr && !world()->has_hook) {
      over->outcome->code = *code;
      const Outside outside(lock);
      tell_communicator(*over->outcome);
      i = 0;
    }
    end(*over, *code);
  }
  if (got_on > 0) {
    const std::scoped_lock starting(starting_);
    count_ -= static_cast<std::size_t>(got_on);
    hook_or_not();
  }
  return got_on;
}

void CallsUnderWay::adopt_those_started() {
  const std::scoped_lock lock(starting_);
  if (started_.empty()) return;
  with_reserve([&] {
    calls_.reserve(calls_.size() + started_.size());
    meetings_.reserve(meetings_.size() + meetings_started_.size());
  });
  std::ranges::move(started_, std::back_inserter(calls_));
  std::ranges::move(meetings_started_, std::back_inserter(meetings_));
  started_.clear();
  meetings_started_.clear();
}

/// A turn of that communicator is under way here that could be mistaken for one from `turn` on.
bool CallsUnderWay::is_any_a_round_before(const NumberInUse& number, std::uint64_t turn) const {
  return std::ranges::any_of(calls_, [&](const auto& call) {
    return &call->number() == &number && half_round(call->prepared.turn) + 2 <= half_round(turn);
  });
}

/// What was begun before may still be asked for, or be on its way.
bool CallsUnderWay::is_any_multicast_before(const NumberInUse& number, std::uint64_t turn) const {
  return std::ranges::any_of(calls_, [&](const auto& call) {
    return &call->number() == &number && call->prepared.group != nullptr && call->prepared.turn < turn;
  });
}

bool CallsUnderWay::is_behind_a_meeting(const StartedCall& call) const {
  return std::ranges::any_of(meetings_, [&](const auto& meeting) {
    return &meeting->number() == &call.number() && meeting->turn <= call.prepared.turn;
  });
}

/// The first one of each communicator goes on. Returns how many are over.
int CallsUnderWay::meet() {
  std::vector<const NumberInUse*> have_one;  // few, and seldom any
  const std::size_t before = meetings_.size();
  std::erase_if(meetings_, [&](const auto& meeting) {
    if (std::ranges::find(have_one, &meeting->number()) != have_one.end()) return false;
    const bool must_wait = is_any_a_round_before(meeting->number(), meeting->turn) ||
                           (meeting->group_call && is_any_multicast_before(meeting->number(), meeting->turn));
    if (!must_wait && meeting->step()) return true;
    with_reserve([&] { have_one.push_back(&meeting->number()); });
    return false;
  });
  return static_cast<int>(before - meetings_.size());
}

std::optional<int> CallsUnderWay::step(StartedCall& call) const {
  if (!call.planned) {
    if (call.communicator() != MPI_COMM_NULL && is_revoked(call.communicator())) return revoked_code;
    if (!meetings_.empty() && is_behind_a_meeting(call)) return {};
    if (call.prepared.group != nullptr && call.prepared.group->deaf_rank()) leave_out_datagrams(call.prepared);
    call.planned.emplace(*call.ready->user, call.ready->shared, call.prepared, PlannedCall::Leaves::by_code);
    if (call.traced->is_on()) call.planned->trace(*call.traced);
  }
  if (call.number().is_communicator_freed()) call.planned->communicator_is_freed();
  return call.planned->step();
}

/// The message that a persistent request waits for; longer than that takes where something is wrong. Error handlers of
/// the program are not called here; those that end the job do.
void complete_again(const StartedCall& call, int code) {
  const MPI_Comm communicator = call.communicator();
  if (code != MPI_SUCCESS && communicator != MPI_COMM_NULL) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(communicator, &handler);
    bool ends_job = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
    ends_job = ends_job || handler == MPI_ERRORS_ABORT;
#endif
    if (ends_job) PMPI_Comm_call_errhandler(communicator, code);
    if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  }
  static constexpr char too_long = 0;
  MPI_Request sent = MPI_REQUEST_NULL;
  PMPI_Isend(&too_long, code == MPI_SUCCESS ? 0 : 1, MPI_BYTE, 0, call.tag, private_communicator()->alone(), &sent);
  if (sent != MPI_REQUEST_NULL) PMPI_Request_free(&sent);
#ifndef OPEN_MPI
  // MPICH 4 waits until something that it counts as progress happens, which a message to oneself is not.
  if (PMPI_Grequest_start(tell_nothing, let_go_of_nothing, cancel, nullptr, &sent) != MPI_SUCCESS) return;
  PMPI_Grequest_complete(sent);
  PMPI_Request_free(&sent);
#endif
}

/// Nothing of the program's is touched any more once it hears of it.
void CallsUnderWay::end(StartedCall& call, int code) {
  const ReadyCall& ready = *call.ready;
  call.traced->end(code != MPI_SUCCESS);
  if (code != MPI_SUCCESS) ready.prepared.number->fails();
  if (are_told()) tell(*ready.user, ready.shared, call.prepared, ready.form, PMPI_Wtime() - call.start_s);
  if (call.outcome == nullptr) return complete_again(call, code);
  call.outcome->code = code;
  PMPI_Grequest_complete(call.request);
}

/// Or another thread is going on with calls, and this one cannot tell.
bool CallsUnderWay::may_be(const auto& is_so) {
  const std::unique_lock lock(stepping_, std::try_to_lock);
  if (!lock) return true;
  adopt_those_started();
  return is_so();
}

bool CallsUnderWay::is_any_to_meet(const NumberInUse& number) const {
  return std::ranges::any_of(meetings_, [&](const auto& one) { return &one->number() == &number; });
}

bool CallsUnderWay::must_wait(const NumberInUse& number, const NumberInUse::Turn& turn) {
  return may_be([&] {
    // Memory takes calls in turn.
    const bool are_all_planned =
        std::ranges::none_of(calls_, [&](const auto& call) { return &call->number() == &number && !call->planned; });
    return is_any_to_meet(number) || !are_all_planned || (turn.meets && is_any_a_round_before(number, turn.turn));
  });
}

bool CallsUnderWay::may_any_meet(const NumberInUse& number) {
  return may_be([&] { return is_any_to_meet(number); });
}

bool CallsUnderWay::may_any_multicast(const NumberInUse& number) {
  return may_be([&] { return is_any_multicast_before(number, std::numeric_limits<std::uint64_t>::max()); });
}

bool CallsUnderWay::may_be_any_on(MPI_Comm communicator) {
  return may_be([&] {
    return std::ranges::any_of(calls_, [&](const auto& call) { return call->communicator() == communicator; });
  });
}

void CallsUnderWay::stop() {
  const std::scoped_lock lock(stepping_);
  adopt_those_started();
  for (auto& call : calls_) static_cast<void>(call.release());  // the library may still use its memory
  calls_.clear();
  for (auto& meeting : meetings_) static_cast<void>(meeting.release());
  meetings_.clear();
  const std::scoped_lock starting(starting_);
  count_ = 0;
  hook_or_not();
}

}  // namespace

bool may_start_calls() {
  return watching.load(std::memory_order_relaxed) && world() != nullptr && (world()->goes_on || are_told());
}

std::optional<int> start_call(std::unique_ptr<UserCall> user, MPI_Request* request) {
  if (request == nullptr) return {};
  const MPI_Comm communicator = user->arguments().communicator;
  Ready ready = make_ready(std::move(user), CallForm::started);
  if (ready.call == nullptr) return ready.code;
  const int code = under_way().start(std::move(ready.call), request, {});
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(communicator, code);
  return code;
}

int start_again(std::shared_ptr<const ReadyCall> call, MPI_Request* request, int tag) {
  return under_way().start(std::move(call), request, tag);
}

namespace {

/// Whether it need not wait any more; else the communicator has been revoked.
bool wait_while(MPI_Comm communicator, const auto& must_wait) {
  while (must_wait()) {
    if (is_revoked(communicator)) return false;
    if (!world()->has_hook) go_on_with_calls();
    private_communicator()->serve_the_program();
    yield_in_turn();
  }
  return true;
}

int wait_and_tell(MPI_Comm communicator, const NumberInUse* number, const auto& must_wait) {
  if (number == nullptr || !number->have_any_started() || wait_while(communicator, must_wait)) return MPI_SUCCESS;
  PMPI_Comm_call_errhandler(communicator, revoked_code);
  return revoked_code;
}

}  // namespace

int wait_for_turn(MPI_Comm communicator, const NumberInUse& number, const NumberInUse::Turn& turn) {
  return wait_and_tell(communicator, &number, [&] { return under_way().must_wait(number, turn); });
}

int wait_for_meetings(MPI_Comm communicator, const NumberInUse* number) {
  return wait_and_tell(communicator, number, [&] { return under_way().may_any_meet(*number); });
}

int wait_for_multicasts(MPI_Comm communicator, const NumberInUse* number) {
  return wait_and_tell(communicator, number, [&] { return under_way().may_any_multicast(*number); });
}

void wait_for_calls_on(MPI_Comm communicator) {
  if (!has_any_started.load(std::memory_order_relaxed)) return;
  static_cast<void>(wait_while(communicator, [&] { return under_way().may_be_any_on(communicator); }));
}

void begin_progress_thread() {
  try {
    with_reserve([] { under_way().begin_thread(); });
  } catch (const std::system_error& error) {
    end_job(std::string("TRUNKLINE_PROGRESS=thread: no thread can be made: ") + error.what());
  }
}

void end_progress_thread() {
  if (world() != nullptr && world()->has_progress_thread) under_way().end_thread();
}

bool are_calls_under_way() {
  return has_any_started.load(std::memory_order_relaxed) && world() != nullptr && under_way().has_any();
}

bool must_go_on_with_calls() { return are_calls_under_way() && !world()->has_hook; }

std::optional<MPI_Comm> communicator_of_started(MPI_Request request) {
  return are_calls_under_way() ? under_way().communicator_of(request) : std::nullopt;
}

void go_on_with_calls() { static_cast<void>(under_way().go_on(simulated)); }

void forget_communicator(MPI_Comm communicator) {
  if (has_any_started.load(std::memory_order_relaxed)) under_way().let_go_of(communicator);
}

void stop_calls_under_way() {
  end_progress_thread();
  if (has_any_started.load(std::memory_order_relaxed)) under_way().stop();
}

}  // namespace trunkline::runtime
