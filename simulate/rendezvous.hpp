// SPDX-License-Identifier: Apache-2.0
// What simulated ranks tell each other besides their messages: in no simulated time, over no simulated link. Defined
// once, in the program that loads the ranks.
#pragma once

/// Waits for all `ranks`; they go on at one simulated instant.
extern "C" void trunkline_simulate_meet(unsigned ranks);

/// Waits for all ranks, and returns the largest of their values on each.
extern "C" double trunkline_simulate_largest(unsigned ranks, double mine);

/// Ends the simulation with {"gave_up": true} on standard output so many simulated seconds from now, unless it is
/// called again before; 0: does not.
extern "C" void trunkline_simulate_give_up_after(double seconds);

/// The rank's processor adds so many bytes up from now on, after what it sends: what it sends later leaves after that.
extern "C" void trunkline_simulate_combine(double bytes);

/// Copies so many bytes out of memory that the ranks of a host share, or into it, and comes back when that is done.
extern "C" void trunkline_simulate_copy(double bytes, bool out);

/// Simulated seconds until the rank's processor has done all that was begun; it is forgotten.
extern "C" double trunkline_simulate_rest();

/// Whether messages that are handed over from now on cost their hosts nothing, whatever they cost else.
extern "C" void trunkline_simulate_free_hosts(bool free);
