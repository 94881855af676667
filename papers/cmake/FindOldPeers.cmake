# Finds what papers measured against, and what none of ours is preloaded into: LAM/MPI, which is MPI 1, PVM, and NORM.
# Sets, each where it is there,
#   TRUNKLINE_MPI_lam_MPICC, _MPIEXEC, _FAMILY, _INCLUDES, _LIBRARY, _MORE, _VERSION
#   TRUNKLINE_PVM_LIBRARY, _INCLUDES, _DAEMON
#   TRUNKLINE_NORM_LIBRARY, _INCLUDES
# and writes papers/mpis.json in the build folder, for trunkline_papers: LAM/MPI and PVM in the form of mpis.json.
set(entries "")
find_program(lam_mpicc mpicc.lam NO_CACHE)
find_program(lam_mpirun mpirun.lam NO_CACHE)
if(lam_mpicc AND lam_mpirun)
  execute_process(COMMAND ${lam_mpicc} -showme OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCHALL "-I[^ ]+" includes "${line}")
  string(REGEX MATCHALL "-L[^ ]+" libdirs "${line}")
  list(TRANSFORM includes REPLACE "^-I" "")
  list(TRANSFORM libdirs REPLACE "^-L" "")
  find_library(lam_mpi_library NAMES mpi PATHS ${libdirs} NO_DEFAULT_PATH NO_CACHE)
  find_library(lam_library NAMES lam PATHS ${libdirs} NO_DEFAULT_PATH NO_CACHE)
  find_path(lam_config lam_config.h PATHS ${includes} NO_DEFAULT_PATH NO_CACHE)
endif()
if(lam_mpi_library AND lam_library AND lam_config)
  file(STRINGS ${lam_config}/lam_config.h version REGEX "define +LAM_VERSION ")
  string(REGEX MATCH "[0-9]+(\\.[0-9]+)+" version "${version}")
  message(STATUS "MPI: lam (${version}, ${lam_mpicc}), for benchmarks only")
  set(TRUNKLINE_MPI_lam_MPICC ${lam_mpicc})
  set(TRUNKLINE_MPI_lam_MPIEXEC ${lam_mpirun})
  set(TRUNKLINE_MPI_lam_FAMILY lam)
  set(TRUNKLINE_MPI_lam_INCLUDES ${includes})
  set(TRUNKLINE_MPI_lam_LIBRARY ${lam_mpi_library})
  set(TRUNKLINE_MPI_lam_MORE ${lam_library} util)
  set(TRUNKLINE_MPI_lam_VERSION ${version})
  list(APPEND entries "  {\"name\": \"lam\", \"family\": \"lam\", \"version\": \"${version}\", \"mpicc\": \"${lam_mpicc}\", \
\"mpiexec\": \"${lam_mpirun}\", \"library\": \"${lam_mpi_library}\"}")
endif()

find_program(TRUNKLINE_PVM_DAEMON pvmd NO_CACHE)
find_library(TRUNKLINE_PVM_LIBRARY pvm3 NO_CACHE)
find_path(TRUNKLINE_PVM_INCLUDES pvm3.h NO_CACHE)
if(TRUNKLINE_PVM_DAEMON AND TRUNKLINE_PVM_LIBRARY AND TRUNKLINE_PVM_INCLUDES)
  file(STRINGS ${TRUNKLINE_PVM_INCLUDES}/pvm3.h lines REGEX "^#define[ \t]+PVM_(MAJOR|MINOR|PATCH)_VERSION")
  string(REGEX MATCHALL "[0-9]+(;|$)" version "${lines}")
  string(REGEX REPLACE ";+" "." version "${version}")
  message(STATUS "PVM: ${version}, ${TRUNKLINE_PVM_DAEMON}, for benchmarks only")
  list(APPEND entries "  {\"name\": \"pvm\", \"family\": \"pvm\", \"version\": \"${version}\", \"mpicc\": \"\", \
\"mpiexec\": \"${TRUNKLINE_PVM_DAEMON}\", \"library\": \"${TRUNKLINE_PVM_LIBRARY}\"}")
else()
  unset(TRUNKLINE_PVM_LIBRARY)
endif()

find_path(TRUNKLINE_NORM_INCLUDES normApi.h NO_CACHE)
find_library(TRUNKLINE_NORM_LIBRARY norm NO_CACHE)
if(TRUNKLINE_NORM_INCLUDES AND TRUNKLINE_NORM_LIBRARY)
  message(STATUS "NORM: ${TRUNKLINE_NORM_LIBRARY}, for benchmarks only")
else()
  unset(TRUNKLINE_NORM_LIBRARY)
endif()

list(JOIN entries ",\n" entries)
file(WRITE ${PROJECT_BINARY_DIR}/papers/mpis.json "[\n${entries}\n]\n")
