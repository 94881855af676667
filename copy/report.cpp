// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "text/utf8.hpp"

namespace trunkline::copy {
namespace {

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

}  // namespace

Progress::Progress(std::string file, std::uint64_t bytes, bool in_place, bool speaks)
    : file_(std::move(file)), bytes_(bytes), in_place_(in_place), speaks_(speaks) {}

Progress::~Progress() {
  if (has_line_ && in_place_) std::fputs("\n", stderr);
}

void Progress::add(std::uint64_t bytes) {
  sent_ += bytes;
  const Clock::time_point now = Clock::now();
  if (!speaks_ || now - said_ < std::chrono::seconds(in_place_ ? 1 : 10)) return;
  said_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(sent_) / seconds;
  std::fprintf(stderr, "%strunkline copy: %s: %s of %s, %s/s, about %.0f s left%s", in_place_ ? "\r" : "",
               file_.c_str(), amount(static_cast<double>(sent_)).c_str(), amount(static_cast<double>(bytes_)).c_str(),
               amount(rate).c_str(), static_cast<double>(std::max(bytes_, sent_) - sent_) / rate,
               in_place_ ? "    " : "\n");
  std::fflush(stderr);
  has_line_ = true;
}

std::string amount(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", bytes, units[unit]);
  return text.data();
}

void tell(const Result& result, const Writers& writers) {
  if (!result.failure.empty()) {
    std::fprintf(stderr, "trunkline: %s; no host has a new copy\n", result.failure.c_str());
    return;
  }
  for (const std::string& one : result.left_out) std::fprintf(stderr, "trunkline: left out: %s\n", one.c_str());
  const auto bytes = static_cast<double>(result.bytes);
  const auto hosts = static_cast<std::size_t>(writers.hosts - writers.sharing) - result.failures.size();
  if (hosts == 0) {
    std::fprintf(stderr, "trunkline: %s: no host has %s\n", result.file.c_str(),
                 result.is_folder ? "all of it" : "a new copy");
  } else {
    const std::string files = result.is_folder ? " in " + std::to_string(result.files) + " files" : "";
    std::fprintf(stderr, "trunkline copy: %s: %s%s on %zu %s in %.2f s, %s/s", result.file.c_str(),
                 amount(bytes).c_str(), files.c_str(), hosts, hosts == 1 ? "host" : "hosts", result.seconds,
                 amount(bytes / result.seconds).c_str());
    if (result.sent_bytes < result.bytes) {
      std::fprintf(stderr, "; sent %s, the rest was there", amount(static_cast<double>(result.sent_bytes)).c_str());
    }
    std::fputs("\n", stderr);
  }
  for (const HostFailure& one : result.failures) {
    std::fprintf(stderr, "trunkline: host %s: %s\n", one.host.c_str(), one.reason.c_str());
  }
}

std::string as_json(std::span<const Result> results, const Writers& writers, const Options& options) {
  std::string text = "[";
  const char* between = "\n  ";
  for (const Result& one : results) {
    text +=
        between + std::string("{\"file\": ") + json_text(one.file) + ", \"to\": " + json_text(options.folder) +
        ", \"bytes\": " + std::to_string(one.bytes) + ", \"sent_bytes\": " + std::to_string(one.sent_bytes) +
        ", \"block_bytes\": " + std::to_string(options.block_bytes) + ", \"hosts\": " + std::to_string(writers.hosts) +
        ", \"sharing_hosts\": " + std::to_string(writers.sharing) + ", \"seconds\": " + number(one.seconds) +
        ", \"failure\": " + json_text(one.failure) + ", \"files\": " + std::to_string(one.files) + ", \"left_out\": [";
    const char* comma = "";
    for (const std::string& left : one.left_out) {
      text += comma + json_text(left);
      comma = ", ";
    }
    text += "], \"failures\": [";
    comma = "";
    for (const HostFailure& failure : one.failures) {
      text += comma + std::string("{\"host\": ") + json_text(failure.host) +
              ", \"reason\": " + json_text(failure.reason) + "}";
      comma = ", ";
    }
    text += "], \"mpi\": \"" TRUNKLINE_MPI_NAME "\", \"mpi_version\": \"" TRUNKLINE_MPI_VERSION
            "\", \"trunkline_version\": \"" TRUNKLINE_VERSION "\"}";
    between = ",\n  ";
  }
  return text + "\n]\n";
}

}  // namespace trunkline::copy
