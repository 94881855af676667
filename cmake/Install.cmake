# Two installations from one build folder. The component `trunkline` is the inside of the Python package: libraries,
# programs behind the command, bundled clusters; pip installs it, and an ordinary installation leaves it out. That one,
# `cmake --install BUILD --prefix PREFIX`, is for programs that are started without the command:
#   lib/libtrunkline-NAME.so         one for each MPI, a link into
#   lib/trunkline/lib, .../clusters  where the library finds the bundled clusters beside it, as in the package
#   include/trunkline.h

function(trunkline_install kind)  # TARGETS|FILES|DIRECTORY WHAT... DESTINATION FOLDER: a part of the Python package
  list(FIND ARGN FILES_MATCHING filter)  # what follows it comes last
  set(rest "")
  if(filter GREATER -1)
    list(SUBLIST ARGN ${filter} -1 rest)
    list(SUBLIST ARGN 0 ${filter} ARGN)
  endif()
  install(${kind} ${ARGN} COMPONENT trunkline EXCLUDE_FROM_ALL ${rest})
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

install(DIRECTORY ${PROJECT_SOURCE_DIR}/clusters/ DESTINATION lib/trunkline/clusters COMPONENT preload
        FILES_MATCHING PATTERN "*.yaml")
install(FILES ${PROJECT_SOURCE_DIR}/include/trunkline.h DESTINATION include COMPONENT preload)
install(CODE "set(source [[${PROJECT_SOURCE_DIR}]])" COMPONENT preload)
install(CODE [[
  message(STATUS "Installed: the preload libraries (lib/libtrunkline-*.so), the bundled clusters and trunkline.h.\n"
                 "   The command 'trunkline' is a Python package, which CMake does not install: 'pip install ${source}' "
                 "does, in any virtual environment (docs/install.md).")
]] COMPONENT preload)
