// SPDX-License-Identifier: Apache-2.0
// How a rank that waits shares its processor with those that it waits for, and with all others.
#pragma once

namespace trunkline::runtime {

/// Whether ranks of this host are in each other's way: it has more of them than processors.
enum class Processors : char { unknown, enough, shared };

/// Once, before any call. Until then it is unknown.
void share_processors(Processors how) noexcept;

/// Lets others run, where other ranks may need it. Ranks that wait yield too, each after some microseconds. A
/// program that never waits takes a whole slice of time instead, again and again, and meanwhile this rank serves none
/// of the messages that the application's own calls send it. So no rank yields where there are enough processors; and
/// where that is unknown, a thread whose yield took as long as a slice yields no more for a while. It then has the
/// share of its processor that it has in MPI libraries that poll.
void yield_in_turn() noexcept;

}  // namespace trunkline::runtime
