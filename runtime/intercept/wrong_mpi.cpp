// SPDX-License-Identifier: Apache-2.0
// A library built for one MPI in a program that runs on another: its handles mean something else there. The loader
// brings in the MPI this library is linked against either way, so the sign is a second one. A library with the standard
// ABI is a second one, too, for all but the preload library that is built for that ABI.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "intercept/state.hpp"
#include "mpi_api.hpp"
#include "report.hpp"
#include "startup/native_library.hpp"

namespace trunkline::runtime {
namespace {

struct LoadedMpi {
  NativeLibrary family;
  std::string version;  ///< for people: "Open MPI v4.1.4"
  bool standard_abi;    ///< the one whose handles are those of the MPI standard, not the library's own
};

constexpr std::string_view standard_abi_name = "libmpi_abi.so";
#ifdef MPI_ABI
constexpr bool for_standard_abi = true;
#else
constexpr bool for_standard_abi = false;
#endif

int collect_mpi_files(dl_phdr_info* object, std::size_t, void* files) {
  const std::string_view file(object->dlpi_name);
  const std::string_view name = file.substr(file.rfind('/') + 1);
  for (const auto known : {std::string_view("libmpi.so"), std::string_view("libmpich.so"), standard_abi_name}) {
    if (name.starts_with(known)) static_cast<std::vector<std::string>*>(files)->emplace_back(file);
  }
  return 0;
}

/// The first line of what the library says about itself, up to a comma.
std::string version_of(const std::string& file) {
  using GetVersion = int(char*, int*);
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  auto* const get_version = reinterpret_cast<GetVersion*>(dlsym(library, "PMPI_Get_library_version"));
  std::array<char, 8192> text{};  // Open MPI and MPICH need up to 8192
  int length = 0;
  if (get_version != nullptr) get_version(text.data(), &length);
  dlclose(library);
  std::string_view line(text.data());
  line = line.substr(0, line.find_first_of(",\n"));
  constexpr std::string_view mpich = "MPICH Version:";
  if (!line.starts_with(mpich)) return std::string(line);
  const std::size_t number = line.find_first_not_of(" \t", mpich.size());
  return "MPICH " + std::string(line.substr(std::min(number, line.size())));
}

std::vector<LoadedMpi> loaded_mpis() {
  std::vector<std::string> files;
  dl_iterate_phdr(collect_mpi_files, &files);
  std::vector<LoadedMpi> found;
  for (const std::string& file : files) {
    const std::string version = version_of(file);
    const bool standard_abi = file.find(standard_abi_name) != std::string::npos;
    if (version.starts_with("Open MPI")) {
      found.push_back({NativeLibrary::openmpi, version, standard_abi});
    } else if (version.find("MPICH") != std::string::npos || version.starts_with("Intel(R) MPI")) {
      found.push_back({NativeLibrary::mpich, version, standard_abi});
    }
  }
  return found;
}

}  // namespace

void refuse_wrong_mpi() {
  for (const LoadedMpi& mpi : loaded_mpis()) {
    if (mpi.standard_abi && for_standard_abi) continue;  // whichever library has it
    if (mpi.standard_abi) {
      end_process("the program is built for the standard MPI ABI (libmpi_abi.so of " + mpi.version +
                  "), and this preload library for " TRUNKLINE_MPI_TITLE
                  "; preload the one that 'trunkline library --mpi mpiabi' prints, after 'trunkline library --build "
                  "--mpicc /path/to/mpicc_abi'; or build the program with mpicc instead of mpicc_abi");
    }
    if (mpi.family == native_library && !for_standard_abi) continue;
    const std::string right = mpi.family == NativeLibrary::openmpi ? "openmpi" : "mpich";
    std::string text = "this preload library is built for " TRUNKLINE_MPI_TITLE ", but the program runs on ";
    text.append(mpi.version).append(": say --mpi ").append(right);
    text.append(" to 'trunkline run' and 'trunkline lab run', or preload what 'trunkline library --mpi ");
    end_process(text.append(right).append("' prints"));
  }
}

}  // namespace trunkline::runtime
