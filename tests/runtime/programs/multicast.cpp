// SPDX-License-Identifier: Apache-2.0
// runtime-multicast CALLS SEED: so many broadcasts by multicast on 2 to 13 ranks, in one thread and a time of its own:
// datagrams get lost, come twice, late and in another order; ranks are late, deaf or mute, or give up; messages,
// packets, bursts, confirm trees and groups are random. Every byte must be right, no call may be stuck, nothing may be
// left behind. Prints what went wrong; exit status 0 or 1.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "execute/local_part.hpp"
#include "execute/multicast/codes.hpp"
#include "execute/multicast/pace.hpp"
#include "execute/multicast/report.hpp"
#include "kinds/multicast/multicast.hpp"
#include "plan/checker.hpp"
#include "rehearsal.hpp"

namespace trunkline::testing {
namespace {

using runtime::Message;
using runtime::MpiError;

struct Call {
  Multicast plan{};
  Weather weather{};
  std::vector<double> enters_at{};
  std::uint64_t bytes = 0;
  bool has_gaps = false;
  std::uint32_t payload_bytes = 0;
  std::uint32_t burst = 0;
  std::uint32_t eager_packets = 0;
  std::uint64_t segment_bytes = 0;  ///< of messages from group to group
  int gives_up = -1;                ///< rank; -1: nobody
  double gives_up_at = 0.0;
  unsigned seed = 0;

  [[nodiscard]] std::string text() const {
    std::string all = std::to_string(plan.confirm.size()) + " ranks, root " + std::to_string(plan.confirm.root) + ", " +
                      std::to_string(bytes) + " bytes in packets of " + std::to_string(payload_bytes) + ", burst " +
                      std::to_string(burst) + ", eager " + std::to_string(eager_packets) + ", lost " +
                      std::to_string(weather.lost) + ", seed " + std::to_string(seed) + ", parents";
    for (const Rank parent : plan.confirm.parent) all += parent == no_rank ? " -" : " " + std::to_string(parent);
    for (const MulticastGroup& group : plan.groups) {
      all += ", group";
      for (const Rank rank : group.ranks) all += " " + std::to_string(rank);
    }
    if (gives_up >= 0) all += ", gives up: " + std::to_string(gives_up);
    return all;
  }
};

Call random_call(std::mt19937& random) {
  Call call;
  const Rank ranks = 2 + any_below(12, random);
  const bool has_groups = chance(0.4, random);
  if (has_groups) {
    call.plan = random_groups(ranks, random);
  } else {
    call.plan = {.confirm = random_tree(ranks, random), .byte_s = chance(0.5, random) ? part(1e-5, random) : 0.0};
  }
  call.payload_bytes = 16 + any_below(48, random);
  call.burst = 1 + any_below(chance(0.5, random) ? 12 : 100, random);
  const std::uint64_t most = chance(0.2, random) ? 2000 : chance(0.5, random) ? 60 : 4;
  call.bytes = 1 + random() % (call.payload_bytes * most);
  call.eager_packets = chance(0.5, random) ? 8 : 0;
  call.has_gaps = chance(0.3, random);
  call.segment_bytes = 1 + random() % (4 * call.payload_bytes);
  call.weather = random_weather(ranks, call.burst, random);
  if (has_groups) call.weather.group = heard_groups(call.plan, random);
  call.weather.agreed_lost = chance(0.5, random) ? 0.0 : chance(0.7, random) ? call.weather.lost : part(0.7, random);
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
        network_(static_cast<int>(ranks())),
        air_(call.weather, call.payload_bytes, call.burst, call.eager_packets, call.seed),
        members_(ranks()) {
    std::iota(members_.begin(), members_.end(), 0);
    const Plan plan = plan_of(call.plan);
    check_plan(plan, Collective::bcast);
    if (call.has_gaps) {
      MPI_Type_create_resized(MPI_BYTE, 0, 2, &type_);
      MPI_Type_commit(&type_);
    }
    for (Rank rank = 0; rank < ranks(); ++rank) actors_.push_back(std::make_unique<Actor>(*this, plan, rank));
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
    while (over < ranks()) {
      if (air_.now > longest_call_s) return "these ranks are stuck:" + not_over();
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
    const bool all_ended_well = call_.gives_up < 0;
    if (all_ended_well && network_.left_over() > 0) return "messages are left behind";
    return "";
  }

  /// After fault(): when the last rank had all.
  [[nodiscard]] double seconds() const { return air_.now; }

  /// After fault(): ranks that would have said that they wait for others.
  [[nodiscard]] std::vector<Rank> who_waited_long() const {
    std::vector<Rank> all;
    for (const auto& actor : actors_) {
      if (actor->transport.has_waited_long()) all.push_back(actor->rank);
    }
    return all;
  }

  /// After fault(): ranks that have looked at messages in more than a quarter of their turns.
  [[nodiscard]] std::vector<Rank> who_looks_often() const {
    std::vector<Rank> all;
    for (const auto& actor : actors_) {
      if (4 * actor->transport.looks() > actor->turns) all.push_back(actor->rank);
    }
    return all;
  }

 private:
  [[nodiscard]] std::string not_over() const {
    std::string ranks;
    for (const auto& actor : actors_) {
      if (!actor->is_over) ranks += " " + std::to_string(actor->rank);
    }
    return ranks;
  }

  struct Actor {
    Actor(Rehearsal& on, const Plan& plan, Rank number)
        : all(on),
          rank(number),
          data(on.call_.bytes * on.stride(), std::byte{0x55}),
          transport(on.network_, on.air_, static_cast<int>(number)),
          message(data.data(), static_cast<MPI_Count>(on.call_.bytes), on.type_, MPI_COMM_SELF),
          local(runtime::local_part(plan, number, on.members_)) {
      if (rank != plan.root()) return;
      for (std::uint64_t i = 0; i < on.call_.bytes; ++i) data[i * on.stride()] = wanted(i);
    }

    void act() {
      if (is_over || all.air_.now < all.call_.enters_at[rank]) return;
      try {
        if (!running) running = local->broadcast(transport, message, {.segment_bytes = all.call_.segment_bytes});
        if (static_cast<int>(rank) == all.call_.gives_up && all.air_.now >= all.call_.gives_up_at) {
          throw MpiError{MPI_ERR_OTHER};
        }
        ++turns;
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
      if (!ended_well) {
        return all.call_.gives_up >= 0 ? "" : "rank " + std::to_string(rank) + " gave up";
      }
      for (std::uint64_t i = 0; i < all.call_.bytes; ++i) {
        if (data[i * all.stride()] != wanted(i)) {
          return "rank " + std::to_string(rank) + " has a wrong byte at " + std::to_string(i);
        }
        if (all.call_.has_gaps && data[2 * i + 1] != std::byte{0x55}) return "a gap was written to";
      }
      return "";
    }

    [[nodiscard]] std::byte wanted(std::uint64_t i) const {
      return static_cast<std::byte>((i * 31 + i / 256 + all.call_.seed) & 0xFFU);
    }

    Rehearsal& all;
    Rank rank;
    std::vector<std::byte> data;
    AirTransport transport;
    Message message;
    std::unique_ptr<const runtime::LocalPart> local;
    runtime::Running running{};
    unsigned turns = 0;
    bool is_over = false;
    bool ended_well = false;
  };

  [[nodiscard]] std::size_t ranks() const { return call_.plan.confirm.size(); }
  [[nodiscard]] std::uint64_t stride() const { return call_.has_gaps ? 2 : 1; }

  const Call& call_;
  runtime::ThreadsNetwork network_;
  Air air_;
  std::vector<int> members_;
  MPI_Datatype type_ = MPI_BYTE;
  std::vector<std::unique_ptr<Actor>> actors_;
};

/// A message to 3 ranks in fine weather.
Call fine_call(std::uint64_t packets) {
  Call call{.plan = {.confirm = root_alone(4, 0)}, .bytes = 32 * packets, .payload_bytes = 32, .burst = 90};
  for (const Rank rank : {Rank{1}, Rank{2}, Rank{3}}) add_child(call.plan.confirm, 0, rank);
  call.weather.room = 1000;
  call.weather.deaf = call.weather.mute = std::vector<bool>(4, false);
  call.weather.host = {0, 1, 2, 3};
  call.enters_at = std::vector<double>(4, 0.0);
  call.segment_bytes = 1;
  return call;
}

/// A link so slow that the message takes half a minute: no rank waits for long but where another one is late. Then the
/// root does; the others fetch from it meanwhile.
int wrong_long_waits() {
  int wrong = 0;
  for (const double late_s : {0.0, 15.0}) {
    Call call = fine_call(2000);
    call.plan.byte_s = 30.0 / 2000 / runtime::on_wire_bytes(call.payload_bytes);
    call.enters_at[2] = late_s;
    Rehearsal rehearsal(call);
    const std::string fault = rehearsal.fault();
    if (!fault.empty()) std::fprintf(stderr, "a slow message: %s\n", fault.c_str());
    const std::vector<Rank> waited = rehearsal.who_waited_long();
    const std::vector<Rank> expected = late_s > 0.0 ? std::vector<Rank>{0} : std::vector<Rank>{};
    if (fault.empty() && waited == expected) continue;
    std::fprintf(stderr, "a rank comes %g s late: these say that they wait:", late_s);
    for (const Rank rank : waited) std::fprintf(stderr, " %u", rank);
    std::fprintf(stderr, "\n");
    ++wrong;
  }
  return wrong;
}

/// A long message in fine weather: ranks get on in nearly every turn, and look at messages now and then alone.
int frequent_looks() {
  const Call call = fine_call(20000);
  Rehearsal rehearsal(call);
  const std::string fault = rehearsal.fault();
  if (!fault.empty()) std::fprintf(stderr, "a long message: %s\n", fault.c_str());
  const std::vector<Rank> often = rehearsal.who_looks_often();
  for (const Rank rank : often) std::fprintf(stderr, "rank %u looks at messages in too many turns\n", rank);
  return static_cast<int>(often.size()) + (fault.empty() ? 0 : 1);
}

/// A rank that lacks a packet now and then gets it with the next ones: losses take no longer than what is sent again.
int late_repairs() {
  const auto took = [](double lost) {
    Call call = fine_call(2000);
    call.weather.lost = lost;
    Rehearsal rehearsal(call);
    const std::string fault = rehearsal.fault();
    if (!fault.empty()) std::fprintf(stderr, "a message of which %g gets lost: %s\n", lost, fault.c_str());
    return fault.empty() ? rehearsal.seconds() : 1e9;
  };
  const double all_s = took(0.0);
  const double lossy_s = took(0.002);
  if (lossy_s < 3.0 * all_s) return 0;
  std::fprintf(stderr, "a message takes %g s, %g s where a packet in 500 gets lost\n", all_s, lossy_s);
  return 1;
}

/// Joins of random reports beside what each block of them lacks.
int wrong_reports(int turns, std::mt19937& random) {
  using runtime::Report;
  int wrong = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const std::uint32_t packets = 1 + any_below(3000, random);
    const std::uint32_t block_packets = 1 + any_below(runtime::most_in_block, random);
    const auto made = [&] {
      Report report{
          .poll = any_below(9, random), .block_packets = block_packets, .lost = any_below(100, random) / 99.0};
      report.base = any_below(packets + 1, random);
      const std::uint32_t most = std::min(packets, Report::most_end(report.base, block_packets));
      report.end = report.base + any_below(most - report.base + 1, random);
      for (std::uint32_t block = report.first_block(); block * block_packets < report.end; ++block) {
        if (random() % 3 == 0) report.set_lacks(block, any_below(block_packets + 1, random));
      }
      return report;
    };
    const Report one = made();
    const Report other = made();
    const Report both = joined(one, other);
    const auto again = runtime::read_report(written(both), both.end, both.poll, packets, block_packets);
    bool is_right = both.poll == std::min(one.poll, other.poll) && again.has_value() && again->base == both.base &&
                    both.base == std::min(one.base, other.base) && both.end <= std::min(one.end, other.end);
    is_right = is_right && std::abs(again->lost - std::max(one.lost, other.lost)) < 1e-4;
    for (std::uint32_t block = 0; block * block_packets < packets; ++block) {
      const bool is_in = block * block_packets < both.end;
      const std::uint32_t lacks = is_in ? std::max(one.lacks_of(block), other.lacks_of(block)) : 0;
      is_right = is_right && both.lacks_of(block) == lacks && again->lacks_of(block) == lacks;
    }
    if (!is_right) {
      std::fprintf(stderr, "reports joined wrongly: bases %u and %u, ends %u and %u\n", one.base, other.base, one.end,
                   other.end);
      ++wrong;
    }
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
  int wrong = wrong_reports(calls, random) + frequent_looks() + wrong_long_waits() + late_repairs();
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
