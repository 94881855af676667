// SPDX-License-Identifier: Apache-2.0
// Threads of our own in a program that has handlers for its signals.
#pragma once

#include <csignal>

namespace trunkline::runtime {

/// While it lives, threads that this one makes take no signals but those of their own faults: the program's handlers
/// run in the program's threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace trunkline::runtime
