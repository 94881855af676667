#!/bin/sh
# Gives each rank a host of its own in the cluster file, on one machine: rank 3 is on h3. Usage: on_own_host.sh PROGRAM...
TRUNKLINE_HOST=h${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
export TRUNKLINE_HOST
exec "$@"
