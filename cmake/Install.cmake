# Two installations from one build folder. The component `trunkline` is the inside of the Python package: libraries,
# programs behind the command, bundled clusters; pip installs it, and an ordinary installation leaves it out. That one,
# `cmake --install BUILD --prefix PREFIX`, serves programs that are started without the command, and with
# TRUNKLINE_PYTHON=ON brings the command too (InstallCommand.cmake):
#   lib/libtrunkline-NAME.so         one for each MPI, a link into
#   lib/trunkline/lib, .../clusters  where the library finds the bundled clusters beside it, as in the package
#   include/trunkline.h
#   lib/pkgconfig, lib/cmake         for programs that use trunkline.h; they look its functions up, and link with nothing
#   share/modulefiles/trunkline      for environment modules
#   share/trunkline/schemas          for editors
#   bin/trunkline, lib/trunkline/python, .../libexec, .../source
#                                    the command, the programs behind it, and what it builds preload libraries from
# Nothing in it names the prefix, so the folder may be moved.

set(TRUNKLINE_COMMAND OFF)
if(TRUNKLINE_PYTHON AND NOT SKBUILD)
  set(TRUNKLINE_COMMAND ON)
endif()

function(trunkline_install kind)  # TARGETS|FILES|DIRECTORY WHAT... DESTINATION FOLDER: a part of the Python package
  list(FIND ARGN FILES_MATCHING filter)  # what follows it comes last
  set(rest "")
  if(filter GREATER -1)
    list(SUBLIST ARGN ${filter} -1 rest)
    list(SUBLIST ARGN 0 ${filter} ARGN)
  endif()
  install(${kind} ${ARGN} COMPONENT trunkline EXCLUDE_FROM_ALL ${rest})
  if(TRUNKLINE_COMMAND)
    list(FIND ARGN DESTINATION place)
    math(EXPR place "${place} + 1")
    list(GET ARGN ${place} folder)
    list(REMOVE_AT ARGN ${place})
    if(folder STREQUAL ".")  # the bindings
      set(folder python/trunkline)
    endif()
    list(INSERT ARGN ${place} lib/trunkline/${folder})
    install(${kind} ${ARGN} COMPONENT command ${rest})
  endif()
endfunction()

function(trunkline_install_preload target)  # a preload library, for programs started without the command
  install(TARGETS ${target} DESTINATION lib/trunkline/lib COMPONENT preload)
  install(CODE "set(name $<TARGET_FILE_NAME:${target}>)" COMPONENT preload)
  install(CODE [[
    set(link $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/${name})
    message(STATUS "Installing: ${link}")
    file(CREATE_LINK trunkline/lib/${name} ${link} SYMBOLIC)
  ]] COMPONENT preload)
endfunction()

# What belongs to the command goes where it goes: bin's neighbour in a virtual environment.
if(SKBUILD)
  trunkline_install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/ DESTINATION ${SKBUILD_DATA_DIR}/share)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/trunkline/schemas DESTINATION share/trunkline COMPONENT preload)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/clusters/ DESTINATION lib/trunkline/clusters COMPONENT preload
        FILES_MATCHING PATTERN "*.yaml")
install(FILES ${PROJECT_SOURCE_DIR}/include/trunkline.h DESTINATION include COMPONENT preload)
include(CMakePackageConfigHelpers)
configure_file(${CMAKE_CURRENT_LIST_DIR}/trunkline.pc.in ${PROJECT_BINARY_DIR}/trunkline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/trunkline.pc DESTINATION lib/pkgconfig COMPONENT preload)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trunkline-config-version.cmake COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/trunkline-config.cmake ${PROJECT_BINARY_DIR}/trunkline-config-version.cmake
        DESTINATION lib/cmake/trunkline COMPONENT preload)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/modulefile.tcl DESTINATION share/modulefiles RENAME trunkline COMPONENT preload)
if(NOT TRUNKLINE_COMMAND)
  install(CODE "set(source [[${PROJECT_SOURCE_DIR}]])" COMPONENT preload)
  install(CODE [[
    message(STATUS "Installed: the preload libraries (lib/libtrunkline-*.so), the bundled clusters and trunkline.h.\n"
                   "   The command 'trunkline' is a Python package: 'pip install ${source}' installs it in any virtual "
                   "environment, and -DTRUNKLINE_PYTHON=ON has CMake install it here (docs/install.md).")
  ]] COMPONENT preload)
endif()
