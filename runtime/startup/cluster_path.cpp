// SPDX-License-Identifier: Apache-2.0
#include "startup/cluster_path.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "text/spelling.hpp"

namespace trunkline::runtime {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&cluster_path), &info) == 0) return {};
  std::error_code unreadable;
  const fs::path file = fs::canonical(info.dli_fname, unreadable);
  return unreadable ? fs::path() : file.parent_path();
}

std::vector<std::string> bundled_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string cluster_path(const std::string& name_or_file) {
  const bool is_file =
      name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".yaml") || name_or_file.ends_with(".yml");
  if (is_file) return name_or_file;
  const fs::path folder = (own_folder() / ".." / "clusters").lexically_normal();
  const std::vector<std::string> names = bundled_names(folder);
  if (std::ranges::find(names, name_or_file) != names.end()) return folder / (name_or_file + ".yaml");
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  throw std::invalid_argument("no cluster '" + name_or_file + "' is bundled" + did_you_mean(name_or_file, views) +
                              "; there are: " + (listed.empty() ? "none in " + folder.string() : listed) +
                              "; for a file of your own give its path, such as ./" + name_or_file + ".yaml");
}

}  // namespace trunkline::runtime
