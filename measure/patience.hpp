// SPDX-License-Identifier: Apache-2.0
// Ends a job whose hosts do not reach each other: MPI would wait for ever.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace trunkline::measure {

/// Waits beside what is measured, for as long as it lives. MPI knows nothing of its thread: the process ends, and the
/// launcher ends the others.
class Patience {
 public:
  /// `pair` is what is measured, for the message.
  Patience(double seconds, std::string pair)
      : thread_([this, seconds, pair = std::move(pair)] {
          std::unique_lock lock(mutex_);
          if (over_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) return;
          std::fprintf(stderr,
                       "trunkline: %s: not measured within %g s; do they reach each other? (--patience waits longer)\n",
                       pair.c_str(), seconds);
          std::fflush(stderr);
          std::_Exit(1);
        }) {}
  ~Patience() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace trunkline::measure
