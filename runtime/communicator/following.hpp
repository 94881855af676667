// SPDX-License-Identifier: Apache-2.0
// What a communicator keeps in a job that follows its cluster file and its plan file.
//
// Its ranks meet before calls whose numbers all of them know alike (meetings.hpp). At each meeting rank 0 looks at the
// files and begins to send a word to all; the ranks have it by the next meeting, and do there what it says. So a
// meeting waits for nothing that was not sent half a second before, and long links delay no rank. Nothing of ours is
// under way on the communicator when a call begins: plans change between calls, on all ranks between the same two.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "communicator/meetings.hpp"
#include "mpi_api.hpp"
#include "startup/changed_cluster.hpp"

namespace trunkline::runtime {

struct Following {
  /// Sent as bytes.
  struct Word {
    std::uint64_t fingerprint = 0;    ///< of the world as the files say it
    std::uint64_t cluster_bytes = 0;  ///< of the texts, which follow where it is another one
    std::uint64_t plan_bytes = 0;
    MeetingInterval interval{};  ///< that begins where this is heard
  };

  explicit Following(std::uint64_t fingerprint_now) : fingerprint(fingerprint_now) {}

  std::uint64_t fingerprint;  ///< of the world that plans are for
  std::uint64_t calls = 0;    ///< that have begun
  MeetingCount count{};
  MeetingInterval interval{};
  std::unique_ptr<Word> word{};            ///< sent since the last meeting; null before the first one
  MPI_Request request = MPI_REQUEST_NULL;  ///< of it, until it is here

  // Of rank 0:
  std::shared_ptr<const WorldVersion> told{};          ///< what the word is about
  MeetingClock::time_point met = MeetingClock::now();  ///< the last meeting
  double sending_s = 0.0;                              ///< what it took to begin to send the last word
};

}  // namespace trunkline::runtime
