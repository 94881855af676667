// SPDX-License-Identifier: Apache-2.0
// Ranks at odds about a call: its length, its root, which collective it is.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

/// The last rank passes another size. It must hear of it, nobody may wait for ever, and other communicators go on.
void other_size(int usual, int last) {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int bytes = rank == ranks - 1 ? last : usual;
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes), 0);
  for (std::size_t i = 0; rank == 0 && i < data.size(); ++i) data[i] = content(i, 1);
  const int code = MPI_Bcast(data.data(), bytes, MPI_BYTE, 0, copy);
  const std::size_t usable = static_cast<std::size_t>(std::min(usual, last));
  bool same = true;
  for (std::size_t i = 0; i < usable; ++i) same = same && data[i] == content(i, 1);
  expect(code != MPI_SUCCESS || same, "success, and wrong bytes");
  if (rank == ranks - 1 && preloaded())
    expect(class_of(code) == MPI_ERR_TRUNCATE, "class " + std::to_string(class_of(code)));
  right(MPI_COMM_WORLD, 20000, 0, 2, "another communicator afterwards");
  right(MPI_COMM_WORLD, 3000, ranks - 1, 3, "another root afterwards");
}

void shorter() { other_size(50000, 100000); }
void longer() { other_size(50000, 10000); }
void little_shorter() { other_size(5000, 5001); }

void other_root() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<char> data(40000, 1);
  const int code = MPI_Bcast(data.data(), 40000, MPI_BYTE, rank == ranks - 1 ? 1 : 0, copy);
  if (preloaded() && rank == ranks - 1) expect(code != MPI_SUCCESS, "another root than the others is no error");
  right(MPI_COMM_WORLD, 20000, 0, 2, "another communicator afterwards");
}

/// A rank whose own call is wrong takes no part in it: messages for it stay behind, which are not for another
/// communicator. To be run over a tree in which the last rank has no children.
void error_elsewhere() {
  const MPI_Comm first = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right(MPI_COMM_WORLD, 4000, 0, 1, "the world");
  right(first, 4000, 0, 2, "before");
  std::vector<char> data(4000, 99);
  const int code = MPI_Bcast(data.data(), rank == ranks - 1 ? -1 : 4000, MPI_BYTE, 0, first);
  expect((code != MPI_SUCCESS) == (rank == ranks - 1), "class " + std::to_string(class_of(code)));
  const MPI_Comm second = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 5; ++turn) right(second, 4000, 0, 3 + turn, "another communicator");
  right(MPI_COMM_WORLD, 4000, 0, 9, "the world afterwards");
}

/// Rank 1 gives up, the last rank is late: what is on its way to it must not change when the root's call is over.
void late_beside_a_faulty_one() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right(copy, 4000, 0, 1, "before");
  constexpr std::size_t bytes = 512 << 10;
  std::vector<unsigned char> data(bytes, 0);
  for (std::size_t i = 0; rank == 0 && i < bytes; ++i) data[i] = content(i, 1);
  if (rank == ranks - 1) sleep(2);
  const int code = MPI_Bcast(data.data(), rank == 1 ? 4000 : static_cast<int>(bytes), MPI_BYTE, 0, copy);
  bool same = true;
  for (std::size_t i = 0; i < bytes; ++i) same = same && data[i] == content(i, 1);
  if (rank == 0) std::fill(data.begin(), data.end(), static_cast<unsigned char>(7));
  if (rank == ranks - 1) expect(code != MPI_SUCCESS || same, "success, and not what the root sent");
  if (rank == 1 && preloaded()) expect(class_of(code) == MPI_ERR_TRUNCATE, "class " + std::to_string(class_of(code)));
  right(MPI_COMM_WORLD, 20000, 0, 2, "another communicator afterwards");
}

/// As often as tags come round, and more.
void errors_again_and_again() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<char> data(9000, 1);
    MPI_Bcast(data.data(), rank == ranks - 1 ? 9000 : 5000, MPI_BYTE, 0, copy);
    for (int after = 0; after < 40; ++after) right(copy, 5000 + after, after % ranks, after, "after an error");
  }
}

/// The call that follows an erroneous one is like it in all but its data: what was on its way then, while the others
/// had not heard yet, is not for this one.
void the_same_again() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<char> data(400000, 1);
    MPI_Bcast(data.data(), rank == ranks - 1 ? 100000 : 400000, MPI_BYTE, 0, copy);
    right(copy, 400000, 0, turn, "after an error");
  }
}

/// The last rank's operand is of another length. Nobody may wait for ever, nobody may have a wrong result without an
/// error, and other communicators go on.
void other_operand(int usual, int last) {
  for (const bool to_all : {false, true}) {
    const std::string what = to_all ? "allreduce" : "reduce";
    const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    right_sums(copy, usual, "before");
    const Sums own(static_cast<std::size_t>(rank == ranks - 1 ? last : usual), 1);
    Sums all(own.size(), -1);
    const int code = add_up(to_all, own, all, copy);
    const bool has_result = to_all || rank == 0;
    expect(code != MPI_SUCCESS || !has_result, what + ": success, and not everybody's operand");
    if (code != MPI_SUCCESS) {
      expect(class_of(code) == MPI_ERR_TRUNCATE || class_of(code) == MPI_ERR_OTHER,
             what + ": class " + std::to_string(class_of(code)));
    }
    right_sums(MPI_COMM_WORLD, 2500, "another communicator afterwards");
    right(MPI_COMM_WORLD, 20000, ranks - 1, 2, "a broadcast afterwards");
  }
}

void shorter_operand() { other_operand(6000, 3000); }
void longer_operand() { other_operand(6000, 12000); }
void little_longer_operand() { other_operand(600, 601); }
/// Where ranks of a host combine as they come, these are combined in one way here and in another there.
void long_beside_short_operands() { other_operand(1500, 6000); }
void short_beside_long_operands() { other_operand(6000, 1500); }

/// Ranks take one call for a reduction, the last one for a broadcast.
void other_collective() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  right_sums(copy, 1000, "before");
  const Sums own(1000, 1);
  Sums all(own.size(), -1);
  const bool odd = rank == ranks - 1;
  const int code = odd ? MPI_Bcast(all.data(), 1000, MPI_LONG_LONG, 0, copy) : add_up(true, own, all, copy);
  expect(code != MPI_SUCCESS, "success of calls that do not belong together");
  right_sums(MPI_COMM_WORLD, 2500, "another communicator afterwards");
}

/// The last rank's share is shorter than the others expect, or it expects longer ones.
void other_shares() {
  const int expected = 1000;
  for (const bool reduces : {false, true}) {
    const std::string what = reduces ? "reduce-scatter" : "allgather";
    const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const bool odd = rank == ranks - 1;
    const std::vector<int> counts(static_cast<std::size_t>(ranks), odd ? 2 * expected : expected);
    Sums many(static_cast<std::size_t>(ranks) * 2 * expected, 1);
    Sums few(2 * expected, 1);
    const int code = reduces ? MPI_Reduce_scatter(many.data(), few.data(), counts.data(), MPI_LONG_LONG, MPI_SUM, copy)
                             : MPI_Allgather(few.data(), odd ? expected - 100 : expected, MPI_LONG_LONG, many.data(),
                                             expected, MPI_LONG_LONG, copy);
    expect(code != MPI_SUCCESS, what + ": success, and shares differ");
    right_sums(MPI_COMM_WORLD, 2500, "another communicator afterwards");
  }
}

/// Sizes on both sides of what is worth a plan: the root is in MPI's broadcast, the others wait in ours, for ever.
void on_both_sides_of_the_floor() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(copy, "uneven");
  right(copy, 5000, 0, 1, "before");
  std::vector<char> data(5000, 1);
  alarm(15);  // ends this process, and the job with it
  MPI_Bcast(data.data(), rank == 0 ? 100 : 5000, MPI_BYTE, 0, copy);
  if (rank == 0) sleep(30);
}

}  // namespace

Cases disagreement_cases() {
  return {
      {"shorter", shorter},
      {"longer", longer},
      {"little-shorter", little_shorter},
      {"other-root", other_root},
      {"error-elsewhere", error_elsewhere},
      {"late-beside-a-faulty-one", late_beside_a_faulty_one},
      {"errors-again-and-again", errors_again_and_again},
      {"the-same-again", the_same_again},
      {"shorter-operand", shorter_operand},
      {"long-beside-short-operands", long_beside_short_operands},
      {"short-beside-long-operands", short_beside_long_operands},
      {"longer-operand", longer_operand},
      {"little-longer-operand", little_longer_operand},
      {"other-collective", other_collective},
      {"other-shares", other_shares},
      {"on-both-sides-of-the-floor", on_both_sides_of_the_floor},
  };
}

}  // namespace faults
