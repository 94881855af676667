// SPDX-License-Identifier: Apache-2.0
// runtime-collected CALLS SEED: so many allgathers by turns, and reductions whose results are multicast, on 2 to 13
// ranks, in one thread and a time of its own: datagrams get lost, come twice, late and in another order; ranks are
// late, deaf or mute, or give up; shares, packets, bursts, orders and trees are random. Every byte must be right, no
// call may be stuck, nothing may be left behind, and what is kept for repairs stays bounded. Prints what went wrong;
// exit status 0 or 1.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "execute/local_part.hpp"
#include "execute/multicast/pace.hpp"
#include "kinds/multicast/multicast.hpp"
#include "plan/checker.hpp"
#include "rehearsal.hpp"
#include "scripted.hpp"

namespace trunkline::testing {
namespace {

using runtime::Message;
using runtime::MpiError;
using runtime::Operands;

constexpr std::byte untouched{0x55};
/// Of what a rank keeps for those that ask: pieces of 8 packets.
constexpr std::size_t most_kept = 4 * 8;

struct Call {
  Collective collective = Collective::allgather;
  Multicast plan{};
  Weather weather{};
  std::vector<double> enters_at{};
  std::vector<MPI_Count> shares{};  ///< of an allgather, bytes; of a reduction the first is its elements
  bool has_gaps = false;
  bool in_place = false;
  std::uint32_t payload_bytes = 0;
  std::uint32_t burst = 0;
  std::uint32_t eager_packets = 0;
  std::uint64_t segment_bytes = 0;
  int gives_up = -1;  ///< rank; -1: nobody
  double gives_up_at = 0.0;
  unsigned seed = 0;

  [[nodiscard]] std::size_t ranks() const { return plan.ranks(); }
  /// Whether nothing gets lost but for a deaf rank, so that it is known who hears the others.
  [[nodiscard]] bool is_fine() const {
    return weather.lost == 0.0 && gives_up < 0 && std::ranges::none_of(weather.mute, std::identity{});
  }

  [[nodiscard]] std::string text() const {
    std::string all = std::string(facts_of(collective).name) + ", " + std::to_string(ranks()) + " ranks, at once " +
                      std::to_string(plan.at_once) + ", packets of " + std::to_string(payload_bytes) + ", burst " +
                      std::to_string(burst) + ", eager " + std::to_string(eager_packets) + ", lost " +
                      std::to_string(weather.lost) + ", seed " + std::to_string(seed) + ", shares";
    for (const MPI_Count share : shares) all += " " + std::to_string(share);
    for (const MulticastGroup& group : plan.groups) {
      all += ", group";
      for (const Rank one : group.ranks) all += " " + std::to_string(one);
    }
    if (gives_up >= 0) all += ", gives up: " + std::to_string(gives_up);
    return all;
  }
};

std::vector<MPI_Count> random_shares(Rank ranks, std::uint32_t payload_bytes, std::mt19937& random) {
  const std::uint32_t packets = chance(0.5, random) ? 1 : chance(0.8, random) ? 12 : 100;
  const auto any = [&] { return static_cast<MPI_Count>(1 + any_below(payload_bytes * packets, random)); };
  std::vector<MPI_Count> all(ranks, any());
  if (chance(0.5, random)) return all;
  for (MPI_Count& share : all) share = chance(0.2, random) ? 0 : any();
  return all;
}

/// The root, perhaps, and one that sends in another group.
void may_exchange(Multicast& plan, std::mt19937& random) {
  Tree& confirm = plan.confirm;
  std::vector<Rank> others;
  for (const MulticastGroup& group : plan.groups) {
    if (confirm.parent[group.ranks.front()] == confirm.root) others.push_back(group.ranks.front());
  }
  if (!others.empty() && chance(0.6, random)) {
    confirm.exchange = others[any_below(static_cast<std::uint32_t>(others.size()), random)];
  }
}

Call random_call(std::mt19937& random) {
  Call call;
  const Rank ranks = 2 + any_below(12, random);
  call.payload_bytes = 16 + any_below(48, random);
  call.burst = 1 + any_below(60, random);
  call.eager_packets = chance(0.8, random) ? 6 + any_below(3, random) : any_below(4, random);
  call.plan.byte_s = chance(0.5, random) ? part(1e-5, random) : 0.0;
  if (chance(0.6, random)) {
    if (chance(0.5, random)) {
      call.plan = random_groups_by_turns(ranks, random);
    } else {
      call.plan.order = random_order(ranks, random);
      call.plan.at_once = 1 + any_below(ranks, random);
    }
    call.shares = random_shares(ranks, call.payload_bytes, random);
    call.has_gaps = chance(0.3, random);
  } else {
    call.collective = Collective::allreduce;
    if (chance(0.5, random)) {
      call.plan = random_groups(ranks, random);
      may_exchange(call.plan, random);
    } else {
      call.plan.confirm = random_tree(ranks, random);
      for (std::uint32_t trees = any_below(3, random); trees > 0; --trees) {
        Tree tree = random_tree(ranks, random);
        while (tree.root != call.plan.confirm.root) tree = random_tree(ranks, random);
        call.plan.reduce.push_back(std::move(tree));
      }
    }
    const std::uint32_t packets = chance(0.8, random) ? 6 : 40;
    call.shares = {static_cast<MPI_Count>(1 + any_below(call.payload_bytes * packets / sizeof(long), random))};
    call.segment_bytes = sizeof(long) * (1 + any_below(12, random));
  }
  call.in_place = chance(0.4, random);
  call.weather = random_weather(ranks, call.burst, random);
  if (call.plan.has_groups()) call.weather.group = heard_groups(call.plan, random);
  call.enters_at = random_entries(ranks, random);
  if (chance(call.plan.has_groups() ? 0.3 : 0.1, random)) {
    call.gives_up = static_cast<int>(who_gives_up(call.plan, random));
    call.gives_up_at = part(chance(0.5, random) ? 0.002 : 0.5, random);
  }
  call.seed = static_cast<unsigned>(random());
  return call;
}

class Rehearsal {
 public:
  explicit Rehearsal(const Call& call)
      : call_(call),
        network_(static_cast<int>(call.ranks())),
        air_(call.weather, call.payload_bytes, call.burst, call.eager_packets, call.seed),
        members_(call.ranks()),
        starts_{0} {
    std::iota(members_.begin(), members_.end(), 0);
    for (const MPI_Count share : call.shares) starts_.push_back(starts_.back() + share);
    const Plan plan = plan_of(call.plan);
    check_plan(plan, call.collective);
    if (call.has_gaps) {
      MPI_Type_create_resized(MPI_BYTE, 0, 2, &type_);
      MPI_Type_commit(&type_);
    }
    for (Rank rank = 0; rank < call.ranks(); ++rank) actors_.push_back(std::make_unique<Actor>(*this, plan, rank));
  }
  ~Rehearsal() {
    actors_.clear();
    if (call_.has_gaps) MPI_Type_free(&type_);
  }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Empty: all is right.
  std::string fault() {
    std::size_t over = 0;
    while (over < call_.ranks()) {
      if (air_.now > longest_call_s) return "it is stuck";
      over = 0;
      for (const auto& actor : actors_) {
        actor->act();
        if (actor->is_over) ++over;
      }
      air_.now += step_s;
    }
    for (const auto& actor : actors_) {
      const std::string wrong = actor->fault();
      if (!wrong.empty()) return wrong;
    }
    if (call_.gives_up < 0 && network_.left_over() > 0) return "messages are left behind";
    if (air_.most_kept() > most_kept) return std::to_string(air_.most_kept()) + " packets are kept";
    return "";
  }

  /// After fault(): whether a rank would have said that it waits for others.
  [[nodiscard]] bool has_waited_long() const {
    return std::ranges::any_of(actors_, [](const auto& actor) { return actor->transport.has_waited_long(); });
  }

 private:
  struct Actor {
    Actor(Rehearsal& on, const Plan& plan, Rank number)
        : all(on),
          rank(number),
          transport(on.network_, on.air_, static_cast<int>(number)),
          local(runtime::local_part(plan, number, on.members_)) {
      const Call& call = on.call_;
      if (call.collective == Collective::allgather) {
        result.assign(static_cast<std::size_t>(on.starts_.back()) * on.stride(), untouched);
        for (MPI_Count i = 0; i < call.shares[rank]; ++i) {
          own.push_back(on.wanted(on.starts_[rank] + i));
          if (call.in_place) result[static_cast<std::size_t>(on.starts_[rank] + i) * on.stride()] = own.back();
        }
        return;
      }
      numbers.assign(static_cast<std::size_t>(call.shares[0]), -1);
      for (std::size_t i = 0; i < numbers.size(); ++i) operand.push_back(on.operand(rank, i));
      if (call.in_place) numbers = operand;
    }

    void start() {
      const Call& call = all.call_;
      if (call.collective == Collective::allgather) {
        gathered = {.buffer = result.data(), .type = all.type_, .communicator = MPI_COMM_SELF, .shares = {}};
        for (std::size_t i = 0; i < call.ranks(); ++i) gathered.shares.push_back({call.shares[i], all.starts_[i]});
        if (!call.in_place && !own.empty()) {
          message = std::make_unique<Message>(own.data(), static_cast<MPI_Count>(own.size()), MPI_BYTE, MPI_COMM_SELF);
        }
        running = local->gather(transport, gathered, message.get(), call.in_place, {.segment_bytes = 64});
        return;
      }
      operands = std::make_unique<Operands>(runtime::Reduced{.own = call.in_place ? numbers.data() : operand.data(),
                                                             .result = numbers.data(),
                                                             .has_result = true,
                                                             .in_place = call.in_place,
                                                             .count = static_cast<MPI_Count>(numbers.size()),
                                                             .type = MPI_LONG,
                                                             .operation = MPI_SUM,
                                                             .communicator = MPI_COMM_SELF});
      running = local->reduce(transport, *operands, {.segment_bytes = call.segment_bytes}, true, OperandOrder::any);
    }

    void act() {
      if (is_over || all.air_.now < all.call_.enters_at[rank]) return;
      try {
        if (!running) start();
        if (static_cast<int>(rank) == all.call_.gives_up && all.air_.now >= all.call_.gives_up_at) {
          throw MpiError{MPI_ERR_OTHER};
        }
        is_over = running->step();
        ended_well = is_over && running->code() == MPI_SUCCESS;
      } catch (const MpiError& error) {
        transport.give_up(error.code);
        is_over = true;
      } catch (const runtime::GivenUp&) {
        is_over = true;
      }
      if (is_over) running.reset();
    }

    [[nodiscard]] std::string fault() const {
      const std::string who = "rank " + std::to_string(rank);
      if (!ended_well) return all.call_.gives_up >= 0 ? "" : who + " gave up";
      if (all.call_.collective == Collective::allgather && all.call_.is_fine() && all.call_.weather.deaf[rank] &&
          transport.has_sent_to_all() && transport.are_heard()) {
        return who + " hears no other host, and does not know it";
      }
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        long sum = 0;
        for (Rank one = 0; one < all.call_.ranks(); ++one) sum += all.operand(one, i);
        if (numbers[i] != sum) return who + " has a wrong sum at " + std::to_string(i);
      }
      for (std::size_t i = 0; i < result.size(); ++i) {
        const bool is_gap = i % all.stride() != 0;
        if (result[i] == (is_gap ? untouched : all.wanted(static_cast<MPI_Count>(i / all.stride())))) continue;
        return is_gap ? "a gap was written to" : who + " has a wrong byte at " + std::to_string(i / all.stride());
      }
      return "";
    }

    Rehearsal& all;
    Rank rank;
    std::vector<std::byte> own{};
    std::vector<std::byte> result{};
    std::vector<long> operand{};
    std::vector<long> numbers{};
    AirTransport transport;
    runtime::Gathered gathered{};
    std::unique_ptr<Message> message{};
    std::unique_ptr<Operands> operands{};
    std::unique_ptr<const runtime::LocalPart> local;
    runtime::Running running{};
    bool is_over = false;
    bool ended_well = false;
  };

  [[nodiscard]] std::size_t stride() const { return call_.has_gaps ? 2 : 1; }
  [[nodiscard]] std::byte wanted(MPI_Count i) const {
    return static_cast<std::byte>((i * 31 + i / 256 + call_.seed) & 0xFFU);
  }
  [[nodiscard]] long operand(Rank rank, std::size_t i) const {
    return static_cast<long>(i) * 7 + static_cast<long>(rank) * 1000003 + static_cast<long>(call_.seed);
  }

  const Call& call_;
  runtime::ThreadsNetwork network_;
  Air air_;
  std::vector<int> members_;
  std::vector<MPI_Count> starts_;
  MPI_Datatype type_ = MPI_BYTE;
  std::vector<std::unique_ptr<Actor>> actors_;
};

/// Shares that take half a minute by turns, over a slow link: no rank waits for long, unless one is late.
int wrong_long_waits() {
  int wrong = 0;
  for (const double late_s : {0.0, 15.0}) {
    Call call{.shares = std::vector<MPI_Count>(4, 32 * 500), .payload_bytes = 32, .burst = 60, .eager_packets = 8};
    call.plan.order = {0, 1, 2, 3};
    call.plan.at_once = 1;
    call.plan.byte_s = 30.0 / 2000 / runtime::on_wire_bytes(call.payload_bytes);
    call.weather.room = 1000;
    call.weather.deaf = call.weather.mute = std::vector<bool>(4, false);
    call.weather.host = {0, 1, 2, 3};
    call.enters_at = {0.0, 0.0, late_s, 0.0};
    Rehearsal rehearsal(call);
    const std::string fault = rehearsal.fault();
    if (!fault.empty()) std::fprintf(stderr, "slow shares: %s\n", fault.c_str());
    const bool is_right = rehearsal.has_waited_long() == (late_s > 0.0);
    if (!is_right) std::fprintf(stderr, "slow shares, a rank %g s late: what ranks say of it is wrong\n", late_s);
    if (!fault.empty() || !is_right) ++wrong;
  }
  return wrong;
}

}  // namespace
}  // namespace trunkline::testing

int main(int count, char** words) {
  using namespace trunkline::testing;
  MPI_Init(&count, &words);
  const int calls = count > 1 ? std::atoi(words[1]) : 1000;
  std::mt19937 random(count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : 1U);
  int wrong = wrong_compositions() + wrong_long_waits();
  for (int i = 0; i < calls; ++i) {
    const Call call = random_call(random);
    const std::string fault = Rehearsal(call).fault();
    if (fault.empty()) continue;
    std::fprintf(stderr, "call %d: %s: %s\n", i, fault.c_str(), call.text().c_str());
    if (++wrong > 5) break;
  }
  std::printf("%d calls, %d wrong\n", calls, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
