// SPDX-License-Identifier: Apache-2.0
#include "receipt/receipt.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "mpi_api.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "text/quantity.hpp"

namespace trunkline::runtime {
namespace {

constexpr int unknown_size = -1;

constinit Receipt* own = nullptr;

int size_bits(std::optional<std::uint64_t> bytes) {
  return bytes ? static_cast<int>(std::bit_width(*bytes)) : unknown_size;
}

std::uint64_t least_bytes_of(int bits) { return bits <= 0 ? 0 : std::uint64_t{1} << (bits - 1); }

std::string size_text_from(std::uint64_t bytes) { return "from " + format_bytes(bytes) + " on"; }

std::string size_text(int bits) {
  if (bits == unknown_size) return "of unknown size";
  return bits == 0 ? "without data" : size_text_from(least_bytes_of(bits));
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string saved_text(double saved_s) {
  return formatted("%s %.3g s", saved_s < 0.0 ? "lost" : "saved", std::abs(saved_s));
}

void add_row(std::string& rows, const JsonFields& fields) {
  rows += (rows.empty() ? "\n    " : ",\n    ") + fields.object();
}

}  // namespace

Receipt::Receipt(std::string to, int ranks)
    : to_(to == "1" ? std::move(to) : std::filesystem::absolute(to).string()), ranks_(ranks), began_s_(PMPI_Wtime()) {}

void Receipt::count(Collective collective, std::optional<std::uint64_t> bytes, std::string_view algorithm,
                    double seconds) {
  const std::scoped_lock lock(mutex_);
  Sum* const sum = with_reserve([&] { return &sums_[{collective, size_bits(bytes), std::string(algorithm)}]; });
  ++sum->calls;
  sum->bytes += bytes.value_or(0);
  sum->seconds += seconds;
}

void Receipt::add(const TrialsFound& found) {
  const std::scoped_lock lock(mutex_);
  with_reserve([&] { found_.push_back(found); });
}

void Receipt::add_meetings(double seconds) {
  const std::scoped_lock lock(mutex_);
  meetings_s_ += seconds;
}

std::string Receipt::text() const {
  double all_s = 0.0;
  std::string lines;
  for (const auto& [key, sum] : sums_) {
    const auto& [collective, bits, algorithm] = key;
    all_s += sum.seconds;
    lines +=
        formatted("\n  %-24s %-18s %-24s %9llu calls %10.4g s", std::string(facts_of(collective).mpi_name).c_str(),
                  size_text(bits).c_str(), algorithm.c_str(), static_cast<unsigned long long>(sum.calls), sum.seconds);
  }
  double saved_s = 0.0;
  double error_s = 0.0;
  std::string trials;
  for (const TrialsFound& one : found_) {
    if (!std::isfinite(one.runs_s + one.native_s) || one.calls == 0) continue;
    saved_s += one.saved_s;
    error_s += one.error_s;
    trials += formatted("\n  %-24s %-18s runs %s: %.4g ms a call, native %.4g ms; %s +- %.2g in %llu calls",
                        std::string(facts_of(one.collective).mpi_name).c_str(), size_text_from(one.bytes).c_str(),
                        one.algorithm.c_str(), one.runs_s * 1e3, one.native_s * 1e3, saved_text(one.saved_s).c_str(),
                        one.error_s, static_cast<unsigned long long>(one.calls));
  }
  std::string text = formatted("collective calls of rank 0 took %.4g s of %.4g s:", all_s, PMPI_Wtime() - began_s_);
  text += lines.empty() ? " there were none" : lines;
  if (trials.empty()) return text;
  return text +
         formatted("\n%s beside native calls, as measured by trials, +- %.2g; less %.2g s of meetings:",
                   saved_text(saved_s).c_str(), error_s, meetings_s_) +
         trials;
}

std::string Receipt::json() const {
  std::string calls;
  for (const auto& [key, sum] : sums_) {
    const auto& [collective, bits, algorithm] = key;
    JsonFields fields;
    fields.add("collective", facts_of(collective).name);
    if (bits != unknown_size) fields.add("least_bytes", least_bytes_of(bits));
    fields.add("algorithm", algorithm).add("calls", sum.calls).add("bytes", sum.bytes).add("seconds", sum.seconds);
    add_row(calls, fields);
  }
  std::string trials;
  for (const TrialsFound& one : found_) {
    JsonFields fields;
    fields.add("collective", facts_of(one.collective).name).add("least_bytes", one.bytes).add("ranks", one.ranks);
    fields.add("first", one.first).add("algorithm", one.algorithm).add("settled_after", one.settled_after);
    fields.add("known", one.known).add("calls", one.calls).add("call_s", one.runs_s);
    fields.add("native_s", one.native_s).add("saved_s", one.saved_s).add("error_s", one.error_s);
    add_row(trials, fields);
  }
  return "{\"trunkline\": \"receipt/1\",\n  " +
         formatted("\"ranks\": %d, \"seconds\": %.6g,\n  ", ranks_, PMPI_Wtime() - began_s_) + "\"calls\": [" + calls +
         "],\n  " + formatted("\"meetings_s\": %.6g,\n  ", meetings_s_) + "\"trials\": [" + trials + "]}\n";
}

void Receipt::tell() {
  const std::scoped_lock lock(mutex_);
  if (to_ == "1") return say("receipt", text());
  std::ofstream file(to_);
  file << json();
  file.close();
  if (!file) warn("TRUNKLINE_SUMMARY=" + to_ + ": cannot be written: " + std::strerror(errno));
}

Receipt* receipt() { return own; }

void begin_receipt(const std::string& to, int ranks) {
  own = with_reserve([&] { return new Receipt(to, ranks); });
}

void end_receipt() {
  if (own == nullptr) return;
  own->tell();
  delete std::exchange(own, nullptr);
}

}  // namespace trunkline::runtime
