// SPDX-License-Identifier: Apache-2.0
#include "made_entries.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "target.hpp"

namespace trunkline::copy {
namespace {

std::string with_errno(const std::string& what) { return what + ": " + std::strerror(errno); }

/// As rights of files are: those that are bound to an owner go with the owner.
mode_t rights_of(const Entry& entry, const struct stat& there) {
  const bool is_kept = there.st_uid == entry.user && there.st_gid == entry.group;
  return is_kept ? entry.mode : entry.mode & ~bound_to_owner;
}

bool leads_to(const Folder& in, const std::string& name, const std::string& text) {
  std::array<char, PATH_MAX> found{};
  const ssize_t length = readlinkat(in.opened.get(), name.c_str(), found.data(), found.size());
  return length >= 0 && text == std::string(found.data(), static_cast<std::size_t>(length));
}

/// By its descriptor: the name may be another file's by now.
std::string give_link(const Folder& in, const std::string& name, const Entry& entry) {
  const Descriptor link(openat(in.opened.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat there {};
  const std::string where = in.path_of(name_of(entry));
  if (!link.is_open() || fstat(link.get(), &there) != 0) return with_errno("cannot make link " + where);
  if (!S_ISLNK(there.st_mode) || there.st_nlink > 1) return where + " was replaced while it was made: copy it again";
  if (geteuid() == 0 && fchownat(link.get(), "", entry.user, entry.group, AT_EMPTY_PATH) != 0) {
    return with_errno("cannot give " + where + " to its owner");
  }
  return {};
}

}  // namespace

std::string make_subfolder(const Folder& in, const Entry& entry) {
  if (!in.failure.empty()) return in.failure;
  const std::string name = name_of(entry);
  const std::string where = in.path_of(name);
  if (mkdirat(in.opened.get(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return with_errno("cannot make folder " + where);
  }
  const Folder made = folder_below(in, name);
  struct stat there {};
  if (!made.failure.empty() && errno == ENOTDIR) return where + " is no folder: remove it";
  if (!made.failure.empty()) return made.failure;
  if (fstat(made.opened.get(), &there) != 0) return with_errno("cannot make folder " + where);
  const uid_t caller = geteuid();
  if (there.st_uid != caller && (caller != 0 || there.st_uid != entry.user)) {
    return where + " is another user's folder: remove it";
  }
  const mode_t mode = there.st_mode & 07777U;
  // A descriptor that names a folder, and no more, has no other way to its rights.
  const std::string itself = "/proc/self/fd/" + std::to_string(made.opened.get());
  if ((mode & S_IRWXU) != S_IRWXU && chmod(itself.c_str(), mode | S_IRWXU) != 0) {
    return with_errno("cannot write into " + where);
  }
  return {};
}

std::string finish_subfolder(const Folder& made, const Entry& entry) {
  if (!made.failure.empty()) return made.failure;
  const Descriptor folder(openat(made.opened.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat now {};
  if (!folder.is_open() || fstat(folder.get(), &now) != 0) return with_errno("cannot open folder " + made.path);
  if (now.st_uid != geteuid() && now.st_uid != entry.user) return made.path + " is another user's folder: remove it";
  if (geteuid() == 0 && fchown(folder.get(), entry.user, entry.group) != 0) {
    return with_errno("cannot give " + made.path + " to its owner");
  }
  if (fstat(folder.get(), &now) != 0 || fchmod(folder.get(), rights_of(entry, now)) != 0) {
    return with_errno("cannot set the rights of " + made.path);
  }
  const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                      timespec{.tv_sec = entry.changed_s, .tv_nsec = entry.changed_ns}};
  return futimens(folder.get(), times.data()) == 0 ? "" : with_errno("cannot set the time of " + made.path);
}

std::string make_link(const Folder& in, const Entry& entry) {
  if (!in.failure.empty()) return in.failure;
  const std::string name = name_of(entry);
  const std::string where = in.path_of(name);
  const int folder = in.opened.get();
  struct stat there {};
  if (in.look_at(name, there)) {
    if (S_ISDIR(there.st_mode)) return where + " is a folder";
    if (S_ISLNK(there.st_mode) && leads_to(in, name, entry.text)) return {};
  }
  const std::string hidden = hidden_name(name, in);
  if (in.look_at(hidden, there) && S_ISLNK(there.st_mode) && there.st_uid == geteuid()) {
    unlinkat(folder, hidden.c_str(), 0);  // an earlier copy has left it
  }
  if (symlinkat(entry.text.c_str(), folder, hidden.c_str()) != 0) return with_errno("cannot make link " + where);
  std::string failure = give_link(in, hidden, entry);
  if (failure.empty() && renameat(folder, hidden.c_str(), folder, name.c_str()) != 0) {
    failure = with_errno("cannot make link " + where);
  }
  return failure;
}

}  // namespace trunkline::copy
