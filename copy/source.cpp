// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace trunkline::copy {

Source::Source(const std::string& file) { look_at(file); }

void Source::fail(const std::string& why) { why.copy(facts_.failure.data(), facts_.failure.size() - 1); }

void Source::look_at(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  if (name.size() >= facts_.name.size()) return fail(file + ": its name is too long");
  name.copy(facts_.name.data(), facts_.name.size() - 1);
  file_ = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe is refused, not waited for
  struct stat of {};
  if (file_ < 0 || fstat(file_, &of) != 0) return fail("cannot read " + file + ": " + std::strerror(errno));
  if (S_ISDIR(of.st_mode)) return fail(file + " is a folder: name its files, or pack it (tar)");
  if (!S_ISREG(of.st_mode)) return fail(file + " is no regular file");
  posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  facts_.bytes = static_cast<std::uint64_t>(of.st_size);
  facts_.changed_s = of.st_mtim.tv_sec;
  facts_.changed_ns = of.st_mtim.tv_nsec;
  facts_.device = of.st_dev;
  facts_.inode = of.st_ino;
  facts_.mode = of.st_mode & 07777U;
  facts_.user = of.st_uid;
  facts_.group = of.st_gid;
}

Source::~Source() {
  if (file_ >= 0) close(file_);
}

void Source::read(const Blocks& blocks, std::uint64_t block, Buffer& buffer) const {
  buffer.hold(block, blocks.bytes(block));
  const int error = read_block(file_, blocks.offset(block), buffer.data());
  buffer.set_trailer({.digest = digest_of(buffer.data()), .error = static_cast<std::uint64_t>(error)});
}

bool Source::has_changed() const {
  struct stat now {};
  return fstat(file_, &now) != 0 || static_cast<std::uint64_t>(now.st_size) != facts_.bytes ||
         now.st_mtim.tv_sec != facts_.changed_s || now.st_mtim.tv_nsec != facts_.changed_ns;
}

int read_block(int file, std::uint64_t offset, std::span<std::byte> data) {
  while (!data.empty()) {
    const ssize_t got = pread(file, data.data(), data.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    data = data.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return 0;
}

}  // namespace trunkline::copy
