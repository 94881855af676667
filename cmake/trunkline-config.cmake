# For find_package(trunkline): the target trunkline::trunkline brings trunkline.h. Programs look its functions up with
# dlsym(), so that they run without a preload library too, and link with none.
#   trunkline_PRELOAD_LIBRARIES   the preload libraries that are installed, libtrunkline-NAME.so for the MPI library NAME
get_filename_component(trunkline_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
if(NOT TARGET trunkline::trunkline)
  add_library(trunkline::trunkline INTERFACE IMPORTED)
  set_target_properties(trunkline::trunkline PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${trunkline_prefix}/include
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
file(GLOB trunkline_PRELOAD_LIBRARIES ${trunkline_prefix}/lib/libtrunkline-*.so
     ${trunkline_prefix}/lib/*/trunkline/lib/libtrunkline-*.so)  # Debian's packages
list(FILTER trunkline_PRELOAD_LIBRARIES EXCLUDE REGEX "/libtrunkline-idle\\.so$")
