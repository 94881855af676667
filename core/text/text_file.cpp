// SPDX-License-Identifier: Apache-2.0
#include "text/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <vector>

#include "text/quantity.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string message) {
  Faults faults(path);
  faults.add_whole(std::move(message));
  faults.throw_if_any();
  throw std::logic_error("a fault that is not thrown");
}

[[noreturn]] void refuse_unreadable(const std::string& path, int error) {
  refuse(path, "cannot be read: " + std::generic_category().message(error));
}

[[noreturn]] void refuse_too_large(const std::string& path) {
  refuse(path, "is larger than " + format_bytes(largest_text_file) + ", more than any file of Trunkline needs");
}

/// An open file.
class Descriptor {
 public:
  /// Without waiting for anybody to write to a pipe, and without making a terminal ours.
  explicit Descriptor(const std::string& path)
      : path_(path), number_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    if (number_ < 0) refuse_unreadable(path, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(number_); }

  void check() const {
    struct stat status {};
    if (fstat(number_, &status) != 0) refuse_unreadable(path_, errno);
    if (!S_ISREG(status.st_mode)) refuse(path_, "is not a regular file");
    if (static_cast<std::uint64_t>(status.st_size) > largest_text_file) refuse_too_large(path_);
  }

  /// Up to the end, wherever that is by now.
  [[nodiscard]] std::string contents() const {
    std::string text;
    std::vector<char> part(std::size_t{1} << 16U);  // the stack of a program's thread may be as short as that
    while (true) {
      const ssize_t bytes = read(number_, part.data(), part.size());
      if (bytes == 0) return text;
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) refuse_unreadable(path_, errno);
      text.append(part.data(), static_cast<std::size_t>(bytes));
      if (text.size() > largest_text_file) refuse_too_large(path_);
    }
  }

 private:
  const std::string& path_;
  int number_;
};

}  // namespace

std::string read_text_file(const std::string& path) {
  const Descriptor file(path);
  file.check();
  return file.contents();
}

}  // namespace trunkline
