# What the preload library is made from, as a part of the Python package: `trunkline library --build` configures it there, with
# TRUNKLINE_ONLY_MPICC, for an MPI library that the package was not built for. The static libyaml comes along, since many
# systems have none, and the compiled core (core/CMakeLists.txt).
foreach(room core runtime bench copy measure slurm include cmake)
  trunkline_install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room} DESTINATION source
                    FILES_MATCHING REGEX "\\.(c|cpp|h|hpp|cmake|map|in|tcl)$|/CMakeLists\\.txt$")
endforeach()
trunkline_install(FILES ${PROJECT_SOURCE_DIR}/CMakeLists.txt ${PROJECT_SOURCE_DIR}/pyproject.toml ${PROJECT_SOURCE_DIR}/LICENSE
                  DESTINATION source)
trunkline_install(TARGETS trunkline_core DESTINATION source/core/archive)
install(CODE "set(strip ${CMAKE_STRIP})" COMPONENT trunkline EXCLUDE_FROM_ALL)
install(CODE [[
  if(CMAKE_INSTALL_DO_STRIP)  # which leaves archives as they are
    set(archive $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/source/core/archive/libtrunkline_core.a)
    execute_process(COMMAND ${strip} --strip-debug ${archive} COMMAND_ERROR_IS_FATAL ANY)
  endif()
]] COMPONENT trunkline EXCLUDE_FROM_ALL)
string(REGEX MATCH "^[0-9]+" major ${CMAKE_CXX_COMPILER_VERSION})
file(WRITE ${PROJECT_BINARY_DIR}/compiler.txt "${CMAKE_CXX_COMPILER_ID};${major}")
trunkline_install(FILES ${PROJECT_BINARY_DIR}/compiler.txt DESTINATION source/core/archive)
trunkline_install(FILES ${YAML_INCLUDE}/yaml.h ${YAML_STATIC} ${PROJECT_SOURCE_DIR}/licenses/libyaml.txt
                  DESTINATION source/libyaml)
# xxHash is its header, which says its license itself.
find_path(TRUNKLINE_XXHASH_INCLUDE xxhash.h NO_CACHE)
if(TRUNKLINE_XXHASH_INCLUDE)
  trunkline_install(FILES ${TRUNKLINE_XXHASH_INCLUDE}/xxhash.h DESTINATION source/xxhash)
endif()
