// SPDX-License-Identifier: Apache-2.0
#include "copies.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "listing.hpp"
#include "made_entries.hpp"
#include "report.hpp"

namespace trunkline::copy {
namespace {

/// What went wrong on a host: what was first is told, the rest is counted.
struct Trouble {
  std::string first;
  std::size_t many = 0;

  void add(const std::string& what) {
    if (what.empty()) return;
    if (many++ == 0) first = what;
  }
};

/// A folder on its way: first the list of its entries, then each of them in its order.
class FolderWay {
 public:
  FolderWay(const std::string& folder, const Writers& writers, const Options& options)
      : folder_(folder),
        writers_(writers),
        options_(options),
        result_{.file = folder, .failure = {}, .is_folder = true, .left_out = {}, .failures = {}} {
    MPI_Comm_rank(writers.all, &rank_);
  }

  Result go() {
    const double start = MPI_Wtime();
    list();
    if (!result_.failure.empty()) return std::move(result_);
    Progress progress(folder_, result_.bytes, options_.shows_progress && rank_ == 0, rank_ == 0);
    std::vector<const Entry*> made;
    for (const Entry& entry : listing_.entries) {
      const Folder& in = opened(folder_of(entry));
      if (entry.kind == Entry::Kind::file) {
        take(transfer(source_of(entry), in, &entry.identity, writers_, options_, progress));
      } else if (!is_source_) {
        const bool is_link = entry.kind == Entry::Kind::link;
        const std::string failure = is_link ? make_link(in, entry) : make_subfolder(in, entry);
        trouble_.add(failure);
        if (is_link) continue;
        if (failure.empty()) {
          made.push_back(&entry);
        } else {
          refused_.emplace(entry.path, failure);
        }
      }
    }
    // Entries that are put into a folder change its time, and its rights may forbid them. The deepest comes first.
    std::ranges::reverse(made);
    for (const Entry* const entry : made)
      trouble_.add(finish_subfolder(folder_below(writers_.folder, entry->path), *entry));
    gather();
    result_.seconds = MPI_Wtime() - start;
    return std::move(result_);
  }

 private:
  void list() {
    std::string bytes;
    if (rank_ == 0) {
      struct stat target {};
      if (writers_.folder.opened.is_open()) fstat(writers_.folder.opened.get(), &target);
      listing_ = listing_of(folder_, target);
      result_.failure = listing_.failure;
      result_.left_out = std::move(listing_.left_out);
      result_.files = listing_.files;
      result_.bytes = listing_.bytes;
      bytes = listing_.failure.empty() ? packed(listing_.entries) : "";
      is_source_ = listing_.failure.empty() && is_its_own_copy();
    }
    unsigned long long size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, writers_.all);
    if (size == 0 && rank_ != 0) result_.failure = "rank 0 cannot read it";
    bytes.resize(size);
    constexpr std::size_t most = 1U << 20U;
    for (std::size_t at = 0; at < size; at += most) {
      MPI_Bcast(&bytes[at], static_cast<int>(std::min<std::size_t>(most, size - at)), MPI_BYTE, 0, writers_.all);
    }
    if (rank_ != 0) listing_.entries = unpacked(bytes);
  }

  /// Whether copies go to the folder that it is in: this host has it then.
  [[nodiscard]] bool is_its_own_copy() const {
    struct stat own {};
    struct stat there {};
    return writers_.folder.opened.is_open() && stat(folder_.c_str(), &own) == 0 &&
           writers_.folder.look_at(listing_.entries.front().path, there) && there.st_dev == own.st_dev &&
           there.st_ino == own.st_ino;
  }

  /// On rank 0: the folder's own path instead of the name that its copy has.
  [[nodiscard]] std::string source_of(const Entry& entry) const {
    return folder_ + entry.path.substr(listing_.entries.front().path.size());
  }

  /// Kept open for the entries in it.
  const Folder& opened(const std::string& path) {
    if (!open_ || path != open_path_) open_ = below(path);
    open_path_ = path;
    return *open_;
  }

  /// In a folder that was refused nothing is made: it may be another user's. So folders in it are refused, too.
  [[nodiscard]] Folder below(const std::string& path) const {
    const auto refused = refused_.find(path);
    if (refused == refused_.end()) return folder_below(writers_.folder, path);
    return {.path = writers_.folder.path_of(path), .opened = {}, .failure = refused->second};
  }

  /// What became of one of its files.
  void take(const Result& one) {
    result_.sent_bytes += one.sent_bytes;
    if (!one.failure.empty()) result_.left_out.push_back(one.failure);
    for (const HostFailure& failure : one.failures) files_[failure.host].add(failure.reason);
  }

  /// What a host says itself comes first: it is why it has none of the files in a folder.
  void gather() {
    const std::vector<std::string> firsts = gathered(trouble_.first, writers_.all);
    const std::vector<std::string> counts = gathered(std::to_string(trouble_.many), writers_.all);
    const std::vector<std::string> hosts = gathered(writers_.host, writers_.all);
    for (std::size_t one = 0; one < hosts.size(); ++one) {
      const Trouble& files = files_[hosts[one]];
      const std::size_t many = std::stoull(counts[one]) + files.many;
      if (many == 0) continue;
      const std::string& first = firsts[one].empty() ? files.first : firsts[one];
      const std::string more = many == 1 ? "" : " (and " + std::to_string(many - 1) + " more)";
      result_.failures.push_back({hosts[one], first + more});
    }
  }

  const std::string& folder_;
  const Writers& writers_;
  const Options& options_;
  Result result_;
  int rank_ = 0;
  Listing listing_;
  bool is_source_ = false;
  std::optional<Folder> open_;
  std::string open_path_;
  std::map<std::string, std::string> refused_;  ///< folders of this host that could not be made, and why
  Trouble trouble_;                             ///< this host's, with folders and links
  std::map<std::string, Trouble> files_;        ///< of each host with files; on rank 0
};

}  // namespace

Result copy_one(const std::string& file, const Writers& writers, const Options& options) {
  int rank = 0;
  MPI_Comm_rank(writers.all, &rank);
  struct stat of {};
  int is_folder = rank == 0 && stat(file.c_str(), &of) == 0 && S_ISDIR(of.st_mode) ? 1 : 0;
  MPI_Bcast(&is_folder, 1, MPI_INT, 0, writers.all);
  if (is_folder == 1) return FolderWay(file, writers, options).go();
  const auto bytes = static_cast<std::uint64_t>(std::max<off_t>(of.st_size, 0));
  Progress progress(file, bytes, options.shows_progress && rank == 0, rank == 0);
  return transfer(file, writers.folder, nullptr, writers, options, progress);
}

}  // namespace trunkline::copy
