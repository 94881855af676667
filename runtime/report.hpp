// SPDX-License-Identifier: Apache-2.0
// What the library says, always on standard error, and how it ends a job that cannot go on.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json.hpp"

namespace trunkline::runtime {

inline constexpr int usage_exit_status = 2;

/// Ascending numbers: "1, 4 to 7"
[[nodiscard]] std::string listed(std::span<const int> numbers);

/// From now on a line of JSON for each thing that is said (TRUNKLINE_EXPLAIN=json). To be called once, before other
/// threads say anything; `rank` is this one in MPI_COMM_WORLD.
void speak_json(int rank);
[[nodiscard]] bool speaks_json();

/// "trunkline: warning: TEXT"; as JSON the event "warning".
void warn(const std::string& text);

/// "trunkline: TEXT"; as JSON the event with these fields, and the text as its message.
void say(std::string_view event, const std::string& text, const JsonFields& fields = {});

/// As JSON alone, without a message.
void say_json(std::string_view event, const JsonFields& fields);

/// The last words before a job is ended, the event "error": a launcher drops what it has not read by then, so it gets
/// the time to.
void say_last(const std::string& text);

/// Ends the whole job with exit status 2 and one message. For ranks that cannot talk to each other about it: the
/// lowest one that has something to say speaks, and the others leave it the time to do so. MPI must be initialised.
[[noreturn]] void end_job(const std::string& text);

/// Ends this process with exit status 2, where MPI cannot be used and every rank finds the same: rank 0 speaks, as far
/// as the launcher has told them who that is.
[[noreturn]] void end_process(const std::string& text);

}  // namespace trunkline::runtime
