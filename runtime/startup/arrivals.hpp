// SPDX-License-Identifier: Apache-2.0
// Whether anything has arrived at a socket of this process, ours or another library's: MPI libraries do not hand out
// what they wait for.
#pragma once

#include <chrono>

namespace trunkline::runtime {

class Arrivals {
 public:
  Arrivals() noexcept;
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// To sockets that have been opened since, too. Looks for them at most a hundredth of the time.
  void listen() noexcept;

  /// Until something has arrived since it was last waited for, or a socket that was full has room again; at most so
  /// long. Whether it has. What has arrived stays where it is.
  bool wait(std::chrono::nanoseconds longest) noexcept;

 private:
  int set_;  ///< of epoll; below 0: none, and each wait is the longest
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace trunkline::runtime
