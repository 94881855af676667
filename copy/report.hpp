// SPDX-License-Identifier: Apache-2.0
// What people and programs are told, on rank 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "hosts.hpp"
#include "options.hpp"
#include "transfer.hpp"

namespace trunkline::copy {

/// Says on standard error how far a file or a folder is: each second in place on a terminal, else a line every ten
/// seconds.
class Progress {
 public:
  Progress(std::string file, std::uint64_t bytes, bool in_place, bool speaks);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// So many more bytes have been sent.
  void add(std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;
  std::string file_;
  std::uint64_t bytes_;
  bool in_place_;
  bool speaks_;
  bool has_line_ = false;
  std::uint64_t sent_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point said_ = start_;
};

/// "12.3 MB"
[[nodiscard]] std::string amount(double bytes);
/// A line for each file, and one for each host without it.
void tell(const Result& result, const Writers& writers);
[[nodiscard]] std::string as_json(std::span<const Result> results, const Writers& writers, const Options& options);

}  // namespace trunkline::copy
