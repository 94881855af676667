// SPDX-License-Identifier: Apache-2.0
#include "receipt/receipt.hpp"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "mpi_api.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "text/quantity.hpp"
#include "whole_file.hpp"

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

std::string name_for_people(Collective collective, CallForm form) {
  const CollectiveFacts& facts = facts_of(collective);
  if (form == CallForm::started) return facts.nonblocking_name();
  return std::string(facts.mpi_name) + (form == CallForm::persistent ? "_init" : "");
}

std::string saved_text(double saved_s) {
  return formatted("%s %.3g s", saved_s < 0.0 ? "lost" : "saved", std::abs(saved_s));
}

void add_row(std::string& rows, const JsonFields& fields) {
  rows += (rows.empty() ? "\n    " : ",\n    ") + fields.object();
}

using Moment = std::chrono::system_clock::time_point;

/// In universal time.
std::string moment_text(Moment moment, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), format, &parts);
  return text.data();
}

/// Jobs of all hosts in one folder differ in it, and stand there in the order in which they began.
std::string own_file_name(Moment began) {
  const auto fraction =
      std::chrono::duration_cast<std::chrono::microseconds>(began.time_since_epoch()).count() % 1000000;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return moment_text(began, "%Y%m%d-%H%M%S") + formatted("-%06lld-", static_cast<long long>(fraction)) + host.data() +
         formatted("-%ld.json", static_cast<long>(getpid()));
}

/// The number by which a batch system knows the job; empty: none has started it.
std::string job_number() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "OAR_JOB_ID"}) {
    if (const char* const number = std::getenv(name); number != nullptr && *number != '\0') return number;
  }
  return "";
}

bool names_folder(const std::string& to) {
  std::error_code unknown;
  return to.ends_with('/') || std::filesystem::is_directory(to, unknown);
}

/// A file that the user has named is written to, such as a pipe; one that has a name of ours in a folder is new.
bool write_receipt(const std::string& path, bool is_named, const std::string& text) {
  if (!is_named) return write_whole(path, text);
  std::ofstream file(path);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

Receipt::Receipt(std::string to, ReceiptHead head)
    : to_(to == "1" ? std::move(to) : std::filesystem::absolute(to).string()),
      is_folder_(names_folder(to_)),
      head_(std::move(head)),
      began_s_(PMPI_Wtime()) {}

void Receipt::count(Collective collective, std::optional<std::uint64_t> bytes, std::string_view algorithm,
                    const ReceiptReason& why, const Took& took) {
  const std::scoped_lock lock(mutex_);
  const KeyView key(collective, took.form, size_bits(bytes), algorithm, why.chosen_by, why.words);
  auto known = sums_.find(key);
  if (known == sums_.end()) {
    known = with_reserve([&] { return sums_.emplace(std::make_from_tuple<Key>(key), Sum{}).first; });
  }
  Sum* const sum = &known->second;
  ++sum->calls;
  sum->bytes += bytes.value_or(0);
  sum->seconds += took.seconds;
}

void Receipt::add(const TrialsFound& found) {
  const std::scoped_lock lock(mutex_);
  with_reserve([&] { found_.push_back(found); });
}

void Receipt::add_meetings(double seconds, int ranks) {
  const std::scoped_lock lock(mutex_);
  meetings_s_ += seconds;
  meetings_rank_s_ += seconds * ranks;
}

std::string Receipt::text() const {
  double all_s = 0.0;
  std::string lines;
  for (const auto& [key, sum] : sums_) {
    const auto& [collective, form, bits, algorithm, chosen_by, why] = key;
    lines += formatted("\n  %-24s %-18s %-24s %9llu calls", name_for_people(collective, form).c_str(),
                       size_text(bits).c_str(), algorithm.c_str(), static_cast<unsigned long long>(sum.calls));
    if (form == CallForm::blocking) {
      all_s += sum.seconds;
      lines += formatted(" %10.4g s", sum.seconds);
    } else if (sum.seconds > 0.0) {
      lines += formatted(" %10.4g s under way", sum.seconds);
    }
    lines += ", " + (why.empty() ? "by " + chosen_by : why);
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
    const auto& [collective, form, bits, algorithm, chosen_by, why] = key;
    JsonFields fields;
    fields.add("collective", facts_of(collective).name);
    if (form != CallForm::blocking) fields.add("form", form == CallForm::started ? "start" : "persistent");
    if (bits != unknown_size) fields.add("least_bytes", least_bytes_of(bits));
    fields.add("algorithm", algorithm).add("chosen_by", chosen_by);
    if (!why.empty()) fields.add("why", why);
    fields.add("calls", sum.calls)
        .add("bytes", sum.bytes)
        .add("seconds", form == CallForm::blocking ? sum.seconds : 0.0);
    if (form != CallForm::blocking) fields.add("under_way_s", sum.seconds);
    add_row(calls, fields);
  }
  std::string trials;
  for (const TrialsFound& one : found_) {
    JsonFields fields;
    fields.add("collective", facts_of(one.collective).name).add("least_bytes", one.bytes).add("ranks", one.ranks);
    fields.add("first", one.first).add("algorithm", one.algorithm).add("settled_after", one.settled_after);
    fields.add("known", one.known).add("calls", one.calls).add("call_s", one.runs_s);
    fields.add("native_s", one.native_s).add("saved_s", one.saved_s).add("error_s", one.error_s);
    std::string tried;
    for (const Tried& arm : one.tried) {
      JsonFields known;
      known.add("algorithm", arm.algorithm).add("timed", arm.timed).add("call_s", arm.call_s);
      tried += (tried.empty() ? "" : ", ") + known.object();
    }
    add_row(trials, fields.add_json("tried", "[" + tried + "]"));
  }
  JsonFields all;
  all.add("trunkline", "receipt/1").add("version", head_.library).add("program", program_invocation_short_name);
  if (const std::string job = job_number(); !job.empty()) all.add("job", job);
  all.add("began", moment_text(began_at_, "%Y-%m-%dT%H:%M:%SZ")).add("mpi", head_.mpi);
  if (!head_.cluster.empty()) all.add("cluster", head_.cluster);
  if (head_.hosts > 0) all.add("hosts", head_.hosts);
  all.add("ranks", head_.ranks).add("seconds", PMPI_Wtime() - began_s_).add("meetings_s", meetings_s_);
  all.add("meetings_rank_s", meetings_rank_s_);
  all.add_json("calls", "[" + calls + "]").add_json("trials", "[" + trials + "]");
  return all.object() + "\n";
}

void Receipt::tell() {
  const std::scoped_lock lock(mutex_);
  if (to_ == "1") return say("receipt", text());
  const std::string path = is_folder_ ? to_ + (to_.ends_with('/') ? "" : "/") + own_file_name(began_at_) : to_;
  if (write_receipt(path, !is_folder_, json())) return;
  warn("TRUNKLINE_SUMMARY=" + to_ + ": cannot be written: " + std::strerror(errno));
}

Receipt* receipt() { return own; }

void begin_receipt(const std::string& to, const ReceiptHead& head) {
  own = with_reserve([&] { return new Receipt(to, head); });
}

void end_receipt() {
  if (own == nullptr) return;
  own->tell();
  delete std::exchange(own, nullptr);
}

}  // namespace trunkline::runtime
