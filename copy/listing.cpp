// SPDX-License-Identifier: Apache-2.0
#include "listing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "folder.hpp"
#include "target.hpp"

namespace trunkline::copy {
namespace {

/// Of an entry, before its path and its text.
struct Head {
  Entry::Kind kind = Entry::Kind::file;
  std::uint32_t path_bytes = 0;
  std::uint32_t text_bytes = 0;
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;
};

class Listed {
 public:
  Listed(Listing& listing, const struct stat& target) : listing_(listing), target_(target) {}

  /// An open folder. `where`: its path, for messages; `path`: of its copy.
  void add_folder(Descriptor folder, const std::string& where, const std::string& path) {
    struct stat of {};
    if (fstat(folder.get(), &of) != 0) return leave_out(where, std::strerror(errno));
    if (of.st_dev == target_.st_dev && of.st_ino == target_.st_ino) {
      listing_.failure = where + " would be copied into itself: copies go there";
      return;
    }
    add(Entry::Kind::folder, path, of);
    for (const std::string& name : names_in(folder, where)) {
      if (!listing_.failure.empty()) return;
      const std::string below = "/" + name;
      add_one(folder, name, where + below, path + below);
    }
  }

  void leave_out(const std::string& where, const std::string& why) { listing_.left_out.push_back(where + ": " + why); }

 private:
  void add(Entry::Kind kind, const std::string& path, const struct stat& of, std::string text = {}) {
    listing_.entries.push_back({.kind = kind,
                                .path = path,
                                .text = std::move(text),
                                .mode = of.st_mode & 07777U,
                                .user = of.st_uid,
                                .group = of.st_gid,
                                .changed_s = of.st_mtim.tv_sec,
                                .changed_ns = of.st_mtim.tv_nsec,
                                .identity = {.device = of.st_dev, .inode = of.st_ino}});
  }

  /// In order, so that a later copy goes through them alike.
  std::vector<std::string> names_in(const Descriptor& folder, const std::string& where) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(fdopendir(dup(folder.get())), closedir);
    if (!open) {
      leave_out(where, std::strerror(errno));
      return names;
    }
    errno = 0;
    while (const dirent* const one = readdir(open.get())) {
      const std::string name = one->d_name;
      if (is_of_a_copy(name)) {
        leave_out(std::string(where).append("/").append(name), "it is a part of a copy that was not finished");
      } else if (name != "." && name != "..") {
        names.push_back(name);
      }
      errno = 0;
    }
    if (errno != 0) leave_out(where, std::strerror(errno));
    std::ranges::sort(names);
    return names;
  }

  void add_one(const Descriptor& in, const std::string& name, const std::string& where, const std::string& path) {
    struct stat of {};
    if (fstatat(in.get(), name.c_str(), &of, AT_SYMLINK_NOFOLLOW) != 0) return leave_out(where, std::strerror(errno));
    if (S_ISDIR(of.st_mode)) {
      Descriptor folder(openat(in.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!folder.is_open()) return leave_out(where, std::strerror(errno));
      return add_folder(std::move(folder), where, path);
    }
    if (S_ISLNK(of.st_mode)) {
      std::array<char, PATH_MAX> text{};
      const ssize_t length = readlinkat(in.get(), name.c_str(), text.data(), text.size());
      if (length < 0) return leave_out(where, std::strerror(errno));
      return add(Entry::Kind::link, path, of, {text.data(), static_cast<std::size_t>(length)});
    }
    if (!S_ISREG(of.st_mode)) return leave_out(where, "it is no regular file");
    ++listing_.files;
    listing_.bytes += static_cast<std::uint64_t>(of.st_size);
    add(Entry::Kind::file, path, of);
  }

  Listing& listing_;
  const struct stat& target_;
};

}  // namespace

Listing listing_of(const std::string& folder, const struct stat& target) {
  Listing listing;
  const std::string name = std::filesystem::path(folder).filename();
  if (name.empty() || name == "." || name == "..") {
    listing.failure = folder + " has no name that a copy could have: name the folder as its parent has it";
    return listing;
  }
  Descriptor open_one(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_one.is_open()) {
    listing.failure = "cannot read " + folder + ": " + std::strerror(errno);
    return listing;
  }
  Listed(listing, target).add_folder(std::move(open_one), folder, name);
  return listing;
}

std::string packed(const std::vector<Entry>& entries) {
  std::string bytes;
  for (const Entry& one : entries) {
    const Head head{.kind = one.kind,
                    .path_bytes = static_cast<std::uint32_t>(one.path.size()),
                    .text_bytes = static_cast<std::uint32_t>(one.text.size()),
                    .mode = one.mode,
                    .user = one.user,
                    .group = one.group,
                    .changed_s = one.changed_s,
                    .changed_ns = one.changed_ns};
    bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes += one.path + one.text;
  }
  return bytes;
}

std::vector<Entry> unpacked(const std::string& bytes) {
  std::vector<Entry> entries;
  for (std::size_t at = 0; at < bytes.size();) {
    Head head;
    std::memcpy(&head, &bytes[at], sizeof head);
    at += sizeof head;
    entries.push_back({.kind = head.kind,
                       .path = bytes.substr(at, head.path_bytes),
                       .text = bytes.substr(at + head.path_bytes, head.text_bytes),
                       .mode = head.mode,
                       .user = head.user,
                       .group = head.group,
                       .changed_s = head.changed_s,
                       .changed_ns = head.changed_ns});
    at += head.path_bytes + head.text_bytes;
  }
  return entries;
}

std::string folder_of(const Entry& entry) {
  const std::size_t end = entry.path.rfind('/');
  return end == std::string::npos ? "" : entry.path.substr(0, end);
}

std::string name_of(const Entry& entry) { return entry.path.substr(entry.path.rfind('/') + 1); }

}  // namespace trunkline::copy
