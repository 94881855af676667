# Finds a BLAS with its C interface, for papers/programs/matmul.c alone. Sets
#   TRUNKLINE_CBLAS_LIBRARY, TRUNKLINE_CBLAS_INCLUDE   not set where there is none
# CMake's own FindBLAS looks for Fortran's interface, and says nothing of cblas.h. Nothing is cached: it may come or go.
if(NOT TRUNKLINE_BLAS)
  unset(TRUNKLINE_CBLAS_LIBRARY)
  return()
endif()
find_path(TRUNKLINE_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas NO_CACHE)
find_library(TRUNKLINE_CBLAS_LIBRARY NAMES openblas cblas blas NO_CACHE)
if(TRUNKLINE_CBLAS_INCLUDE AND TRUNKLINE_CBLAS_LIBRARY)
  message(STATUS "BLAS: ${TRUNKLINE_CBLAS_LIBRARY}, for papers/programs/matmul.c")
else()
  unset(TRUNKLINE_CBLAS_LIBRARY)
  message(STATUS "BLAS: no cblas.h with its library was found, so papers/programs/matmul.c is not built (Debian: libopenblas-serial-dev)")
endif()
