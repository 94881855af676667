// SPDX-License-Identifier: Apache-2.0
#include "startup/name_service.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace trunkline::runtime {
namespace {

/// MPI's functions take C strings that they do not change, some of them without const.
char* c_string(const std::string& text) { return const_cast<char*>(text.c_str()); }

/// Whether errors without a communicator go to the handler of MPI_COMM_WORLD until MPI_COMM_SELF is given one, as in
/// MPICH. One that is given back there would be its own, and that of MPI_COMM_WORLD no longer count.
bool world_speaks_for_self([[maybe_unused]] MPI_Errhandler of_self) {
#ifdef OPEN_MPI
  return false;
#else
  return of_self == MPI_ERRORS_ARE_FATAL;
#endif
}

}  // namespace

NameService::NameService() {
  const char* const job = std::getenv("PMIX_NAMESPACE");
  job_ = job != nullptr ? std::string(".") + job : "";
  check(PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world_));
  check(PMPI_Comm_get_errhandler(MPI_COMM_SELF, &of_self_));
  check(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, errors_return()));
  if (!world_speaks_for_self(of_self_)) check(PMPI_Comm_set_errhandler(MPI_COMM_SELF, errors_return()));
}

NameService::~NameService() {
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world_);
  if (!world_speaks_for_self(of_self_)) PMPI_Comm_set_errhandler(MPI_COMM_SELF, of_self_);
  PMPI_Errhandler_free(&of_world_);
  PMPI_Errhandler_free(&of_self_);
}

/// An mpiexec below srun is the launcher of its ranks, and leaves its own mark in their environment.
bool NameService::may_be_asked() {
#ifdef OPEN_MPI
  const char* const job = std::getenv("PMIX_NAMESPACE");
  return job == nullptr || !std::string_view(job).starts_with("slurm.");
#else
  return std::getenv("SLURM_STEP_ID") == nullptr || std::getenv("MPI_LOCALNRANKS") != nullptr;
#endif
}

std::string NameService::full(const std::string& name) const { return "trunkline." + name + job_; }

bool NameService::publish(const std::string& name, const std::string& word) {
  return PMPI_Publish_name(c_string(full(name)), MPI_INFO_NULL, c_string(word)) == MPI_SUCCESS;
}

void NameService::withdraw(const std::string& name, const std::string& word) {
  PMPI_Unpublish_name(c_string(full(name)), MPI_INFO_NULL, c_string(word));
}

std::optional<std::string> NameService::look_up(const std::string& name) {
  std::array<char, MPI_MAX_PORT_NAME + 1> word{};
  if (PMPI_Lookup_name(c_string(full(name)), MPI_INFO_NULL, word.data()) != MPI_SUCCESS) return {};
  return std::string(word.data());
}

bool NameService::works(int rank) {
  const std::string name = "trial." + std::to_string(rank);
  if (!publish(name, "works")) return false;
  const bool found = look_up(name) == "works";
  withdraw(name, "works");
  return found;
}

}  // namespace trunkline::runtime
