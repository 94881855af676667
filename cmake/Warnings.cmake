# One target that carries the warnings, and the sanitizers where asked for; every target of ours links it.
add_library(trunkline_options INTERFACE)
target_compile_options(trunkline_options INTERFACE -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
                                                   $<$<COMPILE_LANGUAGE:C>:-Wconversion>)
# Sources of one batch see each other's globals, which is no fault; `make check` reads each source by itself.
if(NOT TRUNKLINE_UNITY)
  target_compile_options(trunkline_options INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(trunkline_options INTERFACE -Wshadow=local)
endif()
if(TRUNKLINE_WERROR)
  target_compile_options(trunkline_options INTERFACE -Werror)
endif()
if(TRUNKLINE_SANITIZE)
  target_compile_options(trunkline_options INTERFACE -fsanitize=${TRUNKLINE_SANITIZE} -fno-sanitize-recover=all
                                                     -fno-omit-frame-pointer)
  target_link_options(trunkline_options INTERFACE -fsanitize=${TRUNKLINE_SANITIZE})
endif()
