// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "mpi_api.hpp"

namespace trunkline::runtime {
namespace {

/// Its rank in MPI_COMM_WORLD where it speaks JSON.
std::optional<int> json_rank;

/// One write, so that the lines of several ranks do not mix.
void print(const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); }

/// Further lines of a text begin like the first one; in a message they need not.
std::string without(std::string_view start, std::string text) {
  const std::string line = "\n" + std::string(start);
  for (std::size_t at = 0; (at = text.find(line, at)) != std::string::npos; ++at) text.erase(at + 1, start.size());
  return text;
}

void say_as(std::string_view event, std::string_view start, const std::string& text, const JsonFields& fields) {
  if (!speaks_json()) return print(std::string(start) + text + "\n");
  say_json(event, JsonFields(fields).add("message", without(start, text)));
}

/// Rank 0 ends the job before the others have said the same; where it has nothing to say, the next one speaks.
void wait_for_lower_ranks(int rank) {
  using std::chrono::milliseconds;
  if (rank > 0) std::this_thread::sleep_for(milliseconds(1000) + milliseconds(20) * std::min(rank, 200));
}

/// This process's rank as the launcher told it; 0 where there is none.
int rank_from_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* text = std::getenv(name);
    int rank = 0;
    if (text != nullptr && std::from_chars(text, text + std::strlen(text), rank).ec == std::errc()) return rank;
  }
  return 0;
}

}  // namespace

std::string listed(std::span<const int> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (end - i > 1) text += (end - i > 2 ? " to " : ", ") + std::to_string(ranks[end - 1]);
    i = end;
  }
  return text;
}

void speak_json(int rank) { json_rank = rank; }

bool speaks_json() { return json_rank.has_value(); }

void warn(const std::string& text) { say_as("warning", "trunkline: warning: ", text, {}); }

void say(std::string_view event, const std::string& text, const JsonFields& fields) {
  say_as(event, "trunkline: ", text, fields);
}

void say_json(std::string_view event, const JsonFields& fields) {
  print(JsonFields().add("event", event).add("rank", *json_rank).add(fields).object() + "\n");
}

void say_last(const std::string& text) {
  say("error", text);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

void end_job(const std::string& text) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wait_for_lower_ranks(rank);
  say_last(text);
  PMPI_Abort(MPI_COMM_WORLD, usage_exit_status);
  std::_Exit(usage_exit_status);
}

void end_process(const std::string& text) {
  const int rank = rank_from_launcher();
  if (rank == 0) say_last(text);
  wait_for_lower_ranks(rank);  // a launcher may end the job, and rank 0 with it, at the first process that is gone
  std::_Exit(usage_exit_status);
}

}  // namespace trunkline::runtime
