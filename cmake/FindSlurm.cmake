# Finds Slurm's header of plug-ins, for slurm/spank.c. Sets
#   TRUNKLINE_SLURM_INCLUDE   not set where there is none
# Nothing is cached: it may come or go.
find_path(TRUNKLINE_SLURM_INCLUDE slurm/spank.h NO_CACHE)
if(TRUNKLINE_SLURM_INCLUDE)
  message(STATUS "Slurm: ${TRUNKLINE_SLURM_INCLUDE}/slurm/spank.h, for the plug-in slurm/spank.c")
else()
  unset(TRUNKLINE_SLURM_INCLUDE)
  message(STATUS "Slurm: there is no slurm/spank.h, so its plug-in is not built (Debian: libslurm-dev)")
endif()
