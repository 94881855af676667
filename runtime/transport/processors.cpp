// SPDX-License-Identifier: Apache-2.0
#include "transport/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>

namespace trunkline::runtime {
namespace {

std::uint64_t online() { return static_cast<std::uint64_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)); }

/// FNV-1a.
class Digest {
 public:
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211U; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

std::uint64_t boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  Digest digest;
  for (const char one : text) digest.add(static_cast<unsigned char>(one));
  return digest.value();
}

/// What a control group lets its processes have, as containers see theirs ("max 100000", "150000 100000"); else all.
std::uint64_t quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double most = 0.0;
  double period = 0.0;
  if (!(file >> most >> period) || most <= 0.0 || period <= 0.0) return online();
  return static_cast<std::uint64_t>(std::max(std::ceil(most / period), 1.0));
}

}  // namespace

OnMachine own_machine() {
  OnMachine own{.machine = boot_id(), .processors = std::min(online(), quota())};
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return own;  // more than a set holds
  Digest digest;
  for (std::size_t one = 0; one < CPU_SETSIZE; ++one) digest.add(CPU_ISSET(one, &allowed) ? 1 : 0);
  own.allowed = digest.value();
  own.processors = std::min(own.processors, static_cast<std::uint64_t>(CPU_COUNT(&allowed)));
  return own;
}

Machine machine_of(std::span<const OnMachine> all, const OnMachine& own) {
  struct Set {
    std::uint64_t ranks = 0;
    std::uint64_t processors = 0;
  };
  std::map<std::uint64_t, Set> sets;
  for (const OnMachine& one : all) {
    if (one.machine != own.machine) continue;
    Set& set = sets[one.allowed];
    ++set.ranks;
    set.processors = std::max(set.processors, one.processors);
  }
  Machine machine{.ranks = 0, .processors = 0};
  for (const auto& [allowed, set] : sets) {
    machine.ranks += set.ranks;
    machine.processors += set.processors;
    machine.is_crowded = machine.is_crowded || set.ranks > set.processors;
  }
  machine.processors = std::clamp(machine.processors, std::uint64_t{1}, online());
  machine.is_crowded = machine.is_crowded || machine.ranks > machine.processors;
  return machine;
}

}  // namespace trunkline::runtime
