// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace trunkline::copy {
namespace {

/// How many bytes of UTF-8 a text has a letter in from there on; 0: none, a name of a file may hold any bytes.
std::size_t letter_bytes(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80U) return 1;
  const std::size_t bytes = first < 0xc2U ? 0 : first < 0xe0U ? 2 : first < 0xf0U ? 3 : first < 0xf5U ? 4 : 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool is_longer_than_needed = (first == 0xe0U && second < 0xa0U) || (first == 0xf0U && second < 0x90U);
  const bool is_none = (first == 0xedU && second > 0x9fU) || (first == 0xf4U && second > 0x8fU);
  return is_longer_than_needed || is_none ? 0 : bytes;
}

/// Bytes that are no letters are half a pair of UTF-16, as Python has them in names (PEP 383).
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = letter_bytes(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    if (bytes == 0 || first < 0x20U) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", first + (bytes == 0 ? 0xdc00U : 0U));
      out += code.data();
    } else {
      if (first == '"' || first == '\\') out += '\\';
      out += text.substr(at, bytes);
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return out + '"';
}

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

void Progress::show(std::uint64_t sent) {
  const Clock::time_point now = Clock::now();
  if (!speaks_ || now - said_ < std::chrono::seconds(in_place_ ? 1 : 10)) return;
  said_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(sent) / seconds;
  std::fprintf(stderr, "%strunkline copy: %s: %s of %s, %s/s, about %.0f s left%s", in_place_ ? "\r" : "",
               file_.c_str(), amount(static_cast<double>(sent)).c_str(), amount(static_cast<double>(bytes_)).c_str(),
               amount(rate).c_str(), static_cast<double>(bytes_ - sent) / rate, in_place_ ? "    " : "\n");
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
  const auto bytes = static_cast<double>(result.bytes);
  const auto hosts = static_cast<std::size_t>(writers.hosts - writers.sharing) - result.failures.size();
  if (hosts == 0) {
    std::fprintf(stderr, "trunkline: %s: no host has a new copy\n", result.file.c_str());
  } else {
    std::fprintf(stderr, "trunkline copy: %s: %s on %zu %s in %.2f s, %s/s", result.file.c_str(), amount(bytes).c_str(),
                 hosts, hosts == 1 ? "host" : "hosts", result.seconds, amount(bytes / result.seconds).c_str());
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
    text += between + std::string("{\"file\": ") + quoted(one.file) + ", \"to\": " + quoted(options.folder) +
            ", \"bytes\": " + std::to_string(one.bytes) + ", \"sent_bytes\": " + std::to_string(one.sent_bytes) +
            ", \"block_bytes\": " + std::to_string(options.block_bytes) +
            ", \"hosts\": " + std::to_string(writers.hosts) +
            ", \"sharing_hosts\": " + std::to_string(writers.sharing) + ", \"seconds\": " + number(one.seconds) +
            ", \"failure\": " + quoted(one.failure) + ", \"failures\": [";
    const char* comma = "";
    for (const HostFailure& failure : one.failures) {
      text +=
          comma + std::string("{\"host\": ") + quoted(failure.host) + ", \"reason\": " + quoted(failure.reason) + "}";
      comma = ", ";
    }
    text += "], \"mpi\": \"" TRUNKLINE_MPI_NAME "\", \"mpi_version\": \"" TRUNKLINE_MPI_VERSION
            "\", \"trunkline_version\": \"" TRUNKLINE_VERSION "\"}";
    between = ",\n  ";
  }
  return text + "\n]\n";
}

}  // namespace trunkline::copy
