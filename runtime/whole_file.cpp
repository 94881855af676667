// SPDX-License-Identifier: Apache-2.0
#include "whole_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace trunkline::runtime {
namespace {

constexpr int most_names = 16;

/// 0: there is none to be had.
std::uint64_t random_number() {
  std::uint64_t number = 0;
  return getentropy(&number, sizeof(number)) == 0 ? number : 0;
}

struct NewFile {
  int number = -1;
  std::string path;
};

/// Under a name that was free. A random one seldom is not, unless there are no random numbers.
NewFile make_beside(const std::string& path) {
  for (int i = 0; i < most_names; ++i) {
    std::array<char, 40> end{};
    std::snprintf(end.data(), end.size(), ".%d-%016" PRIx64 ".part", i, random_number());
    NewFile made{.number = -1, .path = path + end.data()};
    made.number = open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (made.number >= 0 || errno != EEXIST) return made;
  }
  errno = EEXIST;
  return {};
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return true;
}

}  // namespace

bool write_whole(const std::string& path, const std::string& text) {
  const NewFile made = make_beside(path);
  if (made.number < 0) return false;
  const bool is_written = write_all(made.number, text);
  const int write_error = errno;
  const bool is_closed = close(made.number) == 0;
  if (is_written && is_closed && std::rename(made.path.c_str(), path.c_str()) == 0) return true;
  const int error = is_written ? errno : write_error;
  unlink(made.path.c_str());
  errno = error;
  return false;
}

}  // namespace trunkline::runtime
