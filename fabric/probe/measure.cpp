// SPDX-License-Identifier: Apache-2.0
#include "probe/measure.hpp"

#include <time.h>

#include <algorithm>

namespace trunkline::fabric::probe {

namespace {

/// Lets every process reach its read before the clock starts.
void settle() {
  const timespec pause{0, 3'000'000};
  nanosleep(&pause, nullptr);
}

constexpr std::uint8_t last_message = 1;

}  // namespace

std::vector<double> ping_pong(const Lab& lab, HostIndex a, HostIndex b, std::size_t bytes, unsigned repetitions) {
  Shared shared(2);
  Shared results(std::max(repetitions, 1U));
  const HostIndex hosts[] = {a, b};
  on_each(lab, hosts, [&](unsigned me) {
    std::vector<std::uint8_t> message(bytes);
    const int listening = me == 1 ? listen_here() : -1;
    shared.wait();
    const int peer = me == 1 ? accept_from(listening) : connect_to(b);
    for (unsigned i = 0; i <= repetitions; ++i) {
      shared.wait();
      if (me == 1) {
        read_all(peer, message);
        write_all(peer, message);
        continue;
      }
      settle();
      const double start = now_s();
      write_all(peer, message);
      read_all(peer, message);
      if (i > 0) {
        results.seconds()[i - 1] = (now_s() - start) / 2;
      }
    }
  });
  return {results.seconds().begin(), results.seconds().begin() + repetitions};
}

std::vector<double> relay(const Lab& lab, std::span<const HostIndex> line, std::size_t bytes, std::size_t segment,
                          unsigned repetitions) {
  const auto last = static_cast<unsigned>(line.size()) - 1;
  Shared shared(last + 1);
  Shared results(std::max(repetitions, 1U));
  on_each(lab, line, [&](unsigned me) {
    std::vector<std::uint8_t> message(bytes);
    const int listening = me > 0 ? listen_here() : -1;
    shared.wait();
    const int next = me < last ? connect_to(line[me + 1]) : -1;
    const int before = me > 0 ? accept_from(listening) : -1;
    for (unsigned i = 0; i <= repetitions; ++i) {
      shared.wait();
      if (me == 0) {
        settle();
        shared.seconds()[0] = now_s();
      }
      for (std::size_t at = 0; at < bytes; at += segment) {
        const std::span<std::uint8_t> part(message.data() + at, std::min(segment, bytes - at));
        if (me > 0) {
          read_all(before, part);
        }
        if (me < last) {
          write_all(next, part);
        }
      }
      if (me == last && i > 0) {
        results.seconds()[i - 1] = now_s() - shared.seconds()[0];
      }
    }
  });
  return {results.seconds().begin(), results.seconds().begin() + repetitions};
}

Exchanged all_at_work(const Lab& lab, std::span<const HostIndex> line, std::size_t bytes, unsigned messages,
                      double seconds) {
  const auto hosts = static_cast<unsigned>(line.size()) / 2 * 2;
  Shared shared(hosts);
  Shared results(hosts);
  on_each(lab, line.first(hosts), [&](unsigned me) {
    const bool leads = me % 2 == 0;
    std::vector<std::uint8_t> message(bytes, 0);
    const int listening = leads ? -1 : listen_here();
    shared.wait();
    const int peer = leads ? connect_to(line[me + 1]) : accept_from(listening);
    const auto hand_back = [&] {
      read_all(peer, message);
      write_all(peer, message);
      results.seconds()[me] += 1.0;
    };
    if (!leads) {
      shared.wait();
      do {
        hand_back();
      } while (message[0] != last_message);
      return;
    }
    shared.wait();
    const double end_s = now_s() + seconds;
    for (unsigned i = 0; i < messages; ++i) {
      write_all(peer, message);
    }
    while (now_s() < end_s) {
      hand_back();
    }
    // What is under way comes back before it.
    message[0] = last_message;
    write_all(peer, message);
    do {
      read_all(peer, message);
    } while (message[0] != last_message);
  });
  double hops = 0.0;
  for (const double one : results.seconds()) {
    hops += one;
  }
  return {.hops = hops, .seconds = seconds};
}

}  // namespace trunkline::fabric::probe
