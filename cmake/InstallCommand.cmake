# The command in an installation by CMake, cmake/Install.cmake: bin/trunkline, and its modules in lib/trunkline/python.
# Nothing in it names the prefix. It runs on the Python that it was built with, which has to have the packages that
# pyproject.toml names; where one is missing, the command says so. Manual pages and completion for shells come along
# where the tree has them.
find_package(Python 3.9 COMPONENTS Interpreter REQUIRED)
file(STRINGS ${PROJECT_SOURCE_DIR}/pyproject.toml needs REGEX "^  \"[a-z0-9]+>=")
list(TRANSFORM needs REPLACE "^  \"([a-z0-9]+>=[^;\"]+).*" "'\\1'")
list(JOIN needs " " needs)
configure_file(${CMAKE_CURRENT_LIST_DIR}/command.py.in ${PROJECT_BINARY_DIR}/bin/trunkline @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/bin/trunkline DESTINATION bin COMPONENT command)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/trunkline DESTINATION lib/trunkline/python COMPONENT command
        FILES_MATCHING REGEX "\\.(py|j2|json|yaml)$" PATTERN __pycache__ EXCLUDE)
foreach(shared man bash-completion zsh fish trunkline)
  if(EXISTS ${PROJECT_SOURCE_DIR}/share/${shared})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/${shared} DESTINATION share COMPONENT command)
  endif()
endforeach()
