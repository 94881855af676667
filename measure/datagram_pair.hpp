// SPDX-License-Identifier: Apache-2.0
// What a multicast datagram costs the processor of the host that sends it, and of one that hears it.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

#include "model/measured/measurement.hpp"
#include "samples.hpp"

namespace trunkline::measure {

/// Why there is no figure.
enum class Unheard : int { no, no_network, no_socket, lost };

/// For people: "they share no network".
[[nodiscard]] const char* reason_of(Unheard why);

struct DatagramFigures {
  std::vector<DatagramPoint> points{};  ///< none where there is a reason
  Unheard why = Unheard::no;
};

/// Datagrams from the first of two ranks of MPI_COMM_WORLD on different hosts to the second one: sealed and sent in
/// batches, and received, checked and copied once a batch has come, by the transport's own sockets. Processor time of
/// one thread, so links may be slow and machines busy. All ranks call it, and get the same. `byte_s`: of the
/// slowest link between them. Sizes: some up to what a full frame holds.
[[nodiscard]] DatagramFigures measure_datagrams(std::pair<int, int> ranks, double byte_s, const Limits& limits);

}  // namespace trunkline::measure
