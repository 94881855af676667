# Finds SimGrid with its SMPI, for `trunkline simulate`. Sets
#   TRUNKLINE_SIMGRID_LIBRARY    the library; not set where it is not installed
#   TRUNKLINE_SIMGRID_INCLUDES   folders of SimGrid's headers and of SMPI's mpi.h
#   TRUNKLINE_SIMGRID_VERSION
# What 'make simgrid' has built comes before Debian's. Nothing is cached, also not by earlier versions of this file: it may
# come or go.
unset(TRUNKLINE_SIMGRID_LIBRARY CACHE)
unset(TRUNKLINE_SIMGRID_INCLUDE CACHE)
unset(TRUNKLINE_SMPI_INCLUDE CACHE)
file(GLOB simgrid_folder ${PROJECT_SOURCE_DIR}/.simgrid/*)
find_library(TRUNKLINE_SIMGRID_LIBRARY simgrid HINTS ${simgrid_folder}/lib NO_CACHE)
find_path(TRUNKLINE_SIMGRID_INCLUDE simgrid/version.h HINTS ${simgrid_folder}/include NO_CACHE)
find_path(TRUNKLINE_SMPI_INCLUDE smpi/mpi.h HINTS ${simgrid_folder}/include NO_CACHE)
if(TRUNKLINE_SIMGRID_LIBRARY AND TRUNKLINE_SIMGRID_INCLUDE AND TRUNKLINE_SMPI_INCLUDE)
  set(TRUNKLINE_SIMGRID_INCLUDES ${TRUNKLINE_SMPI_INCLUDE}/smpi)
  if(NOT TRUNKLINE_SIMGRID_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND TRUNKLINE_SIMGRID_INCLUDES ${TRUNKLINE_SIMGRID_INCLUDE})
  endif()
  file(STRINGS ${TRUNKLINE_SIMGRID_INCLUDE}/simgrid/version.h lines REGEX "define SIMGRID_VERSION_(MAJOR|MINOR) ")
  string(REGEX MATCHALL "[0-9]+" TRUNKLINE_SIMGRID_VERSION "${lines}")
  list(JOIN TRUNKLINE_SIMGRID_VERSION "." TRUNKLINE_SIMGRID_VERSION)
  message(STATUS "SimGrid: ${TRUNKLINE_SIMGRID_VERSION} (${TRUNKLINE_SIMGRID_LIBRARY})")
else()
  unset(TRUNKLINE_SIMGRID_LIBRARY)
  message(STATUS "SimGrid: not found; trunkline simulate is not built (Debian: libsimgrid-dev)")
endif()
