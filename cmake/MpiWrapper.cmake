# trunkline_ask_wrapper(WRAPPER OUT): what an MPI compiler wrapper compiles and links with. Sets in the caller
#   OUT_FAULT                       why it cannot be used; empty where it can, and then
#   OUT_FAMILY, OUT_VERSION         mpich, openmpi, intelmpi or mvapich, and its release, as its header says; mpiabi, and
#                                   the version of the standard ABI, where it links with that of whichever library
#   OUT_INCLUDES, OUT_LIBRARY       folders of mpi.h and what it includes; the C library's file
#   OUT_DEFINITIONS                 what has to be defined before mpi.h is read
function(trunkline_ask_wrapper wrapper out)
  foreach(name FAULT FAMILY VERSION INCLUDES LIBRARY DEFINITIONS)
    set(${out}_${name} "" PARENT_SCOPE)
  endforeach()

  # Open MPI's wrappers are asked with --showme, MPICH's with -show; those of others know -showme.
  foreach(question --showme -show -showme)
    execute_process(COMMAND ${wrapper} ${question} OUTPUT_VARIABLE line ERROR_VARIABLE error RESULT_VARIABLE status
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND line)
      break()
    endif()
  endforeach()
  if(NOT status EQUAL 0 OR NOT line)
    string(REGEX REPLACE "\n.*" "" error "${error}")
    string(REPLACE ";" "," error "${error}")  # a list of reasons would be taken apart there
    set(ended "ended with ${status}")
    if(error)
      string(APPEND ended ": ${error}")
    endif()
    set(${out}_FAULT
        "it does not say what it compiles with, as an MPI library's mpicc does (-show, --showme), and ${ended}"
        PARENT_SCOPE)
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I.")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(libdirs ${words})
  list(FILTER libdirs INCLUDE REGEX "^-L.")
  list(TRANSFORM libdirs REPLACE "^-L" "")
  # Where the compiler looks by itself, as with a prefix of /usr, the wrapper need not name it.
  cmake_path(GET wrapper PARENT_PATH prefix)
  cmake_path(GET prefix PARENT_PATH prefix)

  find_path(header_dir mpi.h PATHS ${includes} ${prefix}/include NO_DEFAULT_PATH NO_CACHE)
  if(NOT header_dir)
    list(JOIN includes ", " places)
    if(NOT places)
      set(places ${prefix}/include)
    endif()
    set(${out}_FAULT "there is no mpi.h in ${places}; is the development package installed?" PARENT_SCOPE)
    return()
  endif()
  cmake_path(APPEND header_dir mpi.h OUTPUT_VARIABLE header)
  file(STRINGS ${header} lines
       REGEX "define +(I_MPI_VERSION|MVAPICH2?_VERSION|MPICH_VERSION|OMPI_(MAJOR|MINOR|RELEASE)_VERSION) ")
  set(libraries libmpi.so)
  set(definitions "")
  # Intel MPI and MVAPICH are built from MPICH, and may keep its version beside their own.
  if("-lmpi_abi" IN_LIST words)
    set(family mpiabi)
    set(libraries libmpi_abi.so)
    set(definitions MPI_ABI)
    file(STRINGS ${header_dir}/mpi_abi.h lines REGEX "define +MPI_ABI_(VERSION|SUBVERSION) ")
    string(REGEX MATCHALL "[0-9]+" lines "${lines}")
    list(JOIN lines "." lines)
  elseif(lines MATCHES "I_MPI_VERSION")
    set(family intelmpi)
    list(FILTER lines INCLUDE REGEX "I_MPI_VERSION")
    # Where no variables of Intel's are set, its wrapper may not say where the library is.
    list(APPEND libdirs ${prefix}/lib/release)
  elseif(lines MATCHES "MVAPICH2?_VERSION")
    set(family mvapich)
    list(FILTER lines INCLUDE REGEX "MVAPICH2?_VERSION")
    list(TRANSFORM lines REPLACE "MVAPICH2" "")  # its 2 is no part of the version
  elseif(lines MATCHES "OMPI_MAJOR_VERSION")
    set(family openmpi)
  elseif(lines MATCHES "MPICH_VERSION")
    set(family mpich)
    set(libraries libmpich.so libmpi.so)
  else()
    set(${out}_FAULT "${header} is of none of MPICH, Open MPI, Intel MPI and MVAPICH" PARENT_SCOPE)
    return()
  endif()
  string(REGEX MATCHALL "[0-9]+(\\.[0-9]+)*" version "${lines}")
  list(JOIN version "." version)
  find_library(library NAMES ${libraries} NAMES_PER_DIR PATHS ${libdirs} ${prefix}/lib ${prefix}/lib64 NO_DEFAULT_PATH
               NO_CACHE)
  if(NOT library)
    list(JOIN libraries " or " names)
    list(JOIN libdirs ", " places)
    if(NOT places)
      set(places ${prefix}/lib)
    endif()
    set(${out}_FAULT "there is no ${names} in ${places}" PARENT_SCOPE)
    return()
  endif()
  if(NOT header_dir IN_LIST includes)  # found beside the wrapper: it did not say so
    list(APPEND includes ${header_dir})
  endif()
  set(${out}_FAMILY ${family} PARENT_SCOPE)
  set(${out}_VERSION ${version} PARENT_SCOPE)
  set(${out}_INCLUDES ${includes} PARENT_SCOPE)
  set(${out}_LIBRARY ${library} PARENT_SCOPE)
  set(${out}_DEFINITIONS "${definitions}" PARENT_SCOPE)
endfunction()
