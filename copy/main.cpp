// SPDX-License-Identifier: Apache-2.0
// Copies files and folders of rank 0's host to a folder on all hosts of the job, block by block, each an MPI_Bcast.
//
//     mpiexec -n 32 trunkline-copy-MPI --to /scratch/{host} --block 4194304 -- big.bin
//
// Started by `trunkline copy`, which knows which build belongs to which MPI, and preloads Trunkline: without it the
// broadcasts are the MPI library's. Exit status 1: a host has no copy, or a file cannot be read.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "copies.hpp"
#include "hosts.hpp"
#include "options.hpp"
#include "report.hpp"

namespace {

using namespace trunkline::copy;

void write_json(const std::string& text, const std::string& file) {
  if (file == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

/// Those that write; the status on rank 0.
int run(const Writers& writers, const Options& options, int rank) {
  if (rank == 0 && writers.sharing > 0) {
    std::fprintf(stderr,
                 "trunkline copy: %d of %d hosts see another one's %s, which is written once; for a copy a host put "
                 "{host} into the folder's name\n",
                 writers.sharing, writers.hosts, options.folder.c_str());
  }
  int status = 0;
  std::vector<Result> results;
  for (const std::string& file : options.files) {
    results.push_back(copy_one(file, writers, options));
    const Result& result = results.back();
    if (rank == 0) tell(result, writers);
    if (!result.failure.empty() || !result.failures.empty() || !result.left_out.empty()) status = 1;
  }
  if (rank == 0 && !options.json.empty()) write_json(as_json(results, writers, options), options.json);
  return status;
}

/// Rank 0's status on every rank. Ranks that write nothing wait here, and leave the processors to those that do.
int shared(int status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  try {
    if (provided < MPI_THREAD_FUNNELED) throw std::runtime_error("the MPI library knows no threads");
    const Options options = read_options(argc, argv);
    Writers writers = find_writers(options.folder);
    if (writers.all != MPI_COMM_NULL) {
      status = run(writers, options, rank);
      MPI_Comm_free(&writers.all);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trunkline: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  status = shared(status);
  MPI_Finalize();
  return status;
}
